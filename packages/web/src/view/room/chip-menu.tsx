import { Icon, type IconName } from '../shared/icon.tsx';
import { MenuOpener } from '../shared/menu.tsx';
import { closePopover } from '../shared/popover.tsx';

/** One choice of a chip. Choices with `isChosen` are alternatives, the others open more. */
export type ChipChoice = { label: string; icon?: IconName; isChosen?: boolean; act: () => unknown };

type ChipMenuProps = {
  /** The label of the chip, such as "From". */
  label: string;
  /** The chosen value; undefined without one. */
  value: string | undefined;
  choices: () => readonly ChipChoice[];
};

/** A filter as a chip, which opens its choices. */
export const ChipMenu = ({ label, value, choices }: ChipMenuProps) => (
  <MenuOpener
    label={label}
    button={{ class: value === undefined ? 'filter-chip' : 'filter-chip set' }}
    menu={() => <Choices choices={choices()} />}
  >
    <span>
      {label}
      {value !== undefined && (
        <>
          {': '}
          <bdi>{value}</bdi>
        </>
      )}
    </span>
    <Icon name="unfold" />
  </MenuOpener>
);

function Choices({ choices }: { choices: readonly ChipChoice[] }) {
  return (
    <>
      {choices.map(({ label, icon = 'check', isChosen, act }) => (
        <button
          key={label}
          type="button"
          role={isChosen === undefined ? 'menuitem' : 'menuitemradio'}
          {...(isChosen !== undefined && { 'aria-checked': isChosen })}
          tabIndex={-1}
          onClick={() => {
            // Its action may move the focus.
            closePopover();
            act();
          }}
        >
          <span class={isChosen === false ? 'unchosen' : ''}>
            <Icon name={icon} />
          </span>
          {label}
        </button>
      ))}
    </>
  );
}
