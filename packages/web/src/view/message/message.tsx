import { computed, signal, useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { shortcutKey } from '../../device/keyboard.ts';
import { lateCode } from '../../device/late-code.ts';
import { go, messagePath, roomPath } from '../../device/routes.ts';
import { clockOf, fullOf, nearOf, sentAt, timeOf } from '../../i18n/dates.ts';
import { listOf } from '../../i18n/locale.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { quickEmoji } from '../../store/emoji.ts';
import { authorOf, findPersons, nameOf, personOf } from '../../store/people/names.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { aboutRoom } from '../../store/rooms/topics.ts';
import { isSaved } from '../../store/saved.ts';
import { knownTimeline } from '../../store/timelines.ts';
import { baseOf, discardDraft, drafted, draftOf, keepEdit, placeOfEdit } from '../../store/unsent/drafts.ts';
import { changesOf, withChanges } from '../../store/unsent/pending.ts';
import { editors } from '../../store/unsent/waiting.ts';
import { deleteMessage, editMessage, markUnreadFrom, togglePin, toggleReaction, toggleSaved } from '../../sync/actions.ts';
import { summaryOf } from '../../text/plain.ts';
import { FileBoxes } from '../files/file-boxes.tsx';
import { Avatar } from '../people/avatar.tsx';
import { PersonButton } from '../people/person.tsx';
import { Boundary } from '../shared/boundary.tsx';
import { attempt, IconButton, PersonName } from '../shared/controls.tsx';
import { confirmed, openMessage } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';
import { MenuButton, type MenuItem } from '../shared/menu.tsx';
import { isTouched } from '../shared/popover.tsx';
import { Editor } from '../text/editor.tsx';
import { Text } from '../text/markdown.tsx';
import { EntryState } from './pending.tsx';

/** In which row somebody edits a message, since it was asked for last, or typed there. */
const editing = signal<{ at: string } | undefined>(undefined);

/** The row of a message in a room, or in a thread. */
const rowOf = (message: Message, isInThread: boolean) => `${idOf(message)} ${isInThread}`;

/** The row whose actions are shown: that of one message at a time, which was pointed at or focused last. */
const active = signal<Element | null>(null);

const focusedRow = () => document.activeElement?.closest('li.message') ?? null;

type RowProps = { message: Message; isGrouped?: boolean; isInThread?: boolean };

/** A message; as it was typed, and saying so, if it can't be drawn. */
export const MessageRow = (props: RowProps) => {
  const { seq, text } = props.message;
  const plain = (
    <li class="message" data-seq={seq}>
      <p class="text">{text}</p>
      <p class="muted">{strings.message.plain}</p>
    </li>
  );
  return (
    <Boundary fallback={plain}>
      <Row {...props} />
    </Boundary>
  );
};

/** Keys work while a message has the focus; its actions are there while it has, or is pointed at. */
function Row({ message: stored, isGrouped = false, isInThread = false }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  const isActive = useComputed(() => active.value !== null && active.value === row.current).value;
  const mine = idOf(me());
  const entries = changesOf(idOf(stored));
  const message = withChanges(stored, entries, mine);
  const isBeingDeleted = entries.some(({ kind, state }) => kind === 'delete' && state === 'waiting');
  const isDeleted = message.deleted_at !== null;
  const isForAll = message.mentions_all !== null && message.user.$oid !== mine;
  const isMentioned = isForAll || message.mentions.some(({ $oid }) => $oid === mine);
  // Also of a message that is deleted meanwhile: what was typed is its author's.
  const place = placeOfEdit(stored);
  const isEditing = useMemo(
    () =>
      computed(
        () =>
          editing.value?.at === rowOf(stored, isInThread) ||
          (drafted.value.has(place) && [undefined, row].includes(editors.value.get(place) as typeof row | undefined)),
      ),
    [place],
  ).value;
  const leave = (event: FocusEvent) => {
    const next = event.relatedTarget as Element | null;
    // A dialog and a menu give the focus back.
    if (!row.current?.contains(next) && !next?.closest('dialog, .popover') && active.value === row.current) active.value = null;
  };
  const activate = () => {
    active.value = row.current;
  };
  // A finger points at nothing: it scrolls, and what it taps gets the focus. Neither does a mouse over which rows move.
  const point = ({ pointerType, movementX, movementY }: PointerEvent) => {
    if (pointerType !== 'touch' && (movementX !== 0 || movementY !== 0)) activate();
  };
  const unpoint = () => {
    // On the way to a menu of the row, the row stays.
    if (active.value === row.current && !document.querySelector('.popover')) active.value = focusedRow();
  };
  const classes = [
    'message',
    isGrouped && 'grouped',
    isDeleted && 'deleted',
    isBeingDeleted && 'leaving',
    isMentioned && 'mentions-me',
  ];
  const date = sentAt(message);
  const author = authorOf(message);
  const of = { user: message.user.$oid, person: author };
  return (
    <li
      ref={row}
      class={classes.filter(Boolean).join(' ')}
      data-seq={message.seq}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: one moves between messages with the keyboard
      tabIndex={0}
      onPointerMove={point}
      onPointerLeave={unpoint}
      onFocusIn={activate}
      onFocusOut={leave}
      onKeyDown={(event) => onKey(event, message, isInThread)}
    >
      {isGrouped ? (
        <time class="margin-time" dir="auto" dateTime={message.created_at.$date} title={fullOf(date)}>
          {clockOf(date)}
        </time>
      ) : (
        <PersonButton {...of} isHidden>
          <Avatar person={author} id={message.user.$oid} />
        </PersonButton>
      )}
      <div class="body">
        {message.thread && !isInThread && !isGrouped && <InThread message={message} />}
        {!isGrouped && (
          <p class="meta">
            <PersonButton {...of} class="author">
              <PersonName person={author} />
            </PersonButton>
            <a href={messagePath(message)} title={fullOf(date)}>
              <time dir="auto" dateTime={message.created_at.$date}>
                {timeOf(date)}
              </time>
            </a>
            {message.pinned_at && (
              <span class="pinned">
                <Icon name="pin" /> {strings.message.pinned}
              </span>
            )}
          </p>
        )}
        {isGrouped && <span class="visually-hidden">{nameOf(author)}: </span>}
        {isEditing ? (
          <Edit key={place} message={message} isInThread={isInThread} row={row} />
        ) : isDeleted ? (
          <p class="text gone">{strings.message.deleted}</p>
        ) : (
          <LongText message={message} />
        )}
        {message.files?.length > 0 && <Files files={message.files} />}
        {!isDeleted && message.reactions.length > 0 && <Reactions message={message} />}
        {message.reply_count > 0 && !isInThread && <Replies message={message} />}
        {entries
          .filter((entry) => entry.state === 'refused' || entry.reason)
          .map((entry) => (
            <EntryState key={entry.key} entry={entry} />
          ))}
      </div>
      {isActive && !isDeleted && !isEditing && <Actions message={message} isInThread={isInThread} />}
    </li>
  );
}

const Files = later<{ files: Message['files'] }>(async () => (await import('../files/files.tsx')).Files, FileBoxes);

/** Whether a text may need more lines than are shown before one asks for all, in the narrowest column. */
const mayBeLong = (text: string) => text.length > 400 || text.split('\n').length > 12;

/** A message's text. One that is too high is folded until it is asked for as a whole. */
function LongText({ message }: { message: Message }) {
  const [isWhole, setWhole] = useState(false);
  const [isHigh, setHigh] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isFolded = mayBeLong(message.text) && !isWhole;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isFolded) return undefined;
    const measure = () => setHigh(element.scrollHeight > element.clientHeight);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [message.text, isFolded]);
  const isCut = isFolded && isHigh;
  const marks = [
    message.edited_at && (
      <small key="edited" class="muted edited">
        ({strings.message.edited})
      </small>
    ),
    isSaved(idOf(message)) && (
      <small key="saved" class="muted saved" title={strings.message.saved}>
        <Icon name="save" />
        <span class="visually-hidden">{strings.message.saved}</span>
      </small>
    ),
  ].filter(Boolean);
  return (
    <>
      <div ref={box} class={isCut ? 'folded cut' : isFolded ? 'folded' : ''}>
        <Text message={message} text={message.text} end={!isCut && marks.length > 0 && marks} />
      </div>
      {isCut && marks}
      {(isCut || isWhole) && (
        <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? strings.message.showLess : strings.message.showAll}
        </button>
      )}
    </>
  );
}

