import { effect, untracked } from '@preact/signals';
import { logOut as endSession, forget, session } from '../account/session.ts';
import { go, route } from '../device/routes.ts';
import { closeTabs, listenToTabs, type TabMessage, tell } from '../device/tabs.ts';
import { openCache, trimCache, wipeCache } from '../store/cache.ts';
import type { MyRoom } from '../store/kept.ts';
import { dropMembers } from '../store/people/members.ts';
import { resetPresence } from '../store/people/presence.ts';
import { isListed, resetHidden } from '../store/rooms/hidden.ts';
import { firstRoomPath, rememberRoom } from '../store/rooms/last-room.ts';
import { confirmMarker, loadRooms, moveMarker, resetRooms } from '../store/rooms/rooms.ts';
import { resetSaved } from '../store/saved.ts';
import { intentOf } from '../store/scroll-intent.ts';
import { applyToThreads, resetThreads } from '../store/threads/thread.ts';
import { dropTimeline, knownTimeline, timelineOf } from '../store/timelines.ts';
import { dropSentDraft, loadDrafts, saveDrafts } from '../store/unsent/drafts.ts';
import { loadOutbox, outbox } from '../store/unsent/outbox.ts';
import { resetTrays } from '../store/unsent/tray.ts';
import { sendFor, sendOutbox, stopSending } from './sender.ts';
import { sync } from './sync.ts';

let current: string | undefined;

/**
 * Begins and ends with the session what belongs to it: the store, the outbox, the sync. Resolves
 * when the page has what this browser keeps for the account that is remembered.
 */
export function followSession(): Promise<void> {
  let entering = Promise.resolve();
  effect(() => {
    const { value } = session;
    // Untracked: what these read must not run this effect, which would start the sync again.
    untracked(() => {
      if (value.state === 'in') entering = enterAccount(value.user._id.$oid);
      else if (value.state === 'expired') pause();
      else if (value.state === 'out') leaveAccount();
    });
  });
  effect(() => {
    const { value: now } = session;
    if (now.state === 'in' && route.value.name === 'room') rememberRoom(now.user._id.$oid, route.value.room);
  });
  addEventListener('unhandledrejection', overlookAborted);
  addEventListener('pagehide', saveDrafts);
  document.addEventListener('visibilitychange', saveDrafts);
  return entering;
}

/**
 * Signs out here and on the service, and deletes everything that this browser stored. Callers
 * handle unsent content first.
 */
export async function signOut(): Promise<void> {
  const user = current;
  await endSession();
  tell({ type: 'logged-out' });
  if (user !== undefined) await wipeCache(user);
}

/** Discards an account whose session has ended, with its unsent content. */
export async function abandonAccount(): Promise<void> {
  const { value } = session;
  if (value.state === 'expired') await wipeCache(value.user._id.$oid);
  forget();
}

// How a request to the database reports that its transaction has failed; the last one if all data
// is deleted.
const endings = ['AbortError', 'QuotaExceededError', 'UnknownError'];

function overlookAborted(event: PromiseRejectionEvent): void {
  const isAborted = event.reason instanceof DOMException && endings.includes(event.reason.name);
  if (isAborted) event.preventDefault();
}

async function enterAccount(user: string): Promise<void> {
  if (current !== user) {
    leaveAccount();
    current = user;
    await openCache(user);
    listenToTabs(user, handleMessage);
    await Promise.all([loadOutbox(), loadDrafts(user)]);
    // The rooms last: views appear with them.
    await loadRooms(openFirst);
    if (current !== user) return;
  }
  sendFor(user);
  sync.start();
  void sendOutbox();
  void trimCache();
  navigator.storage?.persist?.().catch(() => {});
}

/**
 * Opens the addressed room before anything is drawn, so that its stored messages are in the first
 * drawing. Without a room in the address, it opens the last one.
 */
async function openFirst(kept: readonly MyRoom[]): Promise<void> {
  const first = current !== undefined && isHome() ? firstRoomPath(current, kept.filter(isListed)) : undefined;
  if (first !== undefined) go(first, { replace: true });
  const { value } = route;
  const mine = value.name === 'room' && value.seq === undefined ? kept.find(({ id }) => id === value.room) : undefined;
  if (mine) await intentOf(timelineOf(mine.id)).openFirst(mine.lastRead, mine.seq);
}

const isHome = () => route.value.name === 'home' && location.pathname === '/';

function pause(): void {
  sync.stop();
  stopSending();
}

function leaveAccount(): void {
  pause();
  closeTabs();
  current = undefined;
  outbox.value = [];
  resetRooms();
  resetPresence();
  dropTimeline();
  dropMembers();
  resetHidden();
  resetSaved();
  resetTrays();
  resetThreads();
}

function handleMessage(told: TabMessage): void {
  if (told.type === 'outbox') void loadOutbox();
  else if (told.type === 'rooms') void loadRooms().then(() => sync.wake());
  else if (told.type === 'logged-out') forget();
  else if (told.type === 'draft-sent') dropSentDraft(told);
  else if (told.type === 'read') {
    moveMarker(told.room, told.seq);
    confirmMarker(told.room, told.seq);
  } else {
    knownTimeline(told.message.room.$oid)?.apply({ messages: [told.message] });
    applyToThreads([told.message]);
  }
}
