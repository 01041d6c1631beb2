import { signal } from '@preact/signals';
import type { Message } from 'chat-service-client';

/** A view, by its address. */
export type Route =
  | { name: 'home' | 'nowhere' | 'login' | 'signup' | 'password' | 'setup' | 'oidc' | 'authorize' | 'directory' | 'share' }
  | RoomRoute
  | { name: 'settings' | 'admin'; tab: string }
  | { name: 'list'; list: ListName }
  | { name: 'join'; code: string };

type RoomRoute = {
  name: 'room';
  room: string;
  seq: number | undefined;
  thread: string | undefined;
  /** The reply in the thread that the address names. */
  reply: number | undefined;
  panel: Panel | undefined;
  /** The reading place of a user who returns. */
  place?: ReadingPlace | undefined;
  /** How often the same address was asked for again. */
  turn?: number;
};

/**
 * The reading place: the end, or the message in view and its distance from the upper edge, in
 * pixels.
 */
export type ReadingPlace = 'end' | { seq: number; offset: number };

/** A list across all rooms, shown beside the open room, or in its place if none is open. */
export type ListName = 'notifications' | 'threads' | 'saved' | 'drafts';

/** A panel beside a room. */
export type Panel = 'search' | AboutTab | ListName;

/** The tabs about a room. */
export type AboutTab = 'details' | 'members' | 'pins' | 'integrations' | 'settings';

const lists: readonly string[] = ['notifications', 'threads', 'saved', 'drafts'] satisfies ListName[];
const panels: readonly string[] = [
  ...(['search', 'details', 'members', 'pins', 'integrations', 'settings'] satisfies Panel[]),
  ...lists,
];

/** The route of an address. */
function routeOf(address: string): Route {
  const { pathname, searchParams, hash } = new URL(address, 'http://localhost');
  const [first = '', second, third] = pathname.split('/').slice(1);
  const panel = searchParams.get('panel') ?? '';
  if (first === 'rooms' && second && /^[0-9a-f]{24}$/i.test(second)) {
    return {
      name: 'room',
      room: second.toLowerCase(),
      seq: placeIn(third),
      thread: searchParams.get('thread') ?? undefined,
      reply: placeIn(searchParams.get('reply')),
      panel: panels.includes(panel) ? (panel as Panel) : undefined,
    };
  }
  if (first === 'settings' || first === 'admin') return { name: first, tab: second ?? '' };
  // After `#`, so that logs and other sites never get the code.
  if (first === 'join') return { name: 'join', code: hash.slice(1) };
  const plain = (['login', 'signup', 'password', 'setup', 'oidc', 'authorize', 'directory', 'share'] as const).find(
    (name) => name === first,
  );
  if (plain) return { name: plain };
  if (pathname !== '/') return { name: 'nowhere' };
  return lists.includes(panel) ? { name: 'list', list: panel as ListName } : { name: 'home' };
}

const placeIn = (text: string | null | undefined) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined);

type RoomPlace = { seq?: number; thread?: string; reply?: number; panel?: Panel };

/** The address of a room, of a message in it, or of the panel beside it. */
export function roomPath(room: string, { seq, thread, reply, panel }: RoomPlace = {}): string {
  const query = new URLSearchParams({
    ...(thread && { thread }),
    ...(reply !== undefined && { reply: String(reply) }),
    ...(panel && { panel }),
  });
  const path = seq === undefined ? `/rooms/${room}` : `/rooms/${room}/${seq}`;
  return query.size > 0 ? `${path}?${query}` : path;
}

/** The address of a message: in its room, or in its thread if it is only there. */
export const messagePath = ({ room, seq, thread, is_in_room }: Message): string =>
  roomPath(room.$oid, is_in_room === false && thread ? { thread: thread.$oid, reply: seq } : { seq });

/**
 * The address of a list across all rooms: beside the room that is open; threads have a page of
 * their own.
 */
export function listPath(list: ListName): string {
  const { value } = route;
  return value.name === 'room' && list !== 'threads' ? roomPath(value.room, { panel: list }) : `/?panel=${list}`;
}

/** The present route. */
export const route = signal<Route>({ name: 'home' });

/** Returns the reading place, while messages are shown. */
export const reader: { findPlace: (() => ReadingPlace | undefined) | undefined } = { findPlace: undefined };

/** The reading places by entries of the browser's history, to continue there after going back. */
const places = new Map<number, ReadingPlace | undefined>();
/** The entry that is shown: each has a larger number than those before it. */
let entry = 0;

/** Returns true if the page must stay although the user goes back or forward. */
export const steps: { mustStay: (() => boolean) | undefined } = { mustStay: undefined };

const notePlace = () => places.set(entry, reader.findPlace?.());
const newEntry = () => Math.max(Date.now(), entry + 1);
const knownEntry = () => (history.state as { entry?: number } | null)?.entry;

/** Adopts the current history entry, and names it if it is new. */
function takeEntry(): void {
  const known = knownEntry();
  // Earlier versions had texts there.
  entry = known && +known ? known : newEntry();
  if (known !== entry) history.replaceState({ entry }, '');
}

/** Follows the address bar, and links to this origin's own views without loading the page again. */
export function startRouting(): void {
  const read = () => {
    const found = routeOf(location.href);
    route.value = found.name === 'room' ? { ...found, place: places.get(entry) } : found;
  };
  takeEntry();
  read();
  addEventListener('popstate', () => {
    const next = knownEntry();
    // The browser has left already, and returns step by step. Show nothing during that.
    if (next === entry) return;
    if (steps.mustStay?.()) return history.go(next && next < entry ? 1 : -1);
    notePlace();
    takeEntry();
    read();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target !== '' || link.origin !== location.origin) return;
    if (!isView(link.pathname)) return;
    event.preventDefault();
    go(`${link.pathname}${link.search}`);
  });
}

const isView = (path: string) => path === '/' || /^\/(rooms|directory|settings|admin|login|signup|password)(\/|$)/.test(path);

/** Shows another view; `replace` replaces the current history entry. */
export function go(path: string, { replace = false } = {}): void {
  const isSame = path === `${location.pathname}${location.search}`;
  if (!isSame) {
    notePlace();
    if (replace) places.delete(entry);
    else entry = newEntry();
    history[replace ? 'replaceState' : 'pushState']({ entry }, '', path);
  }
  const found = routeOf(location.href);
  const before = route.peek();
  const turn = before.name === 'room' ? (before.turn ?? 0) : 0;
  route.value = found.name === 'room' ? { ...found, turn: isSame ? turn + 1 : turn } : found;
}

/** Leaves the page of a room that is gone, if it is open. */
export function goFrom(room: string): void {
  const { value } = route;
  if (value.name === 'room' && value.room === room) go('/', { replace: true });
}
