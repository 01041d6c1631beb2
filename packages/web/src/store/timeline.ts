import { batch, type Signal, signal } from '@preact/signals';
import { readCursor } from 'chat-service-client/cursor';
import type { Place } from 'chat-service-client/cursors';
import { me } from '../account/session.ts';
import { newestPageSize } from '../service/ahead.ts';
import { asFailure, askFully, chat, Failure, type Message } from '../service/api.ts';
import { keepEvents, keepRoom, readRoom } from './cache.ts';
import { Journal } from './journal.ts';
import { nextOf } from './people/members.ts';
import { learnNamed } from './people/names.ts';
import type { Changes } from './reduce.ts';
import { catchUpThread } from './threads/thread.ts';
import { append, applyTo, emptyWindow, merge, mostInWindow, prepend, type Window } from './window.ts';

/** The number of messages on a page of history, other than the newest page. */
const pageSize = 100;

/** After how many milliseconds a page of history that could not be read is asked for again. */
const pauseAtEdgeMs = 3_000;

/** How a timeline is read, as far as it affects the messages in memory. */
type Reader = {
  /** True if the reader is at the end, and new messages scroll into view. */
  isFollowing: boolean;
  /** True if the reader sees messages arrive, so that they are not new. */
  isWatched: boolean;
  /** The read marker. */
  readonly line: Signal<number>;
  /** Called when other messages are shown: scrolls to the line. */
  findLine: () => void;
};

const nowhere: Place = { at: undefined, epoch: undefined };

/** A page of history. `hasMore` if more follow in the direction of reading. */
type Page = { messages: Message[]; hasMore: boolean };

/** True if a message is shown in its room, and not only in a thread. */
const isInRoom = ({ is_in_room }: Message): boolean => is_in_room !== false;

type PageBounds = { before?: number; after?: number; around?: number };

/** Reads a page of history, or the next one if all its messages are only in threads. */
async function readHistory(room: string, limit: number, place: PageBounds) {
  const side = place.after === undefined && place.around === undefined ? 'before' : 'after';
  for (let from = place; ; ) {
    const query = { room, limit, is_in_room: 'true' as const, ...from };
    const page = await askFully<Message[]>(chat.GET('/api/messages', { params: { query } }));
    const next = nextOf(page.headers, side);
    if (page.data.length > 0 || next === undefined) return page;
    from = { [side]: Number(next) };
  }
}

/** How many messages of others came after a place. */
const countNews = (messages: readonly Message[], known: number): number =>
  messages.filter(({ seq, user }) => seq > known && user.$oid !== me()._id.$oid).length;

/** True if the newest page contains the line before the first unread message. */
const hasLine = ({ messages, hasMore }: Page, lastRead: number) => !hasMore || (messages[0]?.seq ?? 0) <= lastRead + 1;

/**
 * A room's messages in memory. Views read signals. Every change comes with the feed, or with a page
 * of history that the feed corrects.
 */
export class Timeline {
  readonly room: string;
  readonly window: Signal<Window> = signal(emptyWindow);
  readonly state: Signal<'loading' | 'ready' | Failure> = signal<'loading' | 'ready' | Failure>('loading');
  /** How many messages of others came while somebody read further up. */
  readonly missed = signal(0);
  /**
   * The cursor of the feed; unknown until the room was first read. A cursor stored by an earlier
   * version lacks the epoch.
   */
  place: Place = nowhere;
  /** The current reader. */
  reader: Reader = { isFollowing: true, isWatched: false, line: signal(Number.POSITIVE_INFINITY), findLine: () => {} };

  #opening: Promise<void> | undefined;
  /** The edges where more messages are being loaded. */
  readonly #edges = new Set<'start' | 'end'>();
  /** Changes from the feed while a page of history is requested. */
  readonly #journal = new Journal();
  /** The last known place of a message. */
  #newest = 0;

  constructor(room: string) {
    this.room = room;
  }

  /** Shows what this browser keeps of the room, if that is enough and nothing is known yet. */
  async showKept(isEnough: (messages: readonly Message[], cursor: number) => boolean): Promise<void> {
    if (this.place.at !== undefined) return;
    const kept = await readRoom(this.room);
    if (!kept || this.place.at !== undefined || !isEnough(kept.messages, kept.cursor)) return;
    learnNamed(kept.messages, { areKept: true });
    batch(() => {
      this.place = { at: kept.cursor, epoch: kept.epoch };
      this.#show(kept.messages, { isAtStart: false, isAtEnd: true });
      this.reader.findLine();
    });
  }

