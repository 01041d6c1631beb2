import { effect } from '@preact/signals';
import { beginningOf } from 'chat-service-rules/shortened';
import { me } from '../account/session.ts';
import { announce, notice } from '../device/announcer.tsx';
import { go, messagePath, roomPath, route } from '../device/routes.ts';
import { recall, remember } from '../device/storage.ts';
import { isLookedAtElsewhere } from '../device/tabs.ts';
import { strings } from '../i18n/strings.ts';
import { pushStrings } from '../i18n/strings-push.ts';
import { ask, chat, type Event, type Message, type Thread } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { settings } from '../service/settings.ts';
import { connection } from '../store/connection.ts';
import type { MyRoom } from '../store/kept.ts';
import { nameOf } from '../store/people/names.ts';
import { roomOf, rooms } from '../store/rooms/rooms.ts';
import { outbox } from '../store/unsent/outbox.ts';
import { safeName } from '../text/names.ts';
import { summaryOf } from '../text/plain.ts';
import { startCounting } from './noticed.ts';
import { closeNotifications, isPushed, subscribe, unsubscribe } from './push.ts';
import { startReminding } from './reminders.ts';

const key = 'chat-notify';
const policyKey = 'chat-notify-of';

/** The events that notify the user: mentions and direct conversations, or all messages. */
export type NotifyPolicy = 'mine' | 'all';

/** Notifications of this browser: supported, blocked, and turned on. */
export const notifications = {
  exist: 'Notification' in window && window.isSecureContext,
  areBlocked: () => 'Notification' in window && Notification.permission === 'denied',
  areOn: () => recall(key) === 'on' && 'Notification' in window && Notification.permission === 'granted',
  policy: (): NotifyPolicy => (recall(policyKey) === 'all' ? 'all' : 'mine'),
};

/**
 * Turns notifications on, which asks the user once, or off; returns true if they are on. Throws a
 * `Failure` if this device can only be notified while the page is open.
 */
export async function setNotifications(on: boolean): Promise<boolean> {
  remember(key, on ? 'on' : 'off');
  if (on && Notification.permission === 'default') await Notification.requestPermission();
  if (notifications.areOn()) await subscribe(notifications.policy());
  else await unsubscribe();
  return notifications.areOn();
}

/** Chooses the events that notify the user. */
export async function setPolicy(policy: NotifyPolicy): Promise<void> {
  remember(policyKey, policy);
  await subscribe(policy);
}

/**
 * The policy of a room. The room's own setting overrides that of the device, and a direct
 * conversation notifies of all messages.
 */
const wanted = ({ notifyOf, isDirect }: MyRoom) => notifyOf ?? (isDirect ? 'all' : notifications.policy());

/** The end of the user's pause of notifications, if it is in the future. */
export function quietUntil(): Date | undefined {
  const { quiet_until: end } = me();
  return end && Date.parse(end.$date) > Date.now() ? new Date(end.$date) : undefined;
}

/** True during the user's quiet hours. */
async function isQuietHour(): Promise<boolean> {
  const { quiet_hours: hours } = me();
  return hours !== undefined && (await import('chat-service-rules/quiet-hours')).isWithinHours(hours, new Date());
}

/** Announces news since the rooms were as `known`, as notifications and to screen readers. */
export function startNotifying(known: readonly MyRoom[]): void {
  let refused = 0;
  effect(() => {
    const now = outbox.value.filter(({ state }) => state === 'refused').length;
    if (now > refused) announce(strings.announce.refused);
    refused = now;
  });

  let wasOnline = true;
  effect(() => {
    const isOnline = connection.value === 'online';
    if (isOnline && !wasOnline) announce(strings.announce.online);
    wasOnline = isOnline;
  });

  // The session may be another one, and the service may have another key.
  if (notifications.areOn()) subscribe(notifications.policy()).catch(() => {});
  startCounting();

  startReminding((message) => tellOfReminder(message as Message));

  let before: readonly MyRoom[] | undefined = known;
  effect(() => {
    const now = rooms.value;
    for (const room of now ?? []) {
      const known = before?.find(({ id }) => id === room.id);
      // A room may have news and be read before this code is loaded.
      if (room.unread === 0 && (known?.unread !== 0 || room.lastRead > known.lastRead)) void closeNotifications(room.id);
      if (!known || room.isMuted) continue;
      const mentioned = room.mentions - known.mentions;
      // The service counts mentions a moment after the message. A read marker that was set back is
      // not news.
      const isLate = room.seq === known.seq && room.lastRead >= known.lastRead && mentioned > 0 && wanted(room) !== 'all';
      if (room.seq <= known.seq && !isLate) continue;
      // An edit may mention people who have read the message already.
      const count = Math.max(room.unread - known.unread, mentioned);
      const streamed = begun.get(room.id) ?? 0;
      const isBeginning = count === 1 && room.unread > known.unread && streamed > known.seq && streamed <= room.seq;
      if (isBeginning) continue;
      if (count > 0 && (wanted(room) === 'all' || mentioned > 0))
        void tellOf(room, count, () => describeNews(room, count, known.seq));
      // Replies do not make a room unread: the new one may be in a thread that has unread replies
      // already.
      else if (room.threads > 0) void tellOfThread(room, (last) => room.threads > known.threads || (last?.seq ?? 0) > known.seq);
    }
    before = now;
  });
}

