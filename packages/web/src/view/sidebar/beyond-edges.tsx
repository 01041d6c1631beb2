import { useLayoutEffect, useState } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import { sections } from '../../store/rooms/sections.ts';
import { Icon } from '../shared/icon.tsx';

type Beyond = { count: number; isForMe: boolean; first: HTMLElement | undefined };

const nothing: Beyond = { count: 0, isForMe: false, first: undefined };

/**
 * Shows how many unread rooms are above and below the visible part of the list, with a link to the
 * nearest one.
 */
export function BeyondEdges({ box }: { box: { current: HTMLElement | null } }) {
  const [{ above, below }, setBeyond] = useState({ above: nothing, below: nothing });
  const list = sections.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let frame = 0;
    const look = () => {
      frame = 0;
      setBeyond(findBeyond(element));
    };
    const lookSoon = () => {
      frame ||= requestAnimationFrame(look);
    };
    lookSoon();
    const observer = new ResizeObserver(lookSoon);
    observer.observe(element);
    element.addEventListener('scroll', lookSoon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', lookSoon);
    };
  }, [list]);
  return (
    <>
      <Edge {...above} isAbove />
      <Edge {...below} />
    </>
  );
}

function Edge({ count, isForMe, first, isAbove = false }: Beyond & { isAbove?: boolean }) {
  if (count === 0) return null;
  return (
    <button
      type="button"
      class={`beyond ${isAbove ? 'above' : ''} ${isForMe ? 'for-me' : ''}`}
      onClick={() => first?.scrollIntoView({ block: 'center' })}
    >
      {(isAbove ? strings.rooms.unreadAbove : strings.rooms.unreadBelow)(count)}
      <Icon name={isAbove ? 'up' : 'down'} />
    </button>
  );
}

/**
 * The unread rows above and below the visible part. The rows are in order, so most of a long list
 * is not examined.
 */
function findBeyond(box: HTMLElement): { above: Beyond; below: Beyond } {
  const { top, bottom } = box.getBoundingClientRect();
  const rows = [...box.querySelectorAll<HTMLElement>('section .room.unread')];
  const isAbove = (row: HTMLElement) => row.getBoundingClientRect().bottom < top + 8;
  const isBelow = (row: HTMLElement) => row.getBoundingClientRect().top > bottom - 8;
  const above = rows.slice(0, countWhile(rows, isAbove));
  const below = rows.slice(countWhile(rows, (row) => !isBelow(row)));
  return { above: summaryOf(above, above.at(-1)), below: summaryOf(below, below[0]) };
}

/**
 * How many items at the beginning of a list have something that no item after them has, by
 * bisection.
 */
function countWhile<T>(items: readonly T[], has: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (has(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const summaryOf = (rows: readonly HTMLElement[], first: HTMLElement | undefined): Beyond => ({
  count: rows.length,
  isForMe: rows.some((row) => row.querySelector('.count') !== null),
  first,
});