/** Who has replied to a message, how often, and when last: the way to its thread. */
function Replies({ message }: { message: Message }) {
  const users = message.repliers.map(({ $oid }) => $oid);
  const key = users.join();
  useEffect(() => void findPersons(users), [key]);
  return (
    <a class="replies" href={roomPath(message.room.$oid, { thread: idOf(message) })}>
      <span class="faces">
        {users.map((id) => (
          <Avatar key={id} person={personOf(id)} id={id} />
        ))}
      </span>
      {strings.message.replies(message.reply_count)}
      {message.replied_at && (
        <time class="muted" dateTime={message.replied_at.$date}>
          {strings.message.lastReply(nearOf(new Date(message.replied_at.$date)))}
        </time>
      )}
    </a>
  );
}

function InThread({ message }: { message: Message }) {
  const id = message.thread?.$oid ?? '';
  const root = knownTimeline(message.room.$oid)?.window.value.messages.find((other) => idOf(other) === id);
  const said =
    root && !root.deleted_at ? `${nameOf(authorOf(root))}: ${summaryOf(root).slice(0, 80)}` : strings.message.inThreadOther;
  return (
    <a class="in-thread" href={roomPath(message.room.$oid, { thread: id })}>
      <Icon name="reply" /> {strings.message.inThread} <bdi>{said}</bdi>
    </a>
  );
}

