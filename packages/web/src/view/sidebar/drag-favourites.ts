import { effect } from '@preact/signals';
import { foldedSections, sections } from '../../store/rooms/sections.ts';
import { favourites, moveFavourite } from './favourites.ts';
import './favourites.css';

/*
 * Favourites are ordered by dragging, with the mouse or by a finger that rests on one first. A
 * finger that moves at once scrolls, and one that only rests opens the menu, as elsewhere in the
 * list. The rows stay in the document where they are until the drop and only look as if they moved,
 * so that no event gets lost.
 */

/** By how many pixels a mouse moves before it drags, and a finger that rests. */
const slack = { mouse: 4, touch: 10 };

/** After how many milliseconds a finger rests: before phones open the menu of a link. */
const restsAfterMs = 400;

/** How near an edge of the list, and how fast, it scrolls, in pixels. */
const edge = 32;
const speed = 6;

type Drag = {
  id: string;
  row: HTMLElement;
  rows: readonly HTMLElement[];
  box: HTMLElement;
  from: number;
  to: number;
  /** The favourites as they stood at the beginning: what changes them ends it. */
  ids: string;
  pointer: number;
  isTouch: boolean;
  startX: number;
  startY: number;
  y: number;
  scrolled: number;
  /** True while it is held, and true if it was moved since. */
  isHeld: boolean;
  isMoved: boolean;
  timer?: ReturnType<typeof setTimeout>;
};

let drag: Drag | undefined;
/** True if the current or the last pointer has dragged: its click is ignored. */
let hasDragged = false;

const idsOf = () =>
  favourites()
    .map(({ id }) => id)
    .join();
const listSelector = 'section[aria-labelledby="section-favourites"] > ul';

function startDrag({ button, isPrimary, target, pointerId, pointerType, clientX, clientY }: PointerEvent): void {
  end();
  hasDragged = false;
  if (!isPrimary || button !== 0 || !(target instanceof Element)) return;
  const row = target.closest<HTMLElement>(`${listSelector} > li:has(> a.room)`);
  const box = row?.closest<HTMLElement>('.rooms');
  if (!row || !box || target.closest('button') || foldedSections.peek().includes('favourites')) return;
  const rows = [...(row.parentElement?.children ?? [])] as HTMLElement[];
  const from = rows.indexOf(row);
  const room = favourites()[from];
  if (!room || rows.length !== favourites().length || rows.length < 2) return;
  drag = {
    id: room.id,
    row,
    rows,
    box,
    from,
    to: from,
    ids: idsOf(),
    pointer: pointerId,
    isTouch: pointerType === 'touch',
    startX: clientX,
    startY: clientY,
    y: clientY,
    scrolled: box.scrollTop,
    isHeld: false,
    isMoved: false,
  };
  if (drag.isTouch) drag.timer = setTimeout(hold, restsAfterMs);
}

function move({ clientX, clientY, pointerId, buttons }: PointerEvent): void {
  if (!drag || pointerId !== drag.pointer) return;
  // The button was released outside, without an event.
  if (buttons === 0) {
    end();
    return;
  }
  const isFar = Math.hypot(clientX - drag.startX, clientY - drag.startY) > (drag.isTouch ? slack.touch : slack.mouse);
  if (!drag.isHeld) {
    if (!isFar) return;
    if (drag.isTouch) {
      end();
      return;
    }
    hold();
  }
  drag.y = clientY;
  if (isFar && !drag.isMoved) {
    drag.isMoved = true;
    requestAnimationFrame(scroll);
  }
  if (drag.isMoved) show();
}

/** Starts the drag of the row. */
function hold(): void {
  if (!drag) return;
  drag.isHeld = hasDragged = true;
  drag.row.classList.add('dragged');
  drag.row.parentElement?.classList.add('dragging');
  drag.row.setPointerCapture(drag.pointer);
}

/** Shows the row at the pointer, and the others in their new places. */
function show(): void {
  if (!drag) return;
  if (idsOf() !== drag.ids) {
    end();
    return;
  }
  const { rows, row, from, box } = drag;
  const height = row.offsetHeight;
  const by = drag.y - drag.startY + box.scrollTop - drag.scrolled;
  const shift = Math.max(-from * height, Math.min(by, (rows.length - 1 - from) * height));
  drag.to = from + Math.round(shift / height);
  for (const [at, other] of rows.entries()) {
    const isPassed = at !== from && (at - from) * (at - drag.to) <= 0;
    const moved = at === from ? shift : isPassed ? (at > from ? -height : height) : 0;
    other.style.translate = moved === 0 ? '' : `0 ${moved}px`;
  }
}

/**
 * Scrolls the list while the pointer is at one of its edges; at the upper one are rows that stay.
 */
function scroll(): void {
  if (!drag?.isMoved) return;
  const { box, y } = drag;
  const top = box.querySelector('.across')?.getBoundingClientRect().bottom ?? 0;
  const by = y < top + edge ? -speed : y > box.getBoundingClientRect().bottom - edge ? speed : 0;
  if (by !== 0) {
    box.scrollTop += by;
    show();
  }
  requestAnimationFrame(scroll);
}

/** Ends the drag: the row returns, or moves to its new place. */
function end(): void {
  if (!drag) return;
  const { row, rows, timer } = drag;
  clearTimeout(timer);
  drag = undefined;
  row.classList.remove('dragged');
  row.parentElement?.classList.remove('dragging');
  for (const { style } of rows) style.translate = '';
}

function drop({ pointerId }: PointerEvent): void {
  if (!drag || pointerId !== drag.pointer) return;
  const { id, row, from, to, ids, isHeld, isMoved } = drag;
  end();
  if (isMoved && to !== from && ids === idsOf()) moveFavourite(id, to);
  else if (isHeld && !isMoved) row.querySelector('button')?.click();
}

function cancel(event: KeyboardEvent): void {
  if (!drag?.isHeld || event.key !== 'Escape') return;
  event.preventDefault();
  event.stopPropagation();
  end();
}

/** A drag is not a click. Clicks by a program or a key have the detail 0. */
function click(event: MouseEvent): void {
  if (!hasDragged || event.detail === 0) return;
  event.preventDefault();
  event.stopPropagation();
}

/** The browser drags no link, and opens no menu at a finger, while a favourite is held. */
function hinder(event: Event): void {
  if (!drag || (event.type !== 'dragstart' && !drag.isTouch)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** A finger that holds a favourite scrolls nothing. */
function holdStill(event: Event): void {
  if (drag?.isHeld) event.preventDefault();
}

addEventListener('pointerdown', startDrag, { capture: true });
addEventListener('pointermove', move);
addEventListener('pointerup', drop);
addEventListener('pointercancel', end);
addEventListener('blur', end);
addEventListener('keydown', cancel, { capture: true });
addEventListener('click', click, { capture: true });
addEventListener('dragstart', hinder, { capture: true });
addEventListener('contextmenu', hinder, { capture: true });

// Browsers ask before a finger moves who may hinder it, and only at the element: elsewhere they
// need not ask.
effect(() => {
  void sections.value;
  requestAnimationFrame(() => {
    const list = document.querySelector(listSelector);
    list?.classList.add('draggable');
    list?.addEventListener('touchmove', holdStill, { passive: false });
  });
});
