import { batch, type Signal, signal } from '@preact/signals';
import { readCursor, writeCursor } from '../../../client/src/cursor.ts';
import { newestPageSize } from '../ahead.ts';
import { askFully, chat, type Event, Failure, type Message, type RoomFrame } from '../api.ts';
import type { ReadingPlace } from '../routes.ts';
import { keepEvents, keepRoom, readRoom } from './cache.ts';
import { learnAuthors } from './names.ts';
import { type Changes, reduce } from './reduce.ts';
import { append, applyTo, emptyWindow, merge, mostInWindow, prepend, type Window } from './window.ts';

/** How many messages a page of history has, besides the newest page. */
const pageSize = 100;

/** How long the first picture waits for messages, in milliseconds: less than it takes to draw it. */
const aMoment = 60;

/** After how many milliseconds a page of history that could not be read is asked for again. */
const pauseAtEdge = 3_000;

/**
 * What is to be brought into view: the end, the line before the first unread message, a message, which is pointed at, or a message at the height
 * at which it was read before.
 */
export type Target =
  | { kind: 'end' }
  | { kind: 'line' }
  | { kind: 'message'; seq: number }
  | { kind: 'place'; seq: number; offset: number };

/** A page of history, and whether there is more in the direction in which it was read. */
type Page = { messages: Message[]; hasMore: boolean };

/** Whether the newest page has the line before the first unread message. */
const hasLine = ({ messages, hasMore }: Page, lastRead: number) => !hasMore || (messages[0]?.seq ?? 0) <= lastRead + 1;

/** Beyond so many missed places a room is read again instead of followed to the present. */
const mostMissed = 1_000;

/**
 * A room's messages as far as they are in memory, and its feed up to the present. Everything that a view shows is a signal; everything that
 * changes goes through the feed, or through a page of history that the feed corrects.
 */
export class Timeline {
  readonly room: string;
  readonly window: Signal<Window> = signal(emptyWindow);
  readonly state: Signal<'loading' | 'ready' | Failure> = signal<'loading' | 'ready' | Failure>('loading');
  /** What is being read besides what is there: older or newer messages. */
  readonly isReadingOlder = signal(false);
  readonly isReadingNewer = signal(false);
  /** How many messages came while the window stood elsewhere. */
  readonly missed = signal(0);
  /** The place up to which the user had read when the room was opened: the line "new" stands after it, and stays there while it is open. */
  readonly line = signal(Number.POSITIVE_INFINITY);
  /** Whether the end is out of view. */
  readonly isAway = signal(false);
  /** Whether the user has marked something as unread: nothing counts as read until the room is opened again, or its end is asked for. */
  readonly isKeptUnread = signal(false);
  /** What is to be brought into view by the next drawing. */
  readonly target: Signal<Target | undefined> = signal<Target | undefined>(undefined);
  /** Whether the user reads at the end, which new messages then push on. */
  isFollowing = true;
  /** Whether the user sees messages as they come, which therefore are not new. */
  isWatched = false;
  /** Up to where the feed is applied; undefined until the room was read for the first time. */
  cursor: number | undefined;
  /** The epoch in which the cursor counts; unknown of one that an earlier version of the page has kept. */
  epoch: string | undefined;

  #opening: Promise<void> | undefined;
  #catchingUp: Promise<Changes | undefined> | undefined;
  #again = false;
  /** What the feed brought while a page of history was on its way, which may be older. */
  readonly #journal = new Map<string, Message>();
  #reading = 0;
  /** The last place at which a message is known to be. */
  #newest = 0;

  constructor(room: string) {
    this.room = room;
  }

  /**
   * Shows the room at its first unread message, at the message at `seq`, or where it was read before: at once from what this browser keeps, if
   * that place is in it, and then with what happened since.
   */
  async open(lastRead: number, lastSeq: number, seq: number | undefined, place?: ReadingPlace): Promise<void> {
    this.isWatched = false;
    this.isKeptUnread.value = false;
    this.line.value = lastRead;
    await this.#openRecent(lastRead, lastSeq);
    if (place !== undefined && place !== 'end') await this.goTo(place.seq, { kind: 'place', ...place });
    else if (seq !== undefined && place === undefined) await this.goTo(seq);
    else if (this.cursor === undefined || this.state.value !== 'ready') await this.#openFresh(lastRead);
    else this.target.value = { kind: 'line' };
  }