function Reactions({ message }: { message: Message }) {
  const mine = idOf(me());
  const [isAsked, setAsked] = useState(false);
  const ask = () => {
    if (isAsked) return;
    setAsked(true);
    void findPersons(message.reactions.flatMap(({ users }) => users.map(({ $oid }) => $oid)));
  };
  return (
    <ul class="reactions" onPointerEnter={ask} onFocusIn={ask}>
      {message.reactions.map(({ emoji, users }) => {
        const isMine = users.some(({ $oid }) => $oid === mine);
        const others = users.map(({ $oid }) => $oid).filter((id) => id !== mine);
        const known = others.map(personOf).filter((person) => person !== undefined);
        const rest = others.length - known.length;
        const names = [
          ...(isMine ? [strings.message.you] : []),
          ...known.map(nameOf),
          ...(rest > 0 ? [strings.message.others(rest)] : []),
        ];
        const named = listOf(names);
        const label = strings.message.reacted(emoji, users.length, named, isMine);
        return (
          <li key={emoji}>
            <button
              type="button"
              class="reaction"
              aria-pressed={isMine}
              aria-label={label}
              title={named}
              onClick={() => void toggleReaction(message, emoji)}
            >
              <span aria-hidden="true">{emoji}</span> {users.length}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

type EditProps = { message: Message; isInThread: boolean; row: { current: HTMLLIElement | null } };

/** The field for another text of a message. What was typed is kept like a draft, however the page is left. */
function Edit({ message, isInThread, row }: EditProps) {
  const place = placeOfEdit(message);
  const [base] = useState(() => baseOf(place) ?? message.text);
  const at = rowOf(message, isInThread);
  const asked = editing.value?.at === at && editing.value;
  const stay = () => {
    if (!asked) editing.value = { at };
  };
  const end = () => {
    editing.value = undefined;
    row.current?.focus();
  };
  const save = async (text: string) => {
    stay();
    await editMessage(message, text, base);
    end();
    return true;
  };
  // What is typed in one row of a message is not seen in another.
  useLayoutEffect(() => {
    editors.value = new Map([...editors.value, [place, row]]);
    return () => {
      if (editors.value.get(place) === row) editors.value = new Map([...editors.value].filter(([other]) => other !== place));
    };
  }, []);
  return (
    <Editor
      room={message.room.$oid}
      label={strings.composer.editing}
      hint={strings.composer.editHint}
      initial={draftOf(place) || base}
      base={base}
      onChange={(text) => {
        stay();
        keepEdit(place, text, base);
      }}
      onSubmit={save}
      onCancel={() => {
        void discardDraft(place);
        end();
      }}
      focus={asked}
    />
  );
}

/** What the user may do with a message. */
const mayEdit = (message: Message) => message.user.$oid === idOf(me()) && message.deleted_at === null;
const isModerator = (message: Message) => ['owner', 'moderator'].includes(roomOf(message.room.$oid)?.role ?? '');
const mayDelete = (message: Message) => message.deleted_at === null && (mayEdit(message) || isModerator(message));

function Actions({ message, isInThread }: { message: Message; isInThread: boolean }) {
  return (
    <div class="actions" role="toolbar" aria-label={strings.message.actions}>
      {quickEmoji().map((emoji) => (
        <button
          key={emoji}
          type="button"
          class="quick"
          aria-label={strings.message.reactWith(emoji)}
          title={strings.message.reactWith(emoji)}
          onClick={() => void toggleReaction(message, emoji)}
        >
          {emoji}
        </button>
      ))}
      <IconButton icon="react" label={strings.message.react} onPress={() => void react(message)} />
      {!isInThread && <IconButton icon="reply" label={strings.message.reply} onPress={() => reply(message)} />}
      {mayEdit(message) && <IconButton icon="edit" label={strings.message.edit} onPress={() => edit(message, isInThread)} />}
      <MenuButton label={strings.message.more} items={() => moreOf(message, isInThread)} />
    </div>
  );
}

/** The menu of a message: what is needed less often, or everything on a touch screen. */
function moreOf(message: Message, isInThread: boolean): MenuItem[] {
  const { message: words } = strings;
  const isPinned = message.pinned_at !== null;
  return [
    ...(isTouched() ? touchedOf(message, isInThread) : []),
    { label: words.copyLink, icon: 'link', act: () => copyLink(message) },
    isSaved(idOf(message))
      ? { label: words.unsave, icon: 'unsave', act: () => attempt(() => toggleSaved(message)) }
      : { label: words.save, icon: 'save', act: () => attempt(() => toggleSaved(message)) },
    { label: words.remind, icon: 'bell', act: () => remindMe(message) },
    ...(aboutRoom(message.room.$oid).details?.archived_at
      ? []
      : [{ label: words.quote, icon: 'quote' as const, act: () => quote(message, isInThread) }]),
    { label: words.forward, icon: 'forward', act: () => forward(message) },
    ...(isInThread ? [] : [{ label: words.unread, icon: 'unread' as const, act: () => unread(message) }]),
    ...(isModerator(message)
      ? [
          {
            label: isPinned ? words.unpin : words.pin,
            icon: isPinned ? ('unpin' as const) : ('pin' as const),
            act: () => togglePin(message),
          },
        ]
      : []),
    ...(mayDelete(message)
      ? [{ label: words.remove, icon: 'remove' as const, act: () => remove(message), isDangerous: true }]
      : []),
  ];
}

/** What stands beside the menu where there is a mouse; and the text, which a finger that presses long does not select. */
const touchedOf = (message: Message, isInThread: boolean): MenuItem[] => [
  ...quickEmoji().map((emoji) => ({
    label: strings.message.reactWith(emoji),
    emoji,
    act: () => toggleReaction(message, emoji),
  })),
  { label: strings.message.react, icon: 'react', act: () => react(message) },
  ...(isInThread ? [] : [{ label: strings.message.reply, icon: 'reply' as const, act: () => reply(message) }]),
  ...(mayEdit(message) ? [{ label: strings.message.edit, icon: 'edit' as const, act: () => edit(message, isInThread) }] : []),
  { label: strings.message.copyText, icon: 'copy', act: () => copyText(message) },
];

const loadEmojiPicker = lateCode(() => import('../text/emoji-picker.tsx'));

/** Opens the list of emoji. */
export async function pickEmoji(onPick: (emoji: string) => void): Promise<void> {
  const { openEmojiPicker } = await loadEmojiPicker();
  openEmojiPicker(onPick);
}

const loadQuotes = lateCode(() => import('./quote.tsx'));
const quote = async (message: Message, isInThread: boolean) => (await loadQuotes()).quote(message, isInThread);
const loadReminder = lateCode(() => import('./reminder.tsx'));
const remindMe = async (message: Message) => (await loadReminder()).openReminder(message);
const forward = async (message: Message) => (await loadQuotes()).forward(message);

const react = (message: Message) => pickEmoji((emoji) => void toggleReaction(message, emoji));

/** The thread that a reply to a message belongs to: a reply's own one. */
const reply = (message: Message) => go(roomPath(message.room.$oid, { thread: message.thread?.$oid ?? idOf(message) }));

/** Opens the field for another text of a message, or goes to it. */
export const edit = (message: Message, isInThread: boolean): void => {
  editing.value = { at: rowOf(message, isInThread) };
};

async function remove(message: Message): Promise<void> {
  if (await confirmed(strings.message.removeAsk, strings.message.remove)) await deleteMessage(message);
}

async function copyLink(message: Message): Promise<void> {
  const address = `${location.origin}${messagePath(message)}`;
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(address);
    notice(strings.message.copied);
  } else go(messagePath(message));
}

async function copyText({ text }: Message): Promise<void> {
  if (!navigator.clipboard) return openMessage(strings.message.copyText, text);
  await navigator.clipboard.writeText(text);
  notice(strings.message.textCopied);
}

async function unread(message: Message): Promise<void> {
  if (await attempt(() => markUnreadFrom(message))) notice(strings.message.isUnread);
}

function onKey(event: KeyboardEvent, message: Message, isInThread: boolean): void {
  const isHere = event.target instanceof HTMLElement && event.target.matches('li[data-seq]');
  if (!isHere || event.ctrlKey || event.metaKey || event.altKey || message.deleted_at) return;
  const act = {
    e: () => mayEdit(message) && edit(message, isInThread),
    r: () => reply(message),
    p: () => isModerator(message) && void togglePin(message),
    u: () => void unread(message),
    '+': () => void react(message),
    Delete: () => mayDelete(message) && void remove(message),
  }[shortcutKey(event)];
  if (!act) return;
  event.preventDefault();
  act();
}
