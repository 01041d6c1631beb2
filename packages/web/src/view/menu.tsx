import { signal, useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/** One line of a menu. */
export type MenuItem = { label: string; icon: IconName; act: () => unknown; isDangerous?: boolean };

type OpenMenu = { label: string; items: readonly MenuItem[]; opener: HTMLElement };

const open = signal<OpenMenu | undefined>(undefined);

/** Opens a menu at the element that asks for it, which gets the focus back; closes it if it is open. */
export function openMenu(opener: HTMLElement, label: string, items: readonly MenuItem[]): void {
  open.value = open.value?.opener === opener ? undefined : { label, items, opener };
}

function close(isFocusKept = false): void {
  const { value } = open;
  open.value = undefined;
  if (!isFocusKept) value?.opener.focus();
}

type MenuButtonProps = { label: string; items: () => readonly MenuItem[] };

/** The button with three dots that opens a menu. */
export function MenuButton({ label, items }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = useComputed(() => open.value !== undefined && open.value.opener === button.current).value;
  return (
    <button
      ref={button}
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={({ currentTarget }) => openMenu(currentTarget, label, items())}
    >
      <Icon name="more" />
    </button>
  );
}

/** Where the menu that is open stands. */
export function Menus() {
  const { value } = open;
  return value ? <Menu key={value.items} {...value} /> : null;
}

function Menu({ label, items, opener }: OpenMenu) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current as HTMLElement;
    place(element, opener.getBoundingClientRect());
    element.querySelector('button')?.focus();
    const leave = ({ target }: Event) => {
      if (!element.contains(target as Node) && !opener.contains(target as Node)) close(true);
    };
    const dismiss = () => close(true);
    addEventListener('pointerdown', leave);
    addEventListener('resize', dismiss);
    return () => {
      removeEventListener('pointerdown', leave);
      removeEventListener('resize', dismiss);
    };
  }, []);
  const onKey = (event: KeyboardEvent) => {
    const buttons = [...(box.current as HTMLElement).querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
    if (next !== undefined) buttons[next % buttons.length]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const choose = ({ act }: MenuItem) => {
    // What it does may move the focus.
    close();
    act();
  };
  return (
    <div ref={box} class="menu" role="menu" aria-label={label} onKeyDown={onKey}>
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={item.isDangerous ? 'dangerous' : ''}
          onClick={() => choose(item)}
        >
          <Icon name={item.icon} /> {item.label}
        </button>
      ))}
    </div>
  );
}

/** How far a menu stays from the edges of the window, in pixels. */
const margin = 8;

/** Below what opened it and within the window, above it where there is no room below. A phone has it at the lower edge. */
function place(element: HTMLElement, { top, bottom, left, right }: DOMRect): void {
  const { width, height } = element.getBoundingClientRect();
  const isBelow = bottom + height + margin <= innerHeight;
  const isRight = getComputedStyle(element).direction === 'rtl';
  const wanted = isRight ? left : right - width;
  element.style.top = `${isBelow ? bottom + 4 : Math.max(margin, top - height - 4)}px`;
  element.style.left = `${Math.max(margin, Math.min(wanted, innerWidth - width - margin))}px`;
}
