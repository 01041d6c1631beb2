import { batch, signal } from '@preact/signals';
import type { ReadingPlace } from '../device/routes.ts';
import type { Timeline } from './timeline.ts';

/**
 * The scroll target: the end, the line before the first unread message, a message to highlight, or
 * a message at its earlier height.
 */
type Target =
  | { kind: 'end' }
  | { kind: 'line' }
  | { kind: 'message'; seq: number }
  | { kind: 'place'; seq: number; offset: number };

/** How many milliseconds the first picture waits for messages: less than it takes to draw it. */
const aMoment = 60;

/** Beyond so many missed places a room is read again instead of followed to the present. */
const mostMissed = 1_000;

/** Where somebody reads a room, and what of it they want to see. */
class ScrollIntent {
  /** The scroll target of the next drawing. */
  readonly target = signal<Target | undefined>(undefined);
  /** Up to where the room was read when it was opened: there stands the line "new". */
  readonly line = signal(Number.POSITIVE_INFINITY);
  /** True if the line is above the visible part and was not seen yet. */
  readonly isLineAbove = signal(false);
  /** How many messages were unread when the room was opened. */
  unread = 0;
  /** Whether the end is out of view. */
  readonly isAway = signal(false);
  /** Whether something was marked as unread: nothing is read then until the end is asked for. */
  readonly isKeptUnread = signal(false);
  #seenLine: number | undefined;
  isFollowing = true;
  isWatched = false;
  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    timeline.reader = this;
  }

  findLine(): void {
    this.target.value = { kind: 'line' };
  }

  /** Whether somebody has seen the line where it is. */
  get isLineSeen(): boolean {
    return this.#seenLine === this.line.peek();
  }

  /** Somebody has seen the line, or need not. */
  lineSeen(): void {
    this.#seenLine = this.line.peek();
    this.isLineAbove.value = false;
    this.unread = 0;
  }

  /** Shows the line, wherever it is. */
  async goToLine(): Promise<void> {
    const { messages, isAtStart } = this.#timeline.window.value;
    const show = () => this.findLine();
    if (isAtStart || (messages[0]?.seq ?? 0) <= this.line.value) show();
    else await this.#timeline.showAround(this.line.value, show);
  }

  /**
   * Shows the room at its first unread message, at the message at `seq`, or where it was read
   * before. It does so at once if this browser has stored that place.
   */
  async open(lastRead: number, lastSeq: number, seq: number | undefined, place?: ReadingPlace): Promise<void> {
    this.isWatched = false;
    this.isKeptUnread.value = false;
    this.line.value = lastRead;
    this.#seenLine = undefined;
    await this.#openRecent(lastRead, lastSeq);
    const { state } = this.#timeline;
    if (place !== undefined && place !== 'end') await this.goTo(place.seq, { kind: 'place', ...place });
    else if (seq !== undefined && place === undefined) await this.goTo(seq);
    else if (this.#timeline.place.at === undefined || state.value !== 'ready') await this.#timeline.showFresh();
    else this.findLine();
  }

  /**
   * Opens the room of the first drawing. Resolves when the stored messages are shown. Without
   * stored messages, it waits a moment for the newest ones, which may have been requested ahead.
   */
  async openFirst(lastRead: number, lastSeq: number): Promise<void> {
    this.line.value = lastRead;
    await this.#openRecent(lastRead, lastSeq);
    if (this.#timeline.place.at !== undefined) return;
    void this.#timeline.showFresh();
    let end = () => {};
    await new Promise<void>((resolve) => {
      setTimeout(resolve, aMoment);
      end = this.#timeline.state.subscribe((state) => state !== 'loading' && resolve());
    });
    end();
  }

  /** Shows what this browser keeps of the room, if that goes on from where it was read. */
  async #openRecent(lastRead: number, lastSeq: number): Promise<void> {
    // Missing messages are read page by page: many pages take longer than the room itself.
    await this.#timeline.showKept(
      ([first], cursor) => first !== undefined && lastSeq - cursor <= mostMissed && first.seq <= lastRead + 1,
    );
  }

  /** Shows the message at a place, wherever it is: in one request, if it is not there already. */
  async goTo(seq: number, target: Target = { kind: 'message', seq }): Promise<void> {
    const { messages, isAtEnd } = this.#timeline.window.value;
    const [first, last] = [messages[0]?.seq ?? Number.POSITIVE_INFINITY, messages.at(-1)?.seq ?? 0];
    const aim = () => {
      this.target.value = target;
    };
    if (first <= seq && (seq <= last || isAtEnd)) aim();
    else await this.#timeline.showAround(seq, aim);
  }

  /** Shows the newest messages. */
  async goToEnd(): Promise<void> {
    await this.#timeline.showEnd(() => {
      this.isKeptUnread.value = false;
      this.isFollowing = true;
      this.target.value = { kind: 'end' };
    });
  }

  /** Puts the line before the message at a place, which stays unread while the room is open. */
  keepUnread(seq: number): void {
    batch(() => {
      this.isKeptUnread.value = true;
      this.line.value = seq - 1;
    });
  }
}

const intents = new WeakMap<Timeline, ScrollIntent>();

/** How a timeline is read. */
export function intentOf(timeline: Timeline): ScrollIntent {
  const intent = intents.get(timeline) ?? new ScrollIntent(timeline);
  intents.set(timeline, intent);
  return intent;
}
