import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What stands over the page at the element that asked for it: a menu, or a card about somebody. */
type Popover = { opener: HTMLElement; role: 'menu' | 'dialog'; label: string; content: ComponentChildren };

const open = signal<Popover | undefined>(undefined);

/** Whether the popover is open that an element asks for. */
export const isOpenAt = (opener: HTMLElement | null): boolean => open.value !== undefined && open.value.opener === opener;

/** Opens a popover at the element that asks for it, which gets the focus back; closes it if it is open. */
export function openPopover(popover: Popover): void {
  open.value = open.value?.opener === popover.opener ? undefined : popover;
}

/** Closes the popover. */
export function closePopover({ isFocusKept = false } = {}): void {
  const { value } = open;
  open.value = undefined;
  if (!isFocusKept) value?.opener.focus();
}

/** Whether a finger is what points here: it has a sheet of all that can be done, and no room for buttons beside that. */
export const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches;

/** Going back leads away from what the popover is about. */
const leaveBehind = () => closePopover({ isFocusKept: true });

/** Where the popover that is open stands. */
export function Popovers() {
  const { value } = open;
  useLayoutEffect(() => addEventListener('popstate', leaveBehind), []);
  return value ? <Box key={value} {...value} /> : null;
}

function Box({ opener, role, label, content }: Popover) {
  const box = useRef<HTMLDivElement>(null);
  const within = () => [...(box.current as HTMLElement).querySelectorAll<HTMLElement>('a, button')];
  useLayoutEffect(() => {
    const element = box.current as HTMLElement;
    const put = () => place(element, role, opener.getBoundingClientRect());
    put();
    (within()[0] ?? element).focus();
    // What is loaded meanwhile makes it larger.
    const observer = new ResizeObserver(put);
    observer.observe(element);
    const leave = ({ target }: Event) => {
      if (element.contains(target as Node) || opener.contains(target as Node)) return;
      // What is pressed takes the focus from the opener, which learns of it; it would not from what is gone.
      closePopover({ isFocusKept: true });
      opener.focus({ preventScroll: true });
    };
    // Where a finger opens it in place of a keyboard, that one gives its room back.
    const dismiss = () => (isTouched() ? put() : closePopover({ isFocusKept: true }));
    addEventListener('pointerdown', leave);
    addEventListener('resize', dismiss);
    // The way back of a phone, and Escape wherever the focus is.
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
    const all = within();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = event.key === 'Tab' && role === 'dialog' ? (event.shiftKey ? 'ArrowUp' : 'ArrowDown') : event.key;
    const next = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1 + all.length, Home: 0, End: all.length - 1 }[step];
    if (next !== undefined) all[next % all.length]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') closePopover();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: either role takes keys
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: and a label
    <div ref={box} class={`popover ${role}`} role={role} aria-label={label} tabIndex={-1} onKeyDown={onKey}>
      {content}
    </div>
  );
}

/** Tells when the user asks to close something; not every browser has it. */
type Watcher = { onclose: () => void; destroy: () => void };
const { CloseWatcher } = window as { CloseWatcher?: new () => Watcher };

/** How far a popover stays from the edges of the window, in pixels. */
const margin = 8;

/** Below what opened it and within the window, above it where there is no room below. A phone has it at the lower edge. */
function place(element: HTMLElement, role: Popover['role'], { top, bottom, left, right }: DOMRect): void {
  const { width, height } = element.getBoundingClientRect();
  const isBelow = bottom + height + margin <= innerHeight;
  // A menu ends where its button does, a card begins where the name does.
  const isRtl = getComputedStyle(element).direction === 'rtl';
  const wanted = isRtl === (role === 'menu') ? left : right - width;
  element.style.top = `${isBelow ? bottom + 4 : Math.max(margin, top - height - 4)}px`;
  element.style.left = `${Math.max(margin, Math.min(wanted, innerWidth - width - margin))}px`;
}
