import { useState } from 'preact/hooks';
import { ask, chat } from '../api.ts';
import { shortOf } from '../dates.ts';
import { idOf } from '../ids.ts';
import { strings } from '../strings.ts';
import { attempt, Choice, Form, IconButton, Loading } from './controls.tsx';
import { useLoaded } from './use-list.ts';

const day = 24 * 60 * 60_000;

/** How long, in days, and how often a link can be used; 0 is without a limit. */
const validities = [1, 7, 30, 0];
const uses = [1, 10, 100, 0];

/** The links with which one joins a room, for its moderators: making, seeing and revoking them. */
export const Invitations = ({ room }: { room: string }) => (
  <details class="invitations">
    <summary>{strings.invitations.title}</summary>
    <Links room={room} />
  </details>
);

function Links({ room }: { room: string }) {
  const [made, setMade] = useState<string>();
  const params = { path: { room } };
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/rooms/{room}/invitations', { params })), [room]);
  const make = async ({ validity, times }: Record<string, string>) => {
    const body = {
      ...(Number(validity) > 0 && { expires_at: new Date(Date.now() + Number(validity) * day).toISOString() }),
      ...(Number(times) > 0 && { uses: Number(times) }),
    };
    const { code } = await ask(chat.POST('/api/rooms/{room}/invitations', { params, body }));
    setMade(`${location.origin}/join#${code}`);
    reload();
  };
  const revoke = async (invitation: string) => {
    const params = { path: { room, invitation } };
    await attempt(() => ask(chat.DELETE('/api/rooms/{room}/invitations/{invitation}', { params })));
    setMade(undefined);
    reload();
  };
  return (
    <div class="stack-wide">
      <p class="muted">{strings.invitations.hint}</p>
      {!value ? (
        <Loading failure={failure} onRetry={reload} />
      ) : (
        <ul class="links">
          {value.length === 0 && <li class="muted">{strings.invitations.none}</li>}
          {value.map((invitation) => (
            <li class="row" key={idOf(invitation)}>
              <span class="name">
                <code>{strings.invitations.ends(invitation.hint)}</code>{' '}
                {invitation.expires_at
                  ? strings.invitations.until(shortOf(new Date(invitation.expires_at.$date)))
                  : strings.invitations.forEver}
                , {invitation.uses_left === null ? strings.invitations.anyUses : strings.invitations.uses(invitation.uses_left)}
              </span>
              <button type="button" onClick={() => void revoke(idOf(invitation))}>
                {strings.invitations.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
      {made !== undefined && <Made link={made} />}
      <Form onSubmit={make} submit={strings.invitations.create}>
        <div class="row">
          <Choice name="validity" label={strings.invitations.validFor} choices={validities} chosen={7} shown={validityOf} />
          <Choice name="times" label={strings.invitations.usable} choices={uses} chosen={0} shown={timesOf} />
        </div>
      </Form>
    </div>
  );
}

const validityOf = (days: number) => (days === 0 ? strings.invitations.forEver : strings.invitations.days(days));
const timesOf = (times: number) => (times === 0 ? strings.invitations.anyUses : strings.invitations.times(times));

/** The link that was made, which nobody can see again. */
function Made({ link }: { link: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard?.writeText(link).then(() => setCopied(true));
  return (
    <div class="made" role="status">
      {strings.invitations.once}
      <span class="row">
        <input
          readOnly
          dir="ltr"
          aria-label={strings.invitations.link}
          value={link}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        {navigator.clipboard && <IconButton icon={isCopied ? 'check' : 'copy'} label={strings.message.copyCode} onPress={copy} />}
      </span>
    </div>
  );
}
