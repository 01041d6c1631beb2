import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { closePopover, isOpenAt, openPopover } from './popover.tsx';

/** One line of a menu; those that have an `emoji` in place of the icon stand side by side. */
export type MenuItem = { label: string; icon?: IconName; emoji?: string; act: () => unknown; isDangerous?: boolean };

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
        openPopover({ opener: currentTarget, role: 'menu', label, content: <Items items={items()} /> })
      }
    >
      <Icon name="more" />
    </button>
  );
}

function Items({ items }: { items: readonly MenuItem[] }) {
  const choose = ({ act }: MenuItem) => {
    // What it does may move the focus.
    closePopover();
    act();
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
          onClick={() => choose(item)}
        >
          {item.emoji}
          {item.icon && (
            <>
              <Icon name={item.icon} /> {item.label}
            </>
          )}
        </button>
      ))}
    </>
  );
}
