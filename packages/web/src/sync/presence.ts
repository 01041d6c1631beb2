import type { Connection } from 'chat-service-client/connection';
import { countSoon } from '../notify/noticed.ts';
import type { ServerFrame } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { learnPersons, learnStatuses } from '../store/people/names.ts';
import { isPresenceTold, learnPresence, resetPresence, shownPeople } from '../store/people/presence.ts';
import { rooms } from '../store/rooms/rooms.ts';
import { dueReminders, isSaved, noteSaved, savedLast } from '../store/saved.ts';

/** How many people can be watched. */
const most = 100;

/** How long the people on the screen must stay the same before they are watched. */
const restMs = 500;

/**
 * How long presence stays valid without a connection. Usually, a new connection is open by then.
 */
const patienceMs = 20_000;

/**
 * If the user was inactive for longer, a new connection does not report activity; in milliseconds.
 */
const recentlyMs = 60_000;

let forgetting: ReturnType<typeof setTimeout> | undefined;

function forgetSoon(): void {
  clearTimeout(forgetting);
  forgetting = setTimeout(resetPresence, patienceMs);
}

/**
 * Watches the presence and the names of the people on the screen, and reports the user's own
 * activity. Calls `readRooms` when the name of a conversation changes. Returns a function that
 * stops it.
 */
export function followPresence(connection: Connection, readRooms: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let watched: readonly string[] = [];
  let pause: ReturnType<typeof setTimeout> | undefined;
  // Somebody has opened this page.
  let actedAt = performance.now();

  const watch = () => {
    const shown = shownPeople.value.slice(-most);
    if (shown.join() === watched.join()) return;
    for (const user of watched) if (!shown.includes(user)) learnPresence(user, undefined);
    watched = shown;
    connection.watch(shown);
  };
  const tell = () => {
    if (document.visibilityState !== 'hidden' && performance.now() - actedAt < recentlyMs) connection.active();
  };
  const act = () => {
    actedAt = performance.now();
    tell();
  };

  const stopWatching = shownPeople.subscribe(() => {
    clearTimeout(pause);
    pause = setTimeout(watch, restMs);
  });
  for (const type of ['pointerdown', 'keydown', 'wheel', 'touchmove'])
    addEventListener(type, act, { signal, passive: true, capture: true });
  document.addEventListener('visibilitychange', act, { signal });

  const leave = connection.join({
    connected: () => {
      clearTimeout(forgetting);
      tell();
      // Changes of saved messages and notifications before the connection were not pushed.
      lookAtSaved();
      countSoon();
    },
    disconnected: forgetSoon,
    heard: (frame) => {
      applyFrame(frame);
      // The service knows about that reading by now.
      if (['notifications', 'read', 'thread'].includes(frame.type)) countSoon();
      if (frame.type === 'person' && isOldName(frame)) readRooms();
    },
  });
  return () => {
    ending.abort();
    leave();
    connection.watch([]);
    stopWatching();
    clearTimeout(pause);
    forgetSoon();
  };
}

/** True if a conversation is shown with an outdated name of a person. */
const isOldName = ({ user, name }: ServerFrame & { type: 'person' }) =>
  rooms.value?.some(({ people }) => people.some((one) => one.id === user.$oid && one.name !== name));

function applyFrame(frame: ServerFrame): void {
  if (frame.type === 'hello') isPresenceTold.value = frame.presence ?? false;
  else if (frame.type === 'presence') {
    for (const { $oid } of frame.active) learnPresence($oid, 'active');
    for (const { $oid } of frame.away) learnPresence($oid, 'away');
    for (const { $oid } of frame.offline) learnPresence($oid, undefined);
  } else if (frame.type === 'person') {
    const { username, name, avatar, status } = frame;
    learnPersons([{ id: frame.user.$oid, username, name, avatar }]);
    learnStatuses([{ id: frame.user.$oid, status }]);
  } else if (frame.type === 'saved') learnSaved(frame);
}

/**
 * A message was saved or removed on some device, perhaps with a reminder. A removed message stays
 * in the list until the list is opened again.
 */
function learnSaved({ message: { $oid: id }, is_saved }: ServerFrame & { type: 'saved' }): void {
  const isKnown = isSaved(id) || dueReminders.value.some(({ message }) => idOf(message) === id);
  if (!is_saved && !isKnown) return;
  if (is_saved) noteSaved([id]);
  else noteSaved([], [id]);
  lookAtSaved();
}

let looks = 0;

/** Has the saved messages, and the reminders, read again. */
const lookAtSaved = () => {
  savedLast.value = `elsewhere ${++looks}`;
};
