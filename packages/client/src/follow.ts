import type { Calls } from './calls.ts';
import type { Connection } from './connection.ts';
import type { Member, ServerFrame } from './contract.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { type Ask, Cursors, type EventPage, type FollowedEvent, type LeftRoom, type Reset } from './cursors.ts';
import { ChatError, errorOf } from './errors.ts';
import { addNotice, isNotice, type Notice } from './notices.ts';
import { intervalOf, type PaceSettings, stateTeller } from './pace.ts';
import { nextQuery } from './pages.ts';

/** The start of a followed room, and the pace. */
export type FollowSettings = PaceSettings & {
  /** The `cursor` of the last event seen, or its `seq`. Without it, following starts now. */
  after?: string | number;
};

/**
 * The start of all followed rooms, by room id: the `cursor` of the last event seen, or its `seq`.
 */
export type LiveSettings = PaceSettings & { after?: Record<string, string | number> };

/**
 * The news of `live`: events, and rooms to read again after the service was restored. While there
 * is a connection, also typing indicators, activities of bots, texts that stream, read markers of
 * the caller's other devices, left rooms, and the presence of watched people.
 */
export type News = FollowedEvent | Reset | Notice | LeftRoom;

/** A stream of news. `wake()` sends a request immediately, if you learn of news in another way. */
export type EventStream<T = FollowedEvent | Reset> = AsyncGenerator<T, void> & { wake: () => void };

/**
 * A stream of all rooms. It can also send typing indicators, at most every 3 seconds, watch people,
 * and report that the caller is active, at most every minute.
 */
export type LiveStream = EventStream<News> & Pick<Connection, 'typing' | 'watch' | 'active'>;

type Chat = { client: Calls; connection: Connection };

/** Follows one room. Waits during temporary failures and throws other errors as `ChatError`. */
export function follow(chat: Chat, room: string, { after, ...settings }: FollowSettings = {}): EventStream {
  const places = after === undefined ? {} : { [room]: after };
  const cursors = new Cursors({ only: room, after: places, interval: intervalOf(settings.interval), spread: 0 });
  return following<FollowedEvent | Reset>(chat, cursors, settings, room);
}

/**
 * Follows all of the caller's rooms from their read markers, including rooms that the caller joins
 * later. Rooms that the caller leaves are not followed any longer.
 */
export function live(chat: Chat, { after = {}, ...settings }: LiveSettings = {}): LiveStream {
  const cursors = new Cursors({ after, interval: intervalOf(settings.interval), spread: 2_000 });
  const { typing, watch, active } = chat.connection;
  return Object.assign(following<News>(chat, cursors, settings), { typing, watch, active });
}

