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

/** How long the first drawing waits for messages: less than drawing takes. */
const aMomentMs = 60;

/** With more missed places, a room is loaded again instead of read up to the present. */
const mostMissed = 1_000;

/** The reader's position in a room, and the next scroll target. */
class ScrollIntent {
  /** The scroll target of the next drawing. */
  readonly target = signal<Target | undefined>(undefined);
  /** The read marker when the room was opened: the position of the line "new". */
  readonly line = signal(Number.POSITIVE_INFINITY);
  /** True if the line is above the visible part and was not seen yet. */
  readonly isLineAbove = signal(false);
  /** How many messages were unread when the room was opened. */
  unread = 0;
  /** True if the end is out of view. */
  readonly isAway = signal(false);
  /** True after "mark as unread": nothing is marked as read until the user goes to the end. */
  readonly isKeptUnread = signal(false);
  #seenLine: number | undefined;
  /** True from the first drawing of the page until the view of its room opens it. */
  #isOpenedFirst = false;
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

  /** True if the reader has seen the line at its current position. */
  get isLineSeen(): boolean {
    return this.#seenLine === this.line.peek();
  }

  /** Somebody has seen the line, or need not. */
  lineSeen(): void {
    this.#seenLine = this.line.peek();
    this.isLineAbove.value = false;
    this.unread = 0;
  }

  /** Scrolls to the line; loads the messages around it if necessary. */
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
    // The line may be shown already, and the reader may have scrolled since.
    const isLineShown = this.#isOpenedFirst && this.line.peek() === lastRead;
    this.#isOpenedFirst = false;
    this.line.value = lastRead;
    this.#seenLine = undefined;
    await this.#openRecent(lastRead, lastSeq);
    const { state } = this.#timeline;
    if (place !== undefined && place !== 'end') await this.goTo(place.seq, { kind: 'place', ...place });
    else if (seq !== undefined && place === undefined) await this.goTo(seq);
    else if (this.#timeline.place.at === undefined || state.value !== 'ready') await this.#timeline.showFresh();
    else if (!isLineShown) this.findLine();
  }

  /**
   * Opens the room of the first drawing. Resolves when the stored messages are shown. Without
   * stored messages, it waits a moment for the newest ones, which may have been requested ahead.
   */
  async openFirst(lastRead: number, lastSeq: number): Promise<void> {
    this.#isOpenedFirst = true;
    this.line.value = lastRead;
    await this.#openRecent(lastRead, lastSeq);
    if (this.#timeline.place.at !== undefined) return;
    void this.#timeline.showFresh();
    let end = () => {};
    await new Promise<void>((resolve) => {
      setTimeout(resolve, aMomentMs);
      end = this.#timeline.state.subscribe((state) => state !== 'loading' && resolve());
    });
    end();
  }

  /** Shows the stored messages of the room, if they reach back to the read marker. */
  async #openRecent(lastRead: number, lastSeq: number): Promise<void> {
    // Missing messages are read page by page: many pages take longer than the room itself.
    await this.#timeline.showKept(
      ([first], cursor) => first !== undefined && lastSeq - cursor <= mostMissed && first.seq <= lastRead + 1,
    );
  }

  /** Scrolls to the message at a place; loads the messages around it if necessary. */
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
