import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import { Icon, type IconName } from './icon.tsx';
import { closePopover, isOpenAt, isTouched, openPopover } from './popover.tsx';

/**
 * An item of a menu. Items with an `emoji` in place of the icon are side by side. `key` chooses it
 * while the menu is open.
 */
export type MenuItem = {
  label: string;
  icon?: IconName;
  emoji?: string;
  key?: string;
  /** Does it; what opens something opens that at the button of the menu. */
  act: (opener: HTMLElement) => unknown;
  isDangerous?: boolean;
};

type MenuOpenerProps = {
  label: string;
  /** The attributes of the button besides those of every button that opens a menu. */
  button: { class: string; title?: string; 'aria-label'?: string; disabled?: boolean };
  /** The lines of the menu, made when it opens. */
  menu: (opener: HTMLElement) => ComponentChildren;
  children: ComponentChildren;
};

/** A button that opens a menu. */
export function MenuOpener({ label, button, menu, children }: MenuOpenerProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = useComputed(() => isOpenAt(opener.current)).value;
  return (
    <button
      ref={opener}
      type="button"
      {...button}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={({ currentTarget }) => openPopover({ opener: currentTarget, role: 'menu', label, content: menu(currentTarget) })}
    >
      {children}
    </button>
  );
}

type MenuButtonProps = { label: string; items: () => readonly MenuItem[]; isDisabled?: boolean };

/** The button with three dots that opens a menu. */
export const MenuButton = ({ label, items, isDisabled = false }: MenuButtonProps) => (
  <MenuOpener
    label={label}
    button={{ class: 'icon-button', title: label, 'aria-label': label, disabled: isDisabled }}
    menu={(opener) => <Items items={items()} opener={opener} />}
  >
    <Icon name="more" />
  </MenuOpener>
);

function Items({ items, opener }: { items: readonly MenuItem[]; opener: HTMLElement }) {
  const choose = ({ act }: MenuItem) => {
    // The action may move the focus.
    closePopover();
    act(opener);
  };
  return (
    <>
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={item.emoji ? 'quick' : item.isDangerous ? 'dangerous' : ''}
          aria-label={item.emoji && item.label}
          aria-keyshortcuts={item.key}
          onClick={() => choose(item)}
        >
          {item.emoji ?? (
            <>
              {item.icon && <Icon name={item.icon} />} {item.label}
              {item.key && !isTouched() && (
                <span class="key" aria-hidden="true">
                  {item.key.length > 1 ? strings.shortcuts.deleteKey : item.key}
                </span>
              )}
            </>
          )}
        </button>
      ))}
    </>
  );
}