  /** Reads the room, and shows it from the line on, or what this browser keeps of it. */
  async showFresh(): Promise<void> {
    try {
      await this.readAgain();
    } catch (failure) {
      // Without a connection, stored messages are better than none.
      if (failure instanceof Failure && failure.isTemporary) await this.showKept(() => true);
      if (this.state.value === 'loading') this.#fail(failure);
    }
  }

  /**
   * Reads the room as it is: a cursor first, then the messages. So changes in between are seen
   * twice, never missed. The newest page is requested at the same time as the cursor and shown at
   * once; the second read has its missing messages. Throws a `Failure`.
   */
  readAgain(): Promise<void> {
    this.#opening ??= this.#readAll(this.reader.line.value).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #readAll(lastRead: number): Promise<void> {
    // Keep the shown messages, also those of an empty room.
    if (this.state.value !== 'ready') this.state.value = this.window.value.messages.length > 0 ? 'ready' : 'loading';
    const [place, early] = await Promise.all([this.#findPlace(), this.#showEarly(lastRead)]);
    const { messages, hasMore } = await this.#page({});
    const followsOn = early !== undefined && (!hasMore || (messages[0]?.seq ?? 0) <= early);
    batch(() => {
      this.place = place;
      if (followsOn) this.apply({ messages });
      else {
        this.#show(messages, { isAtStart: !hasMore, isAtEnd: true });
        this.reader.findLine();
      }
    });
    void keepRoom(this.room, messages, { cursor: place.at, epoch: place.epoch });
    void catchUpThread(this.room);
    if (!followsOn && !hasLine({ messages, hasMore }, lastRead)) await this.#readAround(lastRead, () => this.reader.findLine());
  }

  /**
   * Shows the newest page where nothing is shown yet, if it has the line; resolves to its last
   * place then.
   */
  async #showEarly(lastRead: number): Promise<number | undefined> {
    if (this.window.value.messages.length > 0) return undefined;
    const page = await this.#page({});
    if (!hasLine(page, lastRead) || this.window.value.messages.length > 0) return undefined;
    batch(() => {
      this.#show(page.messages, { isAtStart: !page.hasMore, isAtEnd: true });
      this.reader.findLine();
    });
    return page.messages.at(-1)?.seq ?? 0;
  }

  /** Reads the current cursor of the feed, and its epoch. */
  async #findPlace(): Promise<{ at: number; epoch: string | undefined }> {
    const { headers } = await askFully(chat.GET('/api/events', { params: { query: { room: this.room } } }));
    const { at, epoch } = readCursor(headers.get('X-Next-Cursor') ?? '');
    return { at: Number(at), epoch };
  }

