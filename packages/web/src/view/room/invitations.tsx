import { useState } from 'preact/hooks';
import { shortOf } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import { forgetLink } from '../../store/rooms/invitations.ts';
import { attempt, Choice, Field, Form, Loading } from '../shared/controls.tsx';
import { later } from '../shared/later.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { useLoaded } from '../shared/use-list.ts';

const QrCode = later(async () => (await import('../shared/qr-code.tsx')).QrCode);

const day = 24 * 60 * 60_000;

/** How long, in days, and how often a link can be used; 0 is without a limit. */
const validities = [1, 7, 30, 0];
const uses = [1, 10, 100, 0];

/**
 * The invitation links of a room, for its moderators: create, list and revoke. The form opens at
 * once if the moderator is alone in the room.
 */
export function Invitations({ room, isOpen }: { room: string; isOpen: boolean }) {
  // Only at first: a later member must not close it.
  const [isOpenAtFirst] = useState(isOpen);
  return (
    <details class="addresses" open={isOpenAtFirst}>
      <summary>{laterStrings.invitations.title}</summary>
      <Links room={room} />
    </details>
  );
}

function Links({ room }: { room: string }) {
  const [made, setMade] = useState<string>();
  const [sentTo, setSentTo] = useState<string>();
  const params = { path: { room } };
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/rooms/{room}/invitations', { params })), [room]);
  const make = async ({ validity, times, email = '' }: Record<string, string>) => {
    const body = {
      ...(Number(validity) > 0 && { expires_at: new Date(Date.now() + Number(validity) * day).toISOString() }),
      ...(Number(times) > 0 && { uses: Number(times) }),
      ...(email !== '' && { email }),
    };
    const { code } = await ask(chat.POST('/api/rooms/{room}/invitations', { params, body }));
    setMade(`${location.origin}/join#${code}`);
    setSentTo(email);
    reload();
  };
  const revoke = async (invitation: string) => {
    const params = { path: { room, invitation } };
    await attempt(() => ask(chat.DELETE('/api/rooms/{room}/invitations/{invitation}', { params })));
    forgetLink(room);
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
                  ? laterStrings.status.endsAt(shortOf(new Date(invitation.expires_at.$date)))
                  : laterStrings.invitations.forEver}
                {' · '}
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
      {made !== undefined && (
        <ShownOnce values={[[laterStrings.invitations.link, made]]}>
          <SentTo address={sentTo} />
          <WaysToSend link={made} />
        </ShownOnce>
      )}
      <Form onSubmit={make} submit={laterStrings.invitations.create}>
        <div class="row">
          <Choice name="validity" label={laterStrings.invitations.validFor} choices={validities} chosen={7} shown={validityOf} />
          <Choice name="times" label={laterStrings.invitations.usable} choices={uses} chosen={0} shown={timesOf} />
        </div>
        {/* Another link, another field: the next address is somebody else's. */}
        <InvitedAddress key={made} />
      </Form>
    </div>
  );
}

/** The field for the address that the service e-mails the link to, if it sends e-mail. */
export const InvitedAddress = () =>
  settings.sendsEmail ? (
    <Field
      label={laterStrings.invitations.address}
      name="email"
      type="email"
      autocomplete="off"
      hint={laterStrings.invitations.addressHint}
      required={false}
    />
  ) : null;

export const SentTo = ({ address }: { address: string | undefined }) =>
  address ? <p>{laterStrings.invitations.sentTo(address)}</p> : null;

const validityOf = (days: number) => (days === 0 ? laterStrings.invitations.forEver : laterStrings.invitations.days(days));
const timesOf = (times: number) => (times === 0 ? laterStrings.invitations.anyUses : laterStrings.invitations.times(times));

/** Ways to send a link, other than copying it. */
function WaysToSend({ link }: { link: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <span class="row">
        <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {laterStrings.invitations.qrCode}
        </button>
        <a href={`mailto:?subject=${encodeURIComponent(document.title)}&body=${encodeURIComponent(link)}`}>
          {laterStrings.invitations.email}
        </a>
      </span>
      {isShown && <QrCode text={link} label={laterStrings.invitations.qrCodeLabel} />}
    </>
  );
}
