import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import { Icon, type IconName } from './icon.tsx';
import { closePopover, isOpenAt, isTouched, openPopover } from './popover.tsx';

/**
 * One line of a menu; those that have an `emoji` in place of the icon stand side by side. While the menu is open, its `key`
 * chooses it.
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

type MenuButtonProps = { label: string; items: () => readonly MenuItem[] };

/** The button with three dots that opens a menu. */
export function MenuButton({ label, items }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = useComputed(() => isOpenAt(button.current)).value;
  return (
    <button
      ref={button}
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={({ currentTarget }) =>
        openPopover({ opener: currentTarget, role: 'menu', label, content: <Items items={items()} opener={currentTarget} /> })
      }
    >
      <Icon name="more" />
    </button>
  );
}

function Items({ items, opener }: { items: readonly MenuItem[]; opener: HTMLElement }) {
  const choose = ({ act }: MenuItem) => {
    // What it does may move the focus.
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
          {item.emoji}
          {item.icon && (
            <>
              <Icon name={item.icon} /> {item.label}
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
