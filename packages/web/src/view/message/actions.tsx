import { signal } from '@preact/signals';
import type { Action } from 'chat-service-rules/permissions';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { lateCode } from '../../device/late-code.ts';
import { go, messagePath, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { quickEmoji } from '../../store/emoji.ts';
import { may } from '../../store/rooms/permissions.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { aboutRoom } from '../../store/rooms/topics.ts';
import { isSaved } from '../../store/saved.ts';
import { deleteMessage, markUnreadFrom, togglePin, toggleReaction, toggleSaved } from '../../sync/actions.ts';
import { pickEmoji } from '../emoji/pick.ts';
import { attempt, IconButton } from '../shared/controls.tsx';
import { copyOut } from '../shared/copy.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { leaveButton } from '../shared/focus.ts';
import { MenuButton, type MenuItem } from '../shared/menu.tsx';
import { isTouched } from '../shared/popover.tsx';

/** The row in which a message is edited, since the last request for it or the last key there. */
export const editing = signal<{ at: string } | undefined>(undefined);

/** The row of a message in a room, or in a thread. */
export const rowOf = (message: Message, isInThread: boolean) => `${idOf(message)} ${isInThread}`;

const mayInRoomOf = ({ room }: Message, action: Action): boolean => {
  const mine = roomOf(room.$oid);
  return mine !== undefined && may(mine, action);
};
const isOwn = ({ user }: Message) => user.$oid === idOf(me());
// The text of an approval is final after the first answer.
const isFinal = (message: Message) => Boolean(message.is_approval && message.presses?.length);
const mayEdit = (message: Message) =>
  message.deleted_at === null && isOwn(message) && !isFinal(message) && mayInRoomOf(message, 'edit');
const mayDelete = (message: Message) =>
  message.deleted_at === null && mayInRoomOf(message, isOwn(message) ? 'deleteOwnMessage' : 'deleteMessage');

export function Actions({ message, isInThread }: { message: Message; isInThread: boolean }) {
  return (
    <div class="actions" role="toolbar" aria-label={strings.message.actions}>
      {quickEmoji().map((emoji) => (
        <button
          key={emoji}
          type="button"
          class="quick"
          aria-label={strings.message.reactWith(emoji)}
          title={strings.message.reactWith(emoji)}
          onClick={({ currentTarget }) => {
            void toggleReaction(message, emoji);
            leaveButton(currentTarget);
          }}
        >
          {emoji}
        </button>
      ))}
      <IconButton
        icon="react"
        label={strings.message.react}
        onPress={({ currentTarget }) => void react(message, currentTarget as HTMLElement)}
      />
      {!isInThread && <IconButton icon="reply" label={strings.message.reply} onPress={() => reply(message)} />}
      {mayEdit(message) && <IconButton icon="edit" label={strings.message.edit} onPress={() => edit(message, isInThread)} />}
      <MenuButton label={strings.message.more} items={() => moreOf(message, isInThread)} />
    </div>
  );
}

/** The menu of a message: all its actions, with their keys. */
function moreOf(message: Message, isInThread: boolean): MenuItem[] {
  const { message: words } = strings;
  const isPinned = message.pinned_at !== null;
  const isArchived = aboutRoom(message.room.$oid).details?.archived_at;
  const items: (MenuItem | false | undefined)[] = [
    ...(isTouched() ? quickOf(message) : []),
    { label: words.react, icon: 'react', key: '+', act: (opener) => react(message, opener) },
    !isInThread && { label: words.reply, icon: 'reply', key: 'R', act: () => reply(message) },
    mayEdit(message) && { label: words.edit, icon: 'edit', key: 'E', act: () => edit(message, isInThread) },
    { label: words.copyText, icon: 'copy', act: () => copyText(message) },
    { label: words.copyLink, icon: 'link', act: () => copyLink(message) },
    isSaved(idOf(message))
      ? { label: words.unsave, icon: 'unsave', act: () => attempt(() => toggleSaved(message)) }
      : { label: words.save, icon: 'save', act: () => attempt(() => toggleSaved(message)) },
    { label: words.remind, icon: 'bell', act: () => remindMe(message) },
    !isArchived && { label: words.quote, icon: 'quote', act: () => quote(message, isInThread) },
    { label: words.forward, icon: 'forward', act: () => forward(message) },
    !isInThread && { label: words.unread, icon: 'unread', key: 'U', act: () => unread(message) },
    mayInRoomOf(message, 'pin') && {
      label: isPinned ? words.unpin : words.pin,
      icon: isPinned ? 'unpin' : 'pin',
      key: 'P',
      act: () => togglePin(message),
    },
    mayDelete(message) && {
      label: words.remove,
      icon: 'remove',
      key: 'Delete',
      act: () => remove(message),
      isDangerous: true,
    },
  ];
  return items.filter((item) => item !== false && item !== undefined);
}

/** The emoji beside the menu, for mouse users. */
const quickOf = (message: Message): MenuItem[] =>
  quickEmoji().map((emoji) => ({
    label: strings.message.reactWith(emoji),
    emoji,
    act: () => toggleReaction(message, emoji),
  }));

const loadQuotes = lateCode(() => import('./quote.tsx'));
const quote = async (message: Message, isInThread: boolean) => (await loadQuotes()).quote(message, isInThread);
const loadReminder = lateCode(() => import('./reminder.tsx'));
const remindMe = async (message: Message) => (await loadReminder()).openReminder(message);
const forward = async (message: Message) => (await loadQuotes()).forward(message);

export const react = (message: Message, opener: HTMLElement) => pickEmoji(opener, (emoji) => void toggleReaction(message, emoji));

/** Replies to a message in its thread; for a reply, in its own thread. */
const reply = (message: Message) => go(roomPath(message.room.$oid, { thread: message.thread?.$oid ?? idOf(message) }));

/** Opens or focuses the editor of a message. */
export const edit = (message: Message, isInThread: boolean): void => {
  editing.value = { at: rowOf(message, isInThread) };
};

async function remove(message: Message): Promise<void> {
  if (await confirmed(strings.message.removeAsk, strings.message.remove, { isDangerous: true })) await deleteMessage(message);
}

async function copyLink(message: Message): Promise<void> {
  await copyOut(`${location.origin}${messagePath(message)}`, strings.message.copied);
}

async function copyText({ text }: Message): Promise<void> {
  await copyOut(text, strings.message.textCopied);
}

async function unread(message: Message): Promise<void> {
  if (await attempt(() => markUnreadFrom(message))) notice(strings.message.isUnread);
}
