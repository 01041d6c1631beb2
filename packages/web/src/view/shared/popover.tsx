import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shortcutKey } from '../../device/keyboard.ts';
import { rememberFocus, takesText } from './focus.ts';

/** A popover at the element that opened it: a menu, or a card about somebody. */
type Popover = {
  opener: HTMLElement;
  role: 'menu' | 'dialog';
  label: string;
  content: ComponentChildren;
  class?: string;
};

const open = signal<Popover | undefined>(undefined);
let giveFocusBack = () => {};

/** True if the popover of an element is open. */
export const isOpenAt = (opener: HTMLElement | null): boolean => open.value !== undefined && open.value.opener === opener;

/** Opens a popover at an element, which gets the focus back; closes it if it is open. */
export function openPopover(popover: Popover): void {
  if (open.value?.opener === popover.opener) {
    closePopover();
    return;
  }
  // The focus within a popover disappears with it.
  if (!open.value) giveFocusBack = rememberFocus();
  open.value = popover;
}

/** Closes the popover. */
export function closePopover({ isFocusKept = false } = {}): void {
  open.value = undefined;
  if (!isFocusKept) giveFocusBack();
}

/** True on a touch screen. It shows a sheet with all actions, and lacks space for more buttons. */
export const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches;

/** Going back leaves the subject of the popover. */
const leaveBehind = () => closePopover({ isFocusKept: true });

/**
 * The container of the open popover. One that a dialog opened is within the dialog, because
 * everything else cannot be used meanwhile.
 */
export function Popovers({ isInDialog = false }: { isInDialog?: boolean }) {
  const { value } = open;
  useLayoutEffect(() => addEventListener('popstate', leaveBehind), []);
  if (!value || (value.opener.closest('dialog') !== null) !== isInDialog) return null;
  const box = <Box key={value} {...value} />;
  // All content belongs to a landmark or a dialog.
  return value.role === 'menu' ? <section aria-label={value.label}>{box}</section> : box;
}

function Box({ opener, role, label, content, class: extra = '' }: Popover) {
  const box = useRef<HTMLDivElement>(null);
  // All items of a menu; the tab stops of other popovers.
  const within = () =>
    [...(box.current as HTMLElement).querySelectorAll<HTMLElement>('a, button, input, select')].filter(
      ({ tabIndex }) => role === 'menu' || tabIndex >= 0,
    );
  useLayoutEffect(() => {
    const element = box.current as HTMLElement;
    const put = () => place(element, role, opener.getBoundingClientRect());
    put();
    (element.querySelector<HTMLElement>('[data-first=true]') ?? within()[0] ?? element).focus();
    // Content that is loaded later makes it larger.
    const observer = new ResizeObserver(put);
    observer.observe(element);
    const leave = ({ target }: Event) => {
      if (element.contains(target as Node) || opener.contains(target as Node)) return;
      // Focus the opener first. The pressed element then takes the focus from it, and the opener
      // notices that; a removed element would not.
      closePopover({ isFocusKept: true });
      opener.focus({ preventScroll: true });
    };
    // On a touch screen, a popover may replace the on-screen keyboard, which resizes the window.
    const dismiss = () => (isTouched() ? put() : closePopover({ isFocusKept: true }));
    addEventListener('pointerdown', leave);
    addEventListener('resize', dismiss);
    // The back gesture of a phone, and Escape wherever the focus is.
    const watcher = CloseWatcher && new CloseWatcher();
    if (watcher) watcher.onclose = () => closePopover();
    return () => {
      watcher?.destroy();
      observer.disconnect();
      removeEventListener('pointerdown', leave);
      removeEventListener('resize', dismiss);
    };
  }, []);
  const onKey = (event: KeyboardEvent) => {
    // A field needs the keys that move in it.
    if (takesText(event.target) && !['Escape', 'Tab'].includes(event.key)) return;
    const all = within();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = event.key === 'Tab' && role === 'dialog' ? (event.shiftKey ? 'ArrowUp' : 'ArrowDown') : event.key;
    const next = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1 + all.length, Home: 0, End: all.length - 1 }[step];
    const named = role === 'menu' && !event.ctrlKey && !event.metaKey && !event.altKey ? itemOf(all, event) : undefined;
    if (next !== undefined) all[next % all.length]?.focus();
    else if (named) named.click();
    else if (event.key === 'Escape' || event.key === 'Tab') closePopover();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: either role takes keys
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: and a label
    <div ref={box} class={`popover ${role} ${extra}`} role={role} aria-label={label} tabIndex={-1} onKeyDown={onKey}>
      {content}
    </div>
  );
}

/** The item of a menu that has a key. */
const itemOf = (items: readonly HTMLElement[], event: KeyboardEvent): HTMLElement | undefined => {
  const key = shortcutKey(event);
  return items.find((item) => item.getAttribute('aria-keyshortcuts')?.toLowerCase() === key.toLowerCase());
};

/** Reports when the user wants to close something; not every browser has it. */
type Watcher = { onclose: () => void; destroy: () => void };
const { CloseWatcher } = window as { CloseWatcher?: new () => Watcher };

/** How far a popover stays from the edges of the window, in pixels. */
const margin = 8;

/**
 * Places a popover below its opener and within the window, or above it if the space below is too
 * small. On a phone it is at the lower edge.
 */
function place(element: HTMLElement, role: Popover['role'], { top, bottom, left, right }: DOMRect): void {
  const { width, height } = element.getBoundingClientRect();
  const isBelow = bottom + height + margin <= innerHeight;
  // A menu is aligned with the end of its button, a card with the start of the name.
  const isRtl = getComputedStyle(element).direction === 'rtl';
  const wanted = isRtl === (role === 'menu') ? left : right - width;
  element.style.top = `${isBelow ? bottom + 4 : Math.max(margin, top - height - 4)}px`;
  element.style.left = `${Math.max(margin, Math.min(wanted, innerWidth - width - margin))}px`;
}