  // A room that is shown without a place is never followed.
  async #findPlaceOnce(): Promise<void> {
    if (this.place.at !== undefined) return;
    const place = await this.#findPlace();
    if (this.place.at !== undefined) return;
    this.place = place;
    void catchUpThread(this.room);
  }

  /** Shows the messages around a place; `shown` then sets the scroll target. */
  async showAround(seq: number, shown: () => void): Promise<void> {
    try {
      await this.#findPlaceOnce();
      await this.#readAround(seq, shown);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  async #readAround(seq: number, shown: () => void): Promise<void> {
    const { messages, hasMore } = await this.#page({ around: seq });
    batch(() => {
      this.#show(messages, { isAtStart: false, isAtEnd: !hasMore });
      this.reader.isFollowing = false;
      shown();
    });
  }

  /** Shows the newest messages. */
  async showEnd(shown: () => void): Promise<void> {
    try {
      if (!this.window.value.isAtEnd) {
        await this.#findPlaceOnce();
        const { messages, hasMore } = await this.#page({});
        this.#show(messages, { isAtStart: !hasMore, isAtEnd: true });
      }
      batch(() => {
        this.missed.value = 0;
        shown();
      });
    } catch (failure) {
      this.#fail(failure);
    }
  }

  /** Reads the page before the window. */
  async readOlder(): Promise<void> {
    const { messages, isAtStart } = this.window.value;
    const before = messages[0]?.seq;
    if (before === undefined || isAtStart) return;
    await this.#readAtEdge('start', { before }, (page) => {
      if (this.window.value.messages[0]?.seq !== before) return this.#drawAnew();
      this.window.value = prepend(this.window.value, page.messages, !page.hasMore);
    });
  }

  /** Reads the page after the window. */
  async readNewer(): Promise<void> {
    const { messages, isAtEnd } = this.window.value;
    const after = messages.at(-1)?.seq;
    if (after === undefined || isAtEnd) return;
    await this.#readAtEdge('end', { after }, (page) => {
      if (this.window.value.messages.at(-1)?.seq !== after) return this.#drawAnew();
      batch(() => {
        this.window.value = append(this.window.value, page.messages, !page.hasMore);
        if (!page.hasMore) this.missed.value = 0;
      });
    });
  }

  /**
   * Reads at an edge of the window, one request at a time; retries after a failure. A reader at the
   * edge asks for more as soon as the window is drawn. The request must count as finished by then,
   * so nothing may be awaited after the window has changed.
   */
  async #readAtEdge(edge: 'start' | 'end', place: { before?: number; after?: number }, add: (page: Page) => void): Promise<void> {
    if (this.#edges.has(edge)) return;
    this.#edges.add(edge);
    try {
      add(await this.#page(place));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseAtEdgeMs));
      this.#drawAnew();
    } finally {
      this.#edges.delete(edge);
    }
  }

  /** Draws the window again, right after this call, so that a reader at its edge asks again. */
  #drawAnew(): void {
    this.window.value = { ...this.window.value };
  }

  /** Applies changes to the window, and stores them with the cursor after them. */
  apply({ messages: changed }: Pick<Changes, 'messages'>, place?: { at: number; epoch: string | undefined }): void {
    learnNamed(changed);
    const messages = changed.filter(isInRoom);
    this.#journal.add(messages);
    const { isFollowing, isWatched, line } = this.reader;
    const before = this.window.value.messages.at(-1)?.seq ?? 0;
    const after = applyTo(this.window.value, messages, isFollowing ? 'end' : 'start');
    const last = after.messages.at(-1)?.seq ?? 0;
    batch(() => {
      // A reader further up sees the number of new messages by others.
      if (!isFollowing || !after.isAtEnd) this.missed.value += countNews(messages, Math.max(before, this.#newest));
      if (isWatched && line.value >= before) line.value = Math.max(line.value, last);
      this.window.value = after;
    });
    this.#newest = messages.reduce((newest, { seq }) => Math.max(newest, seq), Math.max(this.#newest, last));
    if (!place) return;
    this.place = place;
    void keepEvents(this.room, messages, { cursor: place.at, epoch: place.epoch });
  }

  /**
   * Forgets the cursor, because the feed refused it: it is too old, or a restored backup has
   * replaced its history. The messages stay on the screen until others arrive.
   */
  forgetPlace(isReplaced: boolean): void {
    this.place = nowhere;
    if (!isReplaced) return;
    this.#journal.clear();
    this.#newest = 0;
    batch(() => {
      this.missed.value = 0;
      this.reader.line.value = Number.POSITIVE_INFINITY;
    });
  }

  #show(messages: readonly Message[], ends: Omit<Window, 'messages'>): void {
    batch(() => {
      this.window.value = { messages: messages.slice(-mostInWindow), ...ends };
      this.state.value = 'ready';
    });
  }

  #fail(failure: unknown): void {
    if (this.window.value.messages.length === 0) this.state.value = asFailure(failure);
  }

  /**
   * A page of history. Changes that the feed brought meanwhile are newer than the page, and are
   * also applied after its end. Later changes are still to come.
   */
  async #page(place: PageBounds): Promise<Page> {
    const limit = Object.keys(place).length === 0 ? newestPageSize : pageSize;
    const { answer, news } = await this.#journal.read(readHistory(this.room, limit, place));
    const { data, headers } = answer;
    learnNamed(data);
    const hasMore = headers.has('Link');
    const reachesEnd = place.before === undefined && (!hasMore || (place.after === undefined && place.around === undefined));
    // A message that was on its way when the page was read belongs between those that were not,
    // or next to them.
    const reachesStart = !hasMore && place.after === undefined && place.around === undefined;
    const first = place.after !== undefined ? place.after + 1 : reachesStart ? 0 : (data[0]?.seq ?? 0);
    const last = place.before !== undefined ? place.before - 1 : reachesEnd ? Number.POSITIVE_INFINITY : (data.at(-1)?.seq ?? 0);
    const came = news.filter(({ seq }) => seq >= first && seq <= last);
    return { messages: merge(data, came), hasMore };
  }
}
