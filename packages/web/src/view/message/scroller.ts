/** The events of a scroller: little is left above or below, and whether the end is in view. */
type Watcher = { onNear: (edge: 'start' | 'end') => void; onMove: (isAtBottom: boolean) => void };

/** How near to an edge more is asked for, in heights of the box. */
const near = 1.5;

/** How far from the end still counts as being there, in pixels. */
const bottomTolerance = 40;

/**
 * How long after a jump the row stays at its place while others around it grow, such as cards and
 * buttons whose code is loaded late.
 */
const settlingMs = 10_000;

/** The signs that the reader acts in the box. Assistive technologies click without the others. */
const acts = ['pointerdown', 'keydown', 'click'];

/**
 * Keeps the reading position while rows are added and removed above and below it. Not every browser
 * does so by itself, and none does when the same rows are cut off elsewhere. A reader at the end
 * stays there.
 */
export class Scroller {
  readonly #box: HTMLElement;
  readonly #list: HTMLElement;
  readonly #watcher: Watcher;
  readonly #resizes: ResizeObserver;
  #anchor: { row: Element; offset: number } | undefined;
  /** The last jump to a row, and the last row of that time. */
  #landing: { row: Element; offset: number; last: Element | null; until: number } | undefined;
  #isAtBottom = false;
  #height = 0;
  #top = 0;

  constructor(box: HTMLElement, list: HTMLElement, watcher: Watcher) {
    this.#box = box;
    this.#list = list;
    this.#watcher = watcher;
    this.#resizes = new ResizeObserver(() => this.keep());
    this.#resizes.observe(box);
    this.#resizes.observe(list);
    box.addEventListener('scroll', this.#onScroll, { passive: true });
    // Before the action itself, which may jump to another row.
    for (const type of acts) box.addEventListener(type, this.#onAct, { capture: true, passive: true });
  }

  stop(): void {
    this.#resizes.disconnect();
    this.#box.removeEventListener('scroll', this.#onScroll);
    for (const type of acts) this.#box.removeEventListener(type, this.#onAct, { capture: true });
  }

  /** Puts things back in their place after rows have changed. */
  keep(): void {
    // It is hidden now, and must have the same position when it is shown again.
    if (this.#box.clientHeight === 0) return;
    if (this.#isSettling() && this.#landing) {
      this.#land(this.#landing.row, this.#landing.offset);
      return;
    }
    this.#landing = undefined;
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    // A box or content that became shorter scrolls by itself, to the end.
    const isCut = scrollTop < this.#top && scrollTop + clientHeight >= scrollHeight - 1;
    // The reader has left the end, and the event for it is still to come.
    const isLeft = scrollTop < this.#top - bottomTolerance && clientHeight === this.#height && !isCut;
    if (isLeft) this.#isAtBottom = false;
    if (this.#isAtBottom) this.#scrollTo(this.#box.scrollHeight);
    else if (this.#anchor?.row.isConnected) {
      // How far the user has scrolled without an event for it yet.
      const scrolled = isCut ? 0 : scrollTop - this.#top;
      const moved = this.#offsetOf(this.#anchor.row) - this.#anchor.offset + scrolled;
      if (Math.abs(moved) >= 0.5) this.#scrollTo(scrollTop + moved);
    }
    this.#look();
  }

  /** Shows the end, and stays there. */
  toEnd(): void {
    this.#landing = undefined;
    this.#isAtBottom = true;
    this.#scrollTo(this.#box.scrollHeight);
    this.#look();
  }

  /** Shows a row, at a part of the box's height. */
  toRow(row: Element, part: number): void {
    this.toOffset(row, this.#box.clientHeight * part);
  }

  /** Scrolls a row to a distance below the upper edge, in pixels. */
  toOffset(row: Element, offset: number): void {
    this.#landing = { row, offset, last: this.#list.lastElementChild, until: performance.now() + settlingMs };
    this.#land(row, offset);
  }

  #land(row: Element, offset: number): void {
    this.#isAtBottom = false;
    this.#scrollTo(this.#box.scrollTop + this.#offsetOf(row) - offset);
    this.#isAtBottom = this.#isEndInView();
    this.#look();
  }

  /** The first message in view, and how far it is below the upper edge. */
  get place(): { seq: number; offset: number } | undefined {
    const seq = Number((this.#anchor?.row as HTMLElement | undefined)?.dataset.seq);
    return this.#anchor && seq > 0 ? { seq, offset: this.#anchor.offset } : undefined;
  }

  /**
   * True shortly after a jump, unless the reader has moved or acted or rows were added since. All
   * rows may have fitted into the box before they grew: the end was in view, but the reader asked
   * for a row.
   */
  #isSettling(): boolean {
    const { row, last, until = 0 } = this.#landing ?? {};
    const isMoved = this.#box.scrollTop !== this.#top || this.#box.clientHeight !== this.#height;
    return row?.isConnected === true && !isMoved && last === this.#list.lastElementChild && performance.now() < until;
  }

  readonly #onScroll = () => {
    if (this.#box.clientHeight === 0) return;
    if (this.#box.scrollTop !== this.#top) this.#landing = undefined;
    // A box that shrinks, as when a keyboard opens, scrolls by itself before its observer is
    // called.
    if (this.#height === this.#box.clientHeight) this.#isAtBottom = this.#isEndInView();
    this.#look();
  };

  /** A row that grows by an action of the reader grows downwards from its own place. */
  readonly #onAct = () => {
    this.#landing = undefined;
  };

  #look(): void {
    this.#height = this.#box.clientHeight;
    this.#anchor = this.#findAnchor();
    this.#watcher.onMove(this.#isAtBottom);
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    this.#top = scrollTop;
    if (scrollTop < near * clientHeight) this.#watcher.onNear('start');
    if (scrollHeight - scrollTop - clientHeight < near * clientHeight) this.#watcher.onNear('end');
  }

  #isEndInView(): boolean {
    return this.#box.scrollHeight - this.#box.scrollTop - this.#box.clientHeight < bottomTolerance;
  }

  #scrollTo(top: number): void {
    this.#box.scrollTop = top;
  }

  #offsetOf(row: Element): number {
    return row.getBoundingClientRect().top - this.#box.getBoundingClientRect().top;
  }

  /** The first message in view, by bisection: rows are in order. */
  #findAnchor(): { row: Element; offset: number } | undefined {
    const rows = this.#list.children;
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = rows[middle] as Element;
      if (this.#offsetOf(row) + row.clientHeight > 0) high = middle;
      else low = middle + 1;
    }
    // Separators between days may disappear when older messages are added; messages stay.
    while (rows[low] && !(rows[low] as HTMLElement).dataset.seq) low++;
    // The very first message loses its author's name when an earlier one of the same author is
    // added before it. The next one keeps its height.
    const isFirst = !(rows[low - 1] as HTMLElement | undefined)?.dataset.seq;
    const row = isFirst && (rows[low + 1] as HTMLElement | undefined)?.dataset.seq ? rows[low + 1] : rows[low];
    return row && { row, offset: this.#offsetOf(row) };
  }
}