/** Notifies of a message whose reminder is due. */
function tellOfReminder(message: Message): void {
  const room = roomOf(message.room.$oid);
  if (!room) return;
  const { title, body } = describe(room, message);
  notice(`${pushStrings.reminder(title)}: ${body}`);
  void show(async () => ({ title: pushStrings.reminder(title), body }), `reminder ${idOf(message)}`, messagePath(message));
}

/** The place of the last message that began to stream, by room. */
const begun = new Map<string, number>();

/**
 * Notifies of messages to connected members, and of messages that have streamed: once, when they
 * are complete.
 */
export function tellOfEvents(events: readonly Event[]): void {
  for (const {
    type,
    room: { $oid },
    data,
  } of events) {
    const room = roomOf($oid);
    if (!room || !data || !('text' in data) || data.user.$oid === me()._id.$oid) continue;
    if (type === 'message.created' && data.is_streaming && data.is_in_room) begun.set($oid, data.seq);
    const isForHere = type === 'message.created' && data.mentions_all === 'here';
    // The list of rooms counts a mention.
    const isNamed = data.mentions.some((user) => user.$oid === me()._id.$oid);
    const isComplete = type === 'message.completed' && data.is_in_room && !isNamed && wanted(room) === 'all';
    if (room.isMuted) continue;
    if (isForHere || isComplete) void tellOf(room, 1, async () => describe(room, data as Message));
    // The list of rooms has counted the thread when the reply began.
    else if (type === 'message.completed' && data.thread && room.threads > 0)
      void tellOfThread(room, (last) => last?.seq === data.seq);
  }
}

/** The place of the last reply that this tab has told of, by thread. */
const toldReplies = new Map<string, number>();

/**
 * Notifies of the last reply in a followed thread, if it is news. A reply that streams is news when
 * it is complete.
 */
async function tellOfThread(room: MyRoom, isNews: (last: Message | undefined) => boolean): Promise<void> {
  const [found] = (await ask(chat.GET('/api/threads', { params: { query: { unread: 'true', limit: 1 } } })).catch(
    () => [],
  )) as Thread[];
  if (!found || found.message.room.$oid !== room.id) return;
  const thread = found.message._id.$oid;
  if (route.value.name === 'room' && route.value.thread === thread && document.hasFocus()) return;
  const query = { room: room.id, thread, limit: 1 };
  const [last] = (await ask(chat.GET('/api/messages', { params: { query } })).catch(() => [])) as Message[];
  if (last?.is_streaming || !isNews(last)) return;
  if (last) {
    if (last.seq <= (toldReplies.get(thread) ?? 0)) return;
    toldReplies.set(thread, last.seq);
  }
  announce(strings.announce.reply(safeName(room.name)), { isPatient: true });
  const body = last ? bodyOf(last) : strings.announce.reply(safeName(room.name));
  const title = last ? pushStrings.repliedIn(nameOf(last), safeName(room.name)) : settings.name;
  await show(async () => ({ title, body }), thread, roomPath(room.id, { thread }));
}

type Description = { title: string; body: string };

/** Notifies of `count` messages in a room. */
async function tellOf(room: MyRoom, count: number, describe: () => Promise<Description>): Promise<void> {
  const isOpen = route.value.name === 'room' && route.value.room === room.id && document.hasFocus();
  if (isOpen) return;
  announce(strings.announce.messages(count, safeName(room.name)), { isPatient: true });
  await show(describe, room.id, roomPath(room.id));
}

/** The tags of what this tab has shown. */
const shownTags = new Set<string>();

/** Shows a notification, which leads to `path`; a later one with the same tag replaces it. */
async function show(describe: () => Promise<Description>, tag: string, path: string): Promise<void> {
  // The service sends a push, or the user wants quiet.
  if (isPushed() || quietUntil() || (await isQuietHour())) return;
  if (document.hasFocus() || !notifications.areOn()) return;
  // A user who looks at the page in any tab needs no notification.
  if (await isLookedAtElsewhere()) return;
  const { title, body } = await describe();
  try {
    // One tab is enough. A notification with the same tag replaces that of another tab, and alerts
    // again only after one of this tab.
    const renotify = shownTags.has(tag);
    shownTags.add(tag);
    const shown = new Notification(title, { body, tag, icon: '/icon.svg', renotify } as NotificationOptions);
    shown.onclick = () => {
      window.focus();
      go(path);
      shown.close();
    };
  } catch {
    // Phones show notifications of service workers only.
  }
}

/**
 * The author and text of the last new message, or the number of messages if that cannot be read.
 */
async function describeNews(room: MyRoom, count: number, after: number): Promise<Description> {
  const name = safeName(room.name);
  const isMention = room.mentions > 0 && wanted(room) !== 'all';
  const query = { room: room.id, limit: 1, ...(isMention ? { mentions: 'me' as const } : { is_in_room: 'true' as const }) };
  const found = await ask(chat.GET('/api/messages', { params: { query } })).catch(() => undefined);
  const message = (found as Message[] | undefined)?.at(-1);
  // An edit that mentions me is at its earlier place.
  if (!message || message.deleted_at || (message.seq <= after && !isMention))
    return { title: settings.name, body: strings.announce.messages(count, name) };
  const said = describe(room, message);
  return count > 1 && !isMention ? { ...said, body: `${said.body}\n${pushStrings.more(count - 1)}` } : said;
}

/** The author and text of a message. */
const describe = (room: MyRoom, message: Message): Description => ({
  title: room.isDirect ? nameOf(message) : pushStrings.from(nameOf(message), safeName(room.name)),
  body: bodyOf(message),
});

const bodyOf = (message: Message): string => (me().hides_push_text ? pushStrings.hidden : beginningOf(summaryOf(message), 300));
