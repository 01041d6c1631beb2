import { computed, signal, useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { messagePath } from '../../device/routes.ts';
import { clockOf, fullOf, sentAt, timeOf } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { authorOf, nameOf, type Person } from '../../store/people/names.ts';
import { drafted, placeOfEdit } from '../../store/unsent/drafts.ts';
import { changesOf, withChanges } from '../../store/unsent/pending.ts';
import { editors } from '../../store/unsent/waiting.ts';
import { safeName } from '../../text/names.ts';
import { FileBoxes } from '../files/file-boxes.tsx';
import { Avatar } from '../people/avatar.tsx';
import { PersonButton } from '../people/person.tsx';
import { Boundary } from '../shared/boundary.tsx';
import { PersonName } from '../shared/controls.tsx';
import { later } from '../shared/later.tsx';
import { Actions, editing, rowOf } from './actions.tsx';
import { Edit, savedEdits } from './edit.tsx';
import { LongText } from './long-text.tsx';
import { InThread, Pinned, QuestionBox, Reactions, Replies } from './parts.tsx';
import { EntryState } from './pending.tsx';

/** The row whose actions are shown: only one at a time, the last pointed at or focused. */
const active = signal<Element | null>(null);

const focusedRow = () => document.activeElement?.closest('li.message') ?? null;

type RowProps = { message: Message; isGrouped?: boolean; isInThread?: boolean; isNew?: boolean };

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

/**
 * A row shows its actions while it is focused or pointed at. Letters alone do nothing: Enter opens
 * the menu, where letters choose actions.
 */
function Row({ message: stored, isGrouped = false, isInThread = false, isNew = false }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  const isActive = useComputed(() => active.value !== null && active.value === row.current).value;
  const mine = idOf(me());
  const entries = changesOf(idOf(stored));
  const message = withChanges(stored, entries, mine);
  const isBeingDeleted = entries.some(({ kind, state }) => kind === 'delete' && state === 'waiting');
  const isDeleted = message.deleted_at !== null;
  const isForAll = message.mentions_all !== null && message.user.$oid !== mine;
  const isMentioned = isForAll || message.mentions.some(({ $oid }) => $oid === mine);
  // Also for a deleted message: the typed text belongs to its author.
  const place = placeOfEdit(stored);
  const editTurn = useMemo(
    () =>
      computed(() => {
        const isOpen =
          editing.value?.at === rowOf(stored, isInThread) ||
          (drafted.value.has(place) && [undefined, row].includes(editors.value.get(place) as typeof row | undefined));
        return isOpen ? 1 + (savedEdits.value.get(place) ?? 0) : 0;
      }),
    [place],
  ).value;
  const isEditing = editTurn > 0;
  const leave = (event: FocusEvent) => {
    const next = event.relatedTarget as Element | null;
    // A dialog or a menu returns the focus.
    if (!row.current?.contains(next) && !next?.closest('dialog, .popover') && active.value === row.current) active.value = null;
  };
  const activate = () => {
    active.value = row.current;
  };
  // Touch does not point: it scrolls, and a tapped element gets the focus. A mouse that rests while
  // rows scroll under it does not point either.
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
    isNew && 'new',
  ];
  const date = sentAt(message);
  const author = shownAuthor(message);
  const rowId = `${isInThread ? 'reply' : 'message'}-${idOf(stored)}`;
  const of = { user: message.user.$oid, person: author };
  return (
    <li
      ref={row}
      class={classes.filter(Boolean).join(' ')}
      data-seq={message.seq}
      // One of the list is the tab stop: roving.tsx.
      tabIndex={-1}
      aria-labelledby={isEditing ? undefined : `${rowId}-by ${rowId}-text`}
      onPointerMove={point}
      onPointerLeave={unpoint}
      onFocusIn={activate}
      onFocusOut={leave}
      onKeyDown={openMenu}
    >
      {isGrouped ? (
        <time class="margin-time" dir="auto" dateTime={message.created_at.$date} title={fullOf(date)}>
          {clockOf(date)}
        </time>
      ) : (
        <PersonButton {...of} isHidden>
          <Avatar person={author} id={message.user.$oid} icon={message.display?.icon} />
        </PersonButton>
      )}
      <div class="body">
        {message.thread && !isInThread && !isGrouped && <InThread message={message} />}
        {!isGrouped && (
          <p class="meta" id={`${rowId}-by`}>
            <PersonButton {...of} class="author">
              <PersonName person={author} />
            </PersonButton>
            {message.via && <small class="muted via">{strings.message.via(message.via)}</small>}
            {message.display?.name && <small class="muted via">{strings.message.via(nameOf(authorOf(message)))}</small>}
            <a href={messagePath(message)} title={fullOf(date)}>
              <time dir="auto" dateTime={message.created_at.$date}>
                {timeOf(date)}
              </time>
            </a>
            {message.pinned_at && <Pinned />}
          </p>
        )}
        {isGrouped && (
          <span class="visually-hidden" id={`${rowId}-by`}>
            {nameOf(author)}:{' '}
          </span>
        )}
        {isGrouped && message.pinned_at && <Pinned />}
        {isEditing ? (
          <Edit key={`${place} ${editTurn}`} message={message} isInThread={isInThread} row={row} />
        ) : isDeleted ? (
          <p class="text gone" id={`${rowId}-text`}>
            {strings.message.deleted}
          </p>
        ) : (
          <LongText message={message} id={`${rowId}-text`} />
        )}
        {message.actions && !isDeleted && <Question message={message} />}
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

const Question = later<{ message: Message }>(async () => (await import('./question.tsx')).Question, QuestionBox);

/** The author of a message, with the name that a program chose for it. */
const shownAuthor = (message: Message): Person => {
  const author = authorOf(message);
  return message.display?.name ? { ...author, name: safeName(message.display.name) } : author;
};

/**
 * Enter on a message opens the menu of what can be done with it, as do the keys that a keyboard has
 * for menus.
 */
function openMenu(event: KeyboardEvent): void {
  const { target: row, key } = event;
  const isMenuKey = key === 'Enter' || key === 'ContextMenu' || (key === 'F10' && event.shiftKey);
  if (!isMenuKey || !(row instanceof HTMLElement) || !row.matches('li.message')) return;
  event.preventDefault();
  const field = row.querySelector<HTMLElement>('.editor textarea');
  if (field) field.focus();
  else row.querySelector<HTMLElement>('.actions [aria-haspopup=menu]')?.click();
}
