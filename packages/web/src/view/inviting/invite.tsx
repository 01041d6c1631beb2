import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../../device/clipboard.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure, sentenceOf } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { changeMembers } from '../../store/people/members.ts';
import { nameOf } from '../../store/people/names.ts';
import { inviteByMail, inviteLink, linkDays, mayInvite } from '../../store/rooms/invitations.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { roomsInOrder } from '../../store/rooms/sections.ts';
import { safeName } from '../../text/names.ts';
import { attempt, Form } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';
import { PeopleField } from '../text/people-field.tsx';
import { isAddress, namesIn } from '../text/picked.ts';
import './invite.css';

const QrCode = later(async () => (await import('../shared/qr-code.tsx')).QrCode);

type InviteProps = {
  /** The initial room; the first of all if undefined. */
  room: string | undefined;
  /** True if the room cannot be changed. */
  isChosen: boolean;
};

/** Invites people to a room: by name, by e-mail or with a link. */
export function Invite({ room: first, isChosen }: InviteProps) {
  const all = roomsInOrder().filter(mayInvite);
  const [room, setRoom] = useState(first ?? all[0]?.id);
  // The rooms may be loaded after the dialog has opened.
  useEffect(() => setRoom((known) => known ?? all[0]?.id), [all[0]?.id]);
  const chosen = room === undefined ? undefined : roomOf(room);
  if (!chosen) return <p>{laterStrings.invite.none}</p>;
  return (
    <div class="invite-form">
      {isChosen || all.length === 1 ? (
        <p class="muted">{laterStrings.invite.to(safeName(chosen.name))}</p>
      ) : (
        <label class="field">
          {laterStrings.invite.room}
          <select onChange={({ currentTarget }) => setRoom(currentTarget.value)}>
            {all.map(({ id, name }) => (
              <option key={id} value={id} selected={id === room}>
                {safeName(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <AddPeople key={`add ${chosen.id}`} room={chosen.id} autoFocus />
      <ShareLink key={`link ${chosen.id}`} room={chosen.id} />
    </div>
  );
}

/** The outcome of an invitation. */
type Outcome = { name: string; isDone: boolean; sentence: string };

/** A field for existing users, and for the addresses of other people. */
export function AddPeople({ room, autoFocus = false }: { room: string; autoFocus?: boolean }) {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [turn, setTurn] = useState(0);
  const add = async ({ people = '' }: Record<string, string>) => {
    const all: Outcome[] = [];
    // One after the other: all change the same room.
    for (const name of namesIn(people)) all.push(await addOne(room, name));
    setOutcomes(all);
    setTurn(turn + 1);
  };
  return (
    <>
      <Form key={turn} class="add-people" onSubmit={add} submit={laterStrings.invite.add}>
        <PeopleField
          label={laterStrings.invite.people}
          name="people"
          takesAddresses={settings.sendsEmail}
          autoFocus={autoFocus || turn > 0}
        />
      </Form>
      <div role="status">
        {outcomes.length > 0 && (
          <ul class="outcomes">
            {outcomes.map(({ name, isDone, sentence }) => (
              <li key={name} class={isDone ? '' : 'problem'}>
                <Icon name={isDone ? 'check' : 'close'} />
                <span>{sentence}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

async function addOne(room: string, name: string): Promise<Outcome> {
  try {
    if (isAddress(name)) {
      if (!settings.sendsEmail) throw new Failure(0, laterStrings.invite.noMail);
      await inviteByMail(room, name);
      return { name, isDone: true, sentence: laterStrings.invitations.sentTo(name) };
    }
    const added = await ask(chat.POST('/api/members', { body: { room, username: name } }));
    changeMembers(room, { members: [added], left: [] });
    return { name, isDone: true, sentence: laterStrings.members.added(nameOf(added)) };
  } catch (failure) {
    return { name, isDone: false, sentence: laterStrings.invite.failed(name, reasonOf(failure)) };
  }
}

/** Why somebody was not added, in the language of the page. */
function reasonOf(failure: unknown): string {
  const code = failure instanceof Failure ? (failure.code ?? '') : '';
  const reasons: Partial<Record<string, string>> = laterStrings.invite.reasons;
  return reasons[code] ?? sentenceOf(failure);
}

/** A link that lets people join, which one press makes and copies. */
function ShareLink({ room }: { room: string }) {
  const [link, setLink] = useState<string>();
  const [isCopied, setCopied] = useState(false);
  const [isShown, setShown] = useState(false);
  const words = laterStrings.invite;
  const copy = () =>
    attempt(async () => {
      const making = inviteLink(room);
      const [copied] = await Promise.all([copyText(making), making.then(setLink)]);
      setCopied(copied);
    });
  return (
    <section class="share-link" aria-label={words.link}>
      <p>
        <strong>{words.link}</strong>
        <small class="muted">{settings.registration === 'closed' ? words.linkClosed(linkDays) : words.linkHint(linkDays)}</small>
      </p>
      <button type="button" onClick={() => void copy()}>
        <Icon name={isCopied ? 'check' : 'copy'} /> {isCopied ? words.copied : words.copy}
      </button>
      {link !== undefined && (
        <>
          <input
            readOnly
            dir="ltr"
            aria-label={laterStrings.invitations.link}
            value={link}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <span class="row">
            <button type="button" class="link" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {laterStrings.invitations.qrCode}
            </button>
            <a class="button link" href={`mailto:?subject=${encodeURIComponent(settings.name)}&body=${encodeURIComponent(link)}`}>
              {laterStrings.invitations.email}
            </a>
          </span>
          {isShown && <QrCode text={link} label={laterStrings.invitations.qrCodeLabel} />}
        </>
      )}
    </section>
  );
}