function following<T extends News>(
  { client, connection }: Chat,
  cursors: Cursors,
  settings: PaceSettings,
  only?: string,
): EventStream<T> {
  const { signal } = settings;
  const tell = stateTeller(settings);
  const bell = makeBell();
  const ended = new AbortController();
  let notices: Notice[] = [];
  let failure: { error: unknown } | undefined;
  const now = () => performance.now();

  const hear = (frame: ServerFrame) => {
    if (frame.type === 'room') cursors.moved({ ...frame, room: frame.room.$oid }, now());
    else if (frame.type === 'left') cursors.doubted(frame.room.$oid, now());
    else if (frame.type === 'pong') {
      for (const { room, seq } of frame.rooms) cursors.moved({ room: room.$oid, epoch: frame.epoch, seq }, now());
      if (frame.more) cursors.wake(now());
    } else if (only === undefined && isNotice(frame)) addNotice(notices, frame);
    bell.ring();
  };
  const listener = {
    connected: () => {
      cursors.connected(now());
      bell.ring();
    },
    disconnected: () => {
      cursors.disconnected(now());
      bell.ring();
    },
    heard: hear,
  };

  async function perform(ask: Ask): Promise<void> {
    const isAnswered = await (ask.kind === 'rooms' ? readRooms(ask.since) : readOn(ask)).catch((error) => {
      if (!isReplaced(error)) throw error;
      if (!ended.signal.aborted) cursors.replaced(ask, now());
      return true;
    });
    if (ended.signal.aborted) return;
    if (isAnswered) tell.live();
    else tell.waiting(cursors.failed(ask, now()));
  }

  async function readRooms(since: string | undefined): Promise<boolean> {
    try {
      const moved = await fetchMoved(client, since, ended.signal);
      if (moved) cursors.listed(moved.members.map(asListed), moved.since, now());
      return moved !== undefined;
    } catch (error) {
      // A token that may only read messages can still follow a room whose id it gets.
      if (only === undefined || !(error instanceof ChatError) || error.status !== 403) throw error;
      cursors.listed([], undefined, now());
      return true;
    }
  }

  async function readOn({ room, after, epoch }: Ask & { kind: 'events' }): Promise<boolean> {
    try {
      const cursor = after === undefined ? undefined : writeCursor({ epoch, at: after });
      const page = await fetchEvents(client, room, cursor, ended.signal);
      if (page) cursors.read(room, after, page, now());
      return page !== undefined;
    } catch (error) {
      const isLeft = error instanceof ChatError && (error.status === 403 || error.status === 404);
      if (only !== undefined || !isLeft) throw error;
      cursors.lost(room, now());
      return true;
    }
  }

  async function* iterate(): AsyncGenerator<T, void> {
    const leave = connection.join(listener);
    signal?.addEventListener('abort', bell.ring);
    let asking: Promise<void> | undefined;
    try {
      while (!signal?.aborted) {
        const news = [...cursors.take(), ...notices];
        notices = [];
        for (const one of news) yield one as T;
        if (failure) throw failure.error;
        if (news.length > 0) continue;
        const ask = asking ? undefined : cursors.next(now());
        if (ask)
          asking = perform(ask)
            .catch((error) => {
              failure = { error };
            })
            .finally(() => {
              asking = undefined;
              bell.ring();
            });
        await bell.rung(asking ? Number.POSITIVE_INFINITY : cursors.due - now());
      }
    } finally {
      ended.abort();
      signal?.removeEventListener('abort', bell.ring);
      leave();
    }
  }

  const wake = () => {
    cursors.wake(now());
    connection.check();
    bell.ring();
  };
  return Object.assign(iterate(), { wake });
}

/** A bell to wait for: until it rings or has rung since the last wait, or for some milliseconds. */
function makeBell() {
  let hasRung = false;
  let wake = () => {};
  return {
    ring: (): void => {
      hasRung = true;
      wake();
    },
    rung: async (milliseconds: number): Promise<void> => {
      if (!hasRung && milliseconds > 0)
        await new Promise<void>((resolve) => {
          const timer = milliseconds < longestTimer ? setTimeout(resolve, milliseconds) : undefined;
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      hasRung = false;
    },
  };
}

const longestTimer = 2 ** 31;

const asListed = ({ room, seq = 0, last_read = 0 }: Member) => ({ room: room.$oid, seq, lastRead: last_read });

/** One page of events; undefined if the service is temporarily unavailable. */
async function fetchEvents(
  client: Calls,
  room: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<EventPage | undefined> {
  const query = { room, limit: 500, ...(after !== undefined && { after }) };
  const answer = await client.GET('/api/events', { params: { query }, signal }).catch(() => undefined);
  if (!answer || isTemporary(answer.response)) return undefined;
  if (!answer.data) throw errorOf(answer.response, answer.error);
  const { epoch, at } = readCursor(answer.response.headers.get('X-Next-Cursor') ?? '');
  return { events: answer.data, next: Number(at), epoch };
}

/**
 * The caller's memberships of rooms that changed, and the `since` of the next request; undefined if
 * the service is unavailable.
 */
async function fetchMoved(client: Calls, since: string | undefined, signal: AbortSignal) {
  const members: Member[] = [];
  let next: string | undefined;
  let query: Record<string, unknown> | undefined = { user: 'me', limit: 200, ...(since && { since }) };
  while (query) {
    const answer: MembersAnswer | undefined = await client
      .GET('/api/members', { params: { query }, signal })
      .catch(() => undefined);
    if (!answer || isTemporary(answer.response)) return undefined;
    if (!answer.data) throw errorOf(answer.response, answer.error);
    members.push(...answer.data);
    next ??= answer.response.headers.get('X-Next-Cursor') ?? undefined;
    query = nextQuery(answer.response);
  }
  return { members, since: next };
}

type MembersAnswer = { data?: Member[]; error?: unknown; response: Response };

const isReplaced = (error: unknown) => error instanceof ChatError && error.code === 'history_replaced';

const isTemporary = ({ status }: Response) => status >= 500 || status === 429;
