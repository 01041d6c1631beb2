import { useState } from 'preact/hooks';
import { ask, chat } from '../api.ts';
import { shortOf } from '../dates.ts';
import { idOf } from '../ids.ts';
import { strings } from '../strings.ts';
import { laterStrings } from '../strings-later.ts';
import { attempt, Choice, Form, IconButton, Loading } from './controls.tsx';
import { useLoaded } from './use-list.ts';

const day = 24 * 60 * 60_000;

/** How long, in days, and how often a link can be used; 0 is without a limit. */
const validities = [1, 7, 30, 0];
const uses = [1, 10, 100, 0];

/** The links with which one joins a room, for its moderators: making, seeing and revoking them, at once where one is alone. */
export function Invitations({ room, isOpen }: { room: string; isOpen: boolean }) {
  // Only at first: somebody who joins does not close it.
  const [isOpenAtFirst] = useState(isOpen);
  return (
    <details class="invitations" open={isOpenAtFirst}>
      <summary>{laterStrings.invitations.title}</summary>
      <Links room={room} />
    </details>
  );
}

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
      <p class="muted">{laterStrings.invitations.hint}</p>
      {!value ? (
        <Loading failure={failure} onRetry={reload} />
      ) : (
        <ul class="links">
          {value.length === 0 && <li class="muted">{laterStrings.invitations.none}</li>}
          {value.map((invitation) => (
            <li class="row" key={idOf(invitation)}>
              <span class="name">
                <code dir="ltr">{laterStrings.invitations.ends(invitation.hint)}</code>{' '}
                {invitation.expires_at
                  ? laterStrings.invitations.until(shortOf(new Date(invitation.expires_at.$date)))
                  : laterStrings.invitations.forEver}
                ,{' '}
                {invitation.uses_left === null
                  ? laterStrings.invitations.anyUses
                  : laterStrings.invitations.uses(invitation.uses_left)}
              </span>
              <button type="button" onClick={() => void revoke(idOf(invitation))}>
                {laterStrings.invitations.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
      {made !== undefined && <Made link={made} />}
      <Form onSubmit={make} submit={laterStrings.invitations.create}>
        <div class="row">
          <Choice name="validity" label={laterStrings.invitations.validFor} choices={validities} chosen={7} shown={validityOf} />
          <Choice name="times" label={laterStrings.invitations.usable} choices={uses} chosen={0} shown={timesOf} />
        </div>
      </Form>
    </div>
  );
}

const validityOf = (days: number) => (days === 0 ? laterStrings.invitations.forEver : laterStrings.invitations.days(days));
const timesOf = (times: number) => (times === 0 ? laterStrings.invitations.anyUses : laterStrings.invitations.times(times));

/** The link that was made, which nobody can see again. */
function Made({ link }: { link: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard?.writeText(link).then(() => setCopied(true));
  return (
    <div class="made" role="status">
      {laterStrings.invitations.once}
      <span class="row">
        <input
          readOnly
          dir="ltr"
          aria-label={laterStrings.invitations.link}
          value={link}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        {navigator.clipboard && <IconButton icon={isCopied ? 'check' : 'copy'} label={strings.message.copyCode} onPress={copy} />}
      </span>
    </div>
  );
}
