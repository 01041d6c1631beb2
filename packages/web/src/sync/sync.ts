import type { Connection } from 'chat-service-client/connection';
import type { Ask } from 'chat-service-client/cursors';
import { route } from '../device/routes.ts';
import { tell } from '../device/tabs.ts';
import { tellOfEvents } from '../notify/news.ts';
import { giveUpOld } from '../service/ahead.ts';
import { askFully, chat, Failure, type Member, type ServerFrame } from '../service/api.ts';
import { connection, connectionFailed } from '../store/connection.ts';
import { learnEpoch } from '../store/epoch.ts';
import { dropMembers, nextOf } from '../store/people/members.ts';
import { showActivity, showTyping } from '../store/people/typing.ts';
import { askForList, changedElsewhere, dropOldMarkers, mergeRooms, rooms, sendMarkers, takeList } from '../store/rooms/rooms.ts';
import { readThreadAgain, threadChangedElsewhere } from '../store/threads/thread.ts';
import { retryAll } from '../store/unsent/outbox.ts';
import { Follower, hearChunk, openTimeline } from './follow.ts';
import { sendOutbox } from './sender.ts';

const fullListEvery = 5 * 60_000;
/** Without a push, only the full list shows reading on other devices. */
const fullListWithoutPush = 30_000;
/** The longest time until the next request is due. */
const longestRest = 60_000;
/**
 * Within this time after a connection began the whole list is read: all clients connect when a
 * service has started again.
 */
const listSpread = 3_000;
/** After this time, returning to the page loads the whole list. */
const staleAfter = 10_000;

// By a clock that nobody sets: before all its times.
const never = Number.NEGATIVE_INFINITY;

/**
 * Keeps the page up to date while somebody is signed in: the open room, the list of rooms, and the
 * read markers. Changes are pushed. Without a connection, they are polled: often while something
 * happens, and less and less often while nothing does.
 */
class Sync {
  #follower = new Follower();
  /** Ends with `stop`, and with it all that `start` began. */
  #session = new AbortController();
  #isRunning = false;
  /** The state of requests; `called` if another run was requested meanwhile. */
  #state: 'idle' | 'busy' | 'called' = 'idle';
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The state of the push connection. */
  #push: 'unused' | 'waiting' | 'connected' = 'unused';
  #connection: Connection | undefined;
  /**
   * When the reading of the whole list of rooms began, the last time, and when something last said
   * that it may be old.
   */
  #allRoomsAt = never;
  #doubtedAt = never;
  /** How many answers with a list are on their way. */
  #listing = 0;
  #relisting: ReturnType<typeof setTimeout> | undefined;

  /**
   * Does nothing while it runs: the service may just have confirmed the user who was remembered.
   */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#session = new AbortController();
    const { signal } = this.#session;
    this.#allRoomsAt = never;
    this.#follower = new Follower();
    addEventListener('online', () => this.#backOnline(), { signal });
    addEventListener('offline', goneOffline, { signal });
    addEventListener('focus', () => this.#lookedAt(), { signal });
    document.addEventListener('visibilitychange', () => this.#lookedAt(), { signal });
    // Before the subscription, which also runs: a wake after it would ask for the rooms a second
    // time.
    this.wake();
    const stopWatching = route.subscribe(({ name }) => name === 'room' && void this.run());
    signal.addEventListener('abort', stopWatching);
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      clearTimeout(this.#relisting);
    });
  }

  stop(): void {
    this.#isRunning = false;
    this.#session.abort();
    this.#push = 'unused';
  }

  /** Something happened, in a room or somewhere: asks at once, and often for a while. */
  wake(room?: string): void {
    this.#follower.wake(room);
    void this.run();
  }

  /** Reports typing to the others in a room, at most every 3 seconds. */
  tellTyping(room: string): void {
    this.#connection?.typing(room);
  }

  /**
   * Reads the list of my rooms: its first page, which has what moved, or now and then all of it.
   */
  async readRooms({ all = false } = {}): Promise<void> {
    const patience = this.#push === 'connected' ? fullListEvery : fullListWithoutPush;
    const began = performance.now();
    const request = askForList();
    const isAll = all || this.#doubtedAt >= this.#allRoomsAt || began - this.#allRoomsAt > patience;
    const list: Member[] = [];
    let since: string | undefined;
    this.#listing++;
    try {
      for (let after: string | undefined, isMore = true; isMore; isMore = isAll && after !== undefined) {
        const query = { user: 'me' as const, limit: isAll ? 200 : 20, ...(after !== undefined && { after }) };
        const { data, headers } = await askFully<Member[]>(chat.GET('/api/members', { params: { query } }));
        // The service was restored from a backup: everything is read again, from the first page.
        if (learnEpoch(headers)) return await this.#startOver();
        list.push(...data);
        since = headers.get('X-Next-Cursor') ?? undefined;
        after = nextOf(headers);
      }
    } finally {
      this.#listing--;
    }
    dropOldMarkers();
    const before = rooms.value;
    // Ignore it if a later request was answered before, or it may miss a change from here.
    const isNewest = takeList(request);
    if (isNewest) {
      mergeRooms(list, isAll || list.length < 20);
      if (isAll) this.#allRoomsAt = began;
    } else if (began > this.#allRoomsAt) {
      // The one taken may have been a first page alone.
      if (all) return this.readRooms({ all });
      this.#doubtList();
      this.wake();
    }
    const moved = list.filter(({ room, seq }) => before?.find(({ id }) => id === room.$oid)?.seq !== seq);
    if (before && moved.length > 0) tell({ type: 'rooms' });
    const positions = list.map(({ room, seq = 0 }) => ({ room: room.$oid, seq, lastRead: 0 }));
    this.#follower.cursors.listed(positions, isNewest ? since : undefined, performance.now());
  }

  /**
   * Reads everything again after a change of the epoch. The open room notices that its cursor is
   * refused.
   */
  #startOver(): Promise<void> {
    dropMembers();
    void readThreadAgain();
    this.#follower.wake(openTimeline()?.room);
    return this.readRooms({ all: true });
  }

