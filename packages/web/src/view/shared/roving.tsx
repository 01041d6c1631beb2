import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/* One tab stop for a list: arrow keys move within it. */

/**
 * The elements of a row that can have the focus. A field within it, such as an edit, has its own
 * stops.
 */
const inner = 'a[href], button, summary, audio, video, pre, .table, input, select';

/** Fields and players need the arrow keys themselves. */
const needsArrows = (element: Element) =>
  element.matches('input, select, textarea, audio, video') || element.closest('.message .editor');

type RovingOptions = {
  /** The rows of the list, which may consist of several lists. */
  rows: string;
  /** The row that is the tab stop before one was focused. */
  first?: (rows: readonly HTMLElement[]) => HTMLElement | undefined;
};

/**
 * Makes a list one tab stop. Up, Down, Home and End move between its rows; the other arrow keys
 * move within a row. Escape within a row returns to the row. Returns a function that ends this.
 */
export function rove(box: HTMLElement, { rows: selector, first = (rows) => rows[0] }: RovingOptions): () => void {
  let current: HTMLElement | undefined;
  const rowsOf = () => [...box.querySelectorAll<HTMLElement>(selector)];
  const take = (rows: Iterable<HTMLElement>) => {
    for (const row of rows)
      for (const stop of stopsOf(row)) if (row !== current || stop !== stopsOf(row)[0]) setStop(stop, false);
    if (!current?.isConnected || !current.matches(selector)) current = first(rowsOf());
    setStop(current && stopsOf(current)[0], true);
  };
  // Of a long list, only the rows that have changed.
  const observer = new MutationObserver((records) => take(rowsIn(records, selector)));
  const onFocus = ({ target }: FocusEvent) => {
    const row = target instanceof Element ? target.closest<HTMLElement>(selector) : null;
    if (!row || row === current) return;
    setStop(current && stopsOf(current)[0], false);
    current = row;
    setStop(stopsOf(row)[0], true);
  };
  const onKey = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const row = target.closest<HTMLElement>(selector);
    if (!row || !box.contains(row) || needsArrows(target)) return;
    const next = nextStop(event.key, { row, target, rows: rowsOf() });
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  };
  take(rowsOf());
  observer.observe(box, { childList: true, subtree: true });
  box.addEventListener('focusin', onFocus);
  box.addEventListener('keydown', onKey);
  return () => {
    observer.disconnect();
    box.removeEventListener('focusin', onFocus);
    box.removeEventListener('keydown', onKey);
  };
}

/** The rows that were added or changed. */
function rowsIn(records: readonly MutationRecord[], selector: string): Set<HTMLElement> {
  const rows = new Set<HTMLElement>();
  for (const { target, addedNodes } of records) {
    const around = (target as Element).closest<HTMLElement>(selector);
    if (around) rows.add(around);
    for (const node of addedNodes) {
      if (!(node instanceof HTMLElement)) continue;
      if (node.matches(selector)) rows.add(node);
      for (const row of node.querySelectorAll<HTMLElement>(selector)) rows.add(row);
    }
  }
  return rows;
}

/** Makes a list one tab stop while it is shown. */
export function useRoving(box: { current: HTMLElement | null }, roving: RovingOptions, inputs: readonly unknown[] = []): void {
  useLayoutEffect(() => (box.current ? rove(box.current, roving) : undefined), inputs);
}

/** A list that is one tab stop. */
export function RovingList({ class: name, children }: { class: string; children: ComponentChildren }) {
  const list = useRef<HTMLUListElement>(null);
  useRoving(list, listItems);
  return (
    <ul class={name} ref={list}>
      {children}
    </ul>
  );
}

const listItems: RovingOptions = { rows: 'li' };

type At = { row: HTMLElement; target: HTMLElement; rows: readonly HTMLElement[] };

/** The next stop for a key; undefined for other keys. */
function nextStop(key: string, { row, target, rows }: At): HTMLElement | undefined {
  const at = rows.indexOf(row);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[key];
  if (to !== undefined) {
    // A row that only says something is passed over.
    const by = key === 'ArrowUp' || key === 'End' ? -1 : 1;
    for (let other = to; rows[other]; other += by) if (stopsOf(rows[other])[0]) return stopsOf(rows[other])[0];
    return target;
  }
  const stops = stopsOf(row);
  const isRtl = getComputedStyle(row).direction === 'rtl';
  const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[key];
  if (step !== undefined) return stops[Math.max(0, Math.min(stops.length - 1, stops.indexOf(target) + step))];
  return key === 'Escape' && target !== stops[0] ? stops[0] : undefined;
}

/** The focus stops of a row: the row itself if it can have the focus, and the elements in it. */
function stopsOf(row: HTMLElement | undefined): HTMLElement[] {
  if (!row) return [];
  const within = [...row.querySelectorAll<HTMLElement>(inner)].filter(
    (element) => !element.closest('.message .editor, [aria-hidden=true]') && !(element as HTMLButtonElement).disabled,
  );
  return row.hasAttribute('tabindex') && !row.matches(inner) ? [row, ...within] : row.matches(inner) ? [row, ...within] : within;
}

function setStop(element: HTMLElement | undefined, isStop: boolean): void {
  const wanted = isStop ? '0' : '-1';
  if (element && element.getAttribute('tabindex') !== wanted) element.setAttribute('tabindex', wanted);
}
