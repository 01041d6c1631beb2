/* A long press on a message opens the menu of its actions, like its button. */

/**
 * After how many milliseconds a press is a long one, as phones have it; and by how many pixels a
 * finger at rest moves.
 */
const longEnoughMs = 500;
const slack = 10;

type Press = { row: HTMLElement; x: number; y: number; timer: ReturnType<typeof setTimeout> };

let press: Press | undefined;
/** True if the current or the last touch has opened a menu. That touch does nothing else. */
let hasOpened = false;

function startPress({ pointerType, isPrimary, target, clientX: x, clientY: y }: PointerEvent): void {
  end();
  hasOpened = false;
  const row = pointerType === 'touch' && isPrimary && target instanceof Element && target.closest<HTMLElement>('li.message');
  if (row && !target.closest('.actions, .editor')) press = { row, x, y, timer: setTimeout(open, longEnoughMs) };
}

function move({ clientX, clientY }: PointerEvent): void {
  if (press && Math.hypot(clientX - press.x, clientY - press.y) > slack) end();
}

/** Ends a press that was not long enough. A browser that scrolls says so by `pointercancel`. */
function end(): void {
  clearTimeout(press?.timer);
  press = undefined;
}

function open(): void {
  const { row } = press as Press;
  end();
  hasOpened = true;
  // It shows the button, with the next picture.
  row.focus({ preventScroll: true });
  requestAnimationFrame(() => row.querySelector<HTMLElement>('.actions [aria-haspopup]')?.click());
}

/** Prevents the browser's own menu. This one opens at once where the browser's would. */
function showMenu(event: Event): void {
  if (!press && !hasOpened) return;
  event.preventDefault();
  if (press) open();
}

/** A long press is not a click. Clicks by a program or a key have the detail 0. */
function click(event: MouseEvent): void {
  if (!hasOpened || event.detail === 0) return;
  event.preventDefault();
  event.stopPropagation();
}

addEventListener('pointerdown', startPress, { capture: true });
addEventListener('pointermove', move, { passive: true });
addEventListener('pointerup', end);
addEventListener('pointercancel', end);
addEventListener('contextmenu', showMenu);
addEventListener('click', click, { capture: true });