  /** Makes the requests that are due, now and whenever one becomes due. */
  async run(): Promise<void> {
    if (this.#state !== 'idle') {
      this.#state = 'called';
      return;
    }
    try {
      do {
        this.#state = 'busy';
        await this.#pass(this.#follower, this.#session.signal);
      } while (this.#isCalled);
    } finally {
      this.#state = 'idle';
    }
    clearTimeout(this.#timer);
    const wait = this.#follower.cursors.due - performance.now();
    if (!this.#session.signal.aborted) this.#timer = setTimeout(() => void this.run(), Math.min(wait, longestRest));
  }

  get #isCalled(): boolean {
    return this.#state === 'called';
  }

  /**
   * Makes the requests that are due, then sends how far the user has read, and begins to listen for
   * pushes.
   */
  async #pass(follower: Follower, ended: AbortSignal): Promise<void> {
    let asked: Ask | undefined;
    try {
      for (let ask = follower.next(); ask && !ended.aborted; ask = follower.next()) {
        asked = ask;
        await (ask.kind === 'rooms' ? this.readRooms() : follower.readOn(ask));
      }
      if (ended.aborted) return;
      await sendMarkers();
      const timeline = openTimeline();
      if (this.#push === 'unused' && !(timeline && timeline.place.at === undefined)) void this.#listen(ended);
      if (asked && connection.value !== 'online') this.#reached();
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      const { status, isTemporary, retryAfter } = failure;
      if (status === 401) this.stop();
      else if (isTemporary) connectionFailed(status === 429);
      const pause = retryAfter && retryAfter * 1_000;
      follower.cursors.failed(asked ?? { kind: 'rooms', since: undefined }, performance.now(), pause);
    }
  }

  #reached(): void {
    connection.value = 'online';
    void retryAll().then(sendOutbox);
  }

  /** Listens for pushes, with code that is loaded after the first message was shown. */
  async #listen(ended: AbortSignal): Promise<void> {
    this.#push = 'waiting';
    try {
      const loading = [import('chat-service-client/connection'), import('./presence.ts')] as const;
      const [{ connectionOf }, { followPresence }] = await Promise.all(loading);
      this.#connection ??= connectionOf(chat, { baseUrl: '', WebSocket: globalThis.WebSocket });
      const readRooms = () => void this.readRooms({ all: true }).catch(() => {});
      if (!ended.aborted) ended.addEventListener('abort', followPresence(this.#connection, readRooms));
    } catch {
      // Without it, changes are asked for.
      if (!ended.aborted) this.#push = 'unused';
    }
    if (!this.#connection || ended.aborted) return;
    const leave = this.#connection.join({
      connected: () => this.#connected(),
      disconnected: () => {
        this.#push = 'waiting';
        this.#follower.cursors.disconnected(performance.now());
        void this.run();
      },
      heard: (frame) => this.#heard(frame),
    });
    ended.addEventListener('abort', leave);
  }

  // Changes before the connection were not pushed, such as messages and read markers from a moment
  // ago.
  #connected(): void {
    this.#push = 'connected';
    const since = performance.now();
    clearTimeout(this.#relisting);
    this.#relisting = setTimeout(() => {
      if (this.#allRoomsAt > since) return;
      this.#doubtList();
      this.wake();
    }, Math.random() * listSpread);
    this.#follower.cursors.connected(performance.now());
    this.wake();
  }

  #heard(frame: ServerFrame): void {
    if (frame.type === 'chunk') {
      hearChunk(frame);
      return;
    }
    if (frame.type === 'read') void changedElsewhere(frame);
    if (frame.type === 'thread') threadChangedElsewhere(frame);
    // Only the list knows which of two devices has moved a favourite last. A list that is on its
    // way may not have it yet.
    if (frame.type === 'thread' || (frame.type === 'read' && (this.#listing > 0 || frame.favourite_order !== undefined))) {
      this.#doubtList();
      this.wake();
    } else if (frame.type === 'typing') showTyping(frame.room.$oid, frame.user.$oid, frame.username);
    else if (frame.type === 'activity') showActivity(frame);
    else if (frame.type === 'left') this.#doubtList();
    else if (frame.type === 'room' && frame.events) tellOfEvents(frame.events);
    this.#follower.hear(frame);
    void this.run();
  }

  #lookedAt(): void {
    if (document.visibilityState === 'hidden') return;
    this.#connection?.check();
    // Earlier requests may wait for a connection that is gone.
    giveUpOld();
    if (performance.now() - this.#allRoomsAt > staleAfter) this.#doubtList();
    this.wake();
  }

  #backOnline(): void {
    this.#connection?.check();
    this.#reached();
    this.wake();
  }

  /** Makes the next request load the whole list of rooms. */
  #doubtList(): void {
    this.#doubtedAt = performance.now();
  }
}

const goneOffline = () => {
  connection.value = 'offline';
};

/** The synchronisation of the page. */
export const sync = new Sync();