  /**
   * Opens the room that is in the first picture: resolves when it shows what this browser keeps, or, where that is nothing, the newest messages
   * if they come within a moment, as those do that were asked for ahead.
   */
  async openFirst(lastRead: number, lastSeq: number): Promise<void> {
    await this.#openRecent(lastRead, lastSeq);
    if (this.cursor !== undefined) return;
    this.line.value = lastRead;
    void this.#openFresh(lastRead);
    let end = () => {};
    await new Promise<void>((resolve) => {
      setTimeout(resolve, aMoment);
      end = this.state.subscribe((state) => state !== 'loading' && resolve());
    });
    end();
  }

  /** Shows what this browser keeps of the room, if that goes on from where it was read. */
  async #openRecent(lastRead: number, lastSeq: number): Promise<void> {
    if (this.cursor !== undefined) return;
    // What is missing is read page by page; more than a few pages of it take longer than reading the room again.
    await this.#openKept(
      ({ messages: [first], cursor }) => first !== undefined && lastSeq - cursor <= mostMissed && first.seq <= lastRead + 1,
    );
    if (this.cursor === undefined) return;
    batch(() => {
      this.line.value = lastRead;
      this.target.value = { kind: 'line' };
    });
  }

  async #openKept(isEnough: (kept: { messages: Message[]; cursor: number }) => boolean): Promise<void> {
    const kept = await readRoom(this.room);
    if (!kept || this.cursor !== undefined || !isEnough(kept)) return;
    learnAuthors(kept.messages);
    batch(() => {
      this.cursor = kept.cursor;
      this.epoch = kept.epoch;
      this.window.value = { messages: kept.messages, isAtStart: false, isAtEnd: true };
      this.state.value = 'ready';
    });
  }

  /**
   * Reads the room for the first time: a cursor first, then messages, so that what happens between is seen twice and never not at all. Beside the
   * cursor its newest page is read and shown, for which nobody has to wait then; what it lacks the second one has.
   */
  #openFresh(lastRead: number): Promise<void> {
    this.#opening ??= this.#readFresh(lastRead).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #readFresh(lastRead: number): Promise<void> {
    // What is shown stays, also when it is a room in which nobody has said anything.
    if (this.state.value !== 'ready') this.state.value = this.window.value.messages.length > 0 ? 'ready' : 'loading';
    try {
      const [cursor, early] = await Promise.all([this.#currentCursor(), this.#showEarly(lastRead)]);
      const { messages, hasMore } = await this.#page({});
      const followsOn = early !== undefined && (!hasMore || (messages[0]?.seq ?? 0) <= early);
      batch(() => {
        this.cursor = cursor.at;
        this.epoch = cursor.epoch;
        if (followsOn) this.apply({ messages });
        else {
          this.#show(messages, { isAtStart: !hasMore, isAtEnd: true });
          this.target.value = { kind: 'line' };
        }
      });
      void keepRoom(this.room, messages, { cursor: cursor.at, epoch: cursor.epoch });
      if (!followsOn && !hasLine({ messages, hasMore }, lastRead)) await this.#showAround(lastRead, { kind: 'line' });
    } catch (failure) {
      // Without a connection, whatever is kept is better than nothing.
      if (failure instanceof Failure && failure.isTemporary) await this.#openKept(() => true);
      if (this.state.value === 'loading') this.#fail(failure);
    }
  }

  /** Shows the newest page where nothing is shown yet, if it has the line; resolves to its last place then. */
  async #showEarly(lastRead: number): Promise<number | undefined> {
    if (this.window.value.messages.length > 0) return undefined;
    const page = await this.#page({});
    if (!hasLine(page, lastRead) || this.window.value.messages.length > 0) return undefined;
    batch(() => {
      this.#show(page.messages, { isAtStart: !page.hasMore, isAtEnd: true });
      this.target.value = { kind: 'line' };
    });
    return page.messages.at(-1)?.seq ?? 0;
  }

  async #currentCursor(): Promise<{ at: number; epoch: string | undefined }> {
    const { headers } = await askFully(chat.GET('/api/events', { params: { query: { room: this.room } } }));
    return nextCursorOf(headers);
  }

  /** Finds out where the feed is, unless it is followed already. */
  async #beginFollowing(): Promise<void> {
    if (this.cursor !== undefined) return;
    const { at, epoch } = await this.#currentCursor();
    if (this.cursor !== undefined) return;
    this.cursor = at;
    this.epoch = epoch;
  }

  /** Shows the message at a place, wherever in the room it is: in one request, if it is not there already. */
  async goTo(seq: number, target: Target = { kind: 'message', seq }): Promise<void> {
    const { messages, isAtEnd } = this.window.value;
    const isInside = messages.some((message) => message.seq >= seq) && (messages[0]?.seq ?? 0) <= seq;
    if (isInside || (isAtEnd && messages.length > 0 && (messages[0]?.seq ?? 0) <= seq)) {
      this.target.value = target;
      return;
    }
    try {
      await this.#beginFollowing();
      await this.#showAround(seq, target);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  async #showAround(seq: number, target: Target): Promise<void> {
    const { messages, hasMore } = await this.#page({ around: seq });
    batch(() => {
      this.#show(messages, { isAtStart: false, isAtEnd: !hasMore });
      this.isFollowing = false;
      this.target.value = target;
    });
  }

  /** Shows the newest messages. */
  async goToEnd(): Promise<void> {
    try {
      if (!this.window.value.isAtEnd) {
        // First, as always: a room that is shown without one is never followed.
        await this.#beginFollowing();
        const { messages, hasMore } = await this.#page({});
        this.#show(messages, { isAtStart: !hasMore, isAtEnd: true });
      }
      batch(() => {
        this.missed.value = 0;
        this.isKeptUnread.value = false;
        this.isFollowing = true;
        this.target.value = { kind: 'end' };
      });
    } catch (failure) {
      this.#fail(failure);
    }
  }

  /** Puts the line before the message at a place, which is unread until the room is opened again. */
  keepUnread(seq: number): void {
    batch(() => {
      this.isKeptUnread.value = true;
      this.line.value = seq - 1;
    });
  }

  /** Reads the page before the window. */
  async readOlder(): Promise<void> {
    const { messages, isAtStart } = this.window.value;
    const before = messages[0]?.seq;
    if (before === undefined || isAtStart || this.isReadingOlder.value) return;
    this.isReadingOlder.value = true;
    try {
      const page = await this.#page({ before });
      if (this.window.value.messages[0]?.seq === before)
        this.window.value = prepend(this.window.value, page.messages, !page.hasMore);
      else this.#drawAnew();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseAtEdge));
      this.#drawAnew();
    } finally {
      this.isReadingOlder.value = false;
    }
  }

  /** Reads the page after the window. */
  async readNewer(): Promise<void> {
    const { messages, isAtEnd } = this.window.value;
    const after = messages.at(-1)?.seq;
    if (after === undefined || isAtEnd || this.isReadingNewer.value) return;
    this.isReadingNewer.value = true;
    try {
      const page = await this.#page({ after });
      if (this.window.value.messages.at(-1)?.seq !== after) return this.#drawAnew();
      batch(() => {
        this.window.value = append(this.window.value, page.messages, !page.hasMore);
        if (!page.hasMore) this.missed.value = 0;
      });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseAtEdge));
      this.#drawAnew();
    } finally {
      this.isReadingNewer.value = false;
    }
  }

  /**
   * Has the window drawn again, right after this call: a reader at its edge, who can't scroll on, asks for what comes after it with that.
   * By then the reading that calls this must be over.
   */
  #drawAnew(): void {
    this.window.value = { ...this.window.value };
  }

  /**
   * Applies what happened since the last time, and returns it; a call while one runs makes that one look again. When what happened is kept no
   * longer, or is too much, the room and everything about it is read again.
   */
  catchUp(): Promise<Changes | undefined> {
    if (this.#catchingUp) {
      this.#again = true;
      return this.#catchingUp;
    }
    this.#catchingUp = this.#follow().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  /** Applies a push, and returns it; undefined if it does not follow what is here, which then is to be caught up with. */
  take({ after, seq, events, epoch }: Pick<RoomFrame, 'after' | 'seq' | 'events' | 'epoch'>): Changes | undefined {
    const { cursor } = this;
    // A page that is on its way may be older.
    if (!events || after === undefined || cursor === undefined || after > cursor || this.#catchingUp) return undefined;
    if (epoch !== this.epoch) return undefined;
    const changes = reduce(events.filter((event) => event.seq > cursor));
    if (seq > cursor) this.apply(changes, seq);
    return changes;
  }

  async #follow(): Promise<Changes | undefined> {
    // Shown, and then the connection was lost.
    if (this.cursor === undefined) await this.#openFresh(this.line.value);
    const happened: Event[] = [];
    do {
      this.#again = false;
      for (let events: Event[] = [], isMore = true; isMore && this.cursor !== undefined; isMore = events.length > 0) {
        const page = await this.#events(this.cursor);
        if (!page) return undefined;
        events = page.events;
        if (events.length > 0 || page.next !== this.cursor) {
          happened.push(...events);
          this.epoch = page.epoch;
          this.apply(reduce(events), page.next);
        }
      }
    } while (this.#again);
    return reduce(happened);
  }

  /** A page of the feed; undefined when the room is read again instead. */
  async #events(at: number): Promise<{ events: Event[]; next: number; epoch: string | undefined } | undefined> {
    try {
      const query = { room: this.room, after: writeCursor({ epoch: this.epoch, at }), limit: 500 };
      const { data, headers } = await askFully(chat.GET('/api/events', { params: { query } }));
      // The types of openapi-fetch leave out fields that can only be null.
      const { at: next, epoch } = nextCursorOf(headers);
      return { events: data as unknown as Event[], next, epoch };
    } catch (failure) {
      if (!(failure instanceof Failure && (failure.status === 410 || failure.status === 400))) throw failure;
      // Too old a cursor, or one of a history that a backup has replaced. It goes when there is another: until then the next look tries again.
      if (failure.code === 'history_replaced') this.#forget();
      await this.#openFresh(this.line.value);
      return undefined;
    }
  }

  /** Applies changes to what is here, and keeps them with the cursor after them. */
  apply({ messages }: Pick<Changes, 'messages'>, cursor?: number): void {
    learnAuthors(messages);
    if (this.#reading > 0) for (const message of messages) this.#journal.set(message._id.$oid, message);
    const before = this.window.value.messages.at(-1)?.seq ?? 0;
    const after = applyTo(this.window.value, messages, this.isFollowing ? 'end' : 'start');
    const last = after.messages.at(-1)?.seq ?? 0;
    batch(() => {
      // Only what came after all that was seen before is news.
      if (!after.isAtEnd) this.missed.value += messages.filter(({ seq }) => seq > Math.max(before, last, this.#newest)).length;
      if (this.isWatched && this.line.value >= before) this.line.value = Math.max(this.line.value, last);
      this.window.value = after;
    });
    this.#newest = messages.reduce((newest, { seq }) => Math.max(newest, seq), Math.max(this.#newest, last));
    if (cursor !== undefined) {
      this.cursor = cursor;
      void keepEvents(this.room, messages, { cursor, epoch: this.epoch });
    }
  }

  /** What is known of places is wrong: the service was restored from a backup. What is shown stays until there is more. */
  #forget(): void {
    this.#journal.clear();
    this.#newest = 0;
    batch(() => {
      this.missed.value = 0;
      this.line.value = Number.POSITIVE_INFINITY;
    });
  }

  #show(messages: readonly Message[], ends: Omit<Window, 'messages'>): void {
    batch(() => {
      this.window.value = { messages: messages.slice(-mostInWindow), ...ends };
      this.state.value = 'ready';
    });
  }

  #fail(failure: unknown): void {
    if (this.window.value.messages.length === 0) this.state.value = failure instanceof Failure ? failure : new Failure(0, '');
  }

  /**
   * A page of history. What the feed brought while it was on its way goes before what it says, and after its end: what the feed says later is
   * still to come.
   */
  async #page(place: { before?: number; after?: number; around?: number }): Promise<Page> {
    this.#reading++;
    try {
      const limit = Object.keys(place).length === 0 ? newestPageSize : pageSize;
      const query = { room: this.room, limit, ...place };
      const { data, headers } = await askFully<Message[]>(chat.GET('/api/messages', { params: { query } }));
      learnAuthors(data);
      const hasMore = headers.has('Link');
      const messages = data.map((message) => this.#journal.get(message._id.$oid) ?? message);
      const reachesEnd = place.before === undefined && (!hasMore || (place.after === undefined && place.around === undefined));
      // A message that was on its way when the page was read belongs between those that were not, or next to them.
      const reachesStart = !hasMore && place.after === undefined && place.around === undefined;
      const first = place.after !== undefined ? place.after + 1 : reachesStart ? 0 : (messages[0]?.seq ?? 0);
      const last =
        place.before !== undefined ? place.before - 1 : reachesEnd ? Number.POSITIVE_INFINITY : (messages.at(-1)?.seq ?? 0);
      const came = [...this.#journal.values()].filter(({ seq }) => seq >= first && seq <= last);
      return { messages: merge(messages, came), hasMore };
    } finally {
      if (--this.#reading === 0) this.#journal.clear();
    }
  }
}

/** Where a feed continues, and in which epoch that counts. */
function nextCursorOf(headers: Headers): { at: number; epoch: string | undefined } {
  const { at, epoch } = readCursor(headers.get('X-Next-Cursor') ?? '');
  return { at: Number(at), epoch };
}
