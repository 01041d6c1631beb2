import type { ComponentChildren } from 'preact';
import { lateCode } from '../../device/late-code.ts';
import { nameOf, type Person } from '../../store/people/names.ts';
import { openPopover } from '../shared/popover.tsx';

const loadCard = lateCode(() => import('./card.tsx'));

type PersonButtonProps = { user: string; person: Person; class?: string; isHidden?: boolean; children: ComponentChildren };

/**
 * The name or avatar of a person, which opens their card. For deleted accounts and webhooks, it is
 * not a button.
 */
export function PersonButton({ user, person, class: extra = '', isHidden, children }: PersonButtonProps) {
  const open = async ({ currentTarget: opener }: { currentTarget: HTMLElement }) => {
    const { Card } = await loadCard();
    openPopover({ opener, role: 'dialog', label: nameOf(person), content: <Card user={user} person={person} /> });
  };
  return (
    <button
      type="button"
      class={`person ${extra}`}
      disabled={/^(webhook-.{24}|\(deleted\)|)$/.test(person.username)}
      onClick={(event) => void open(event)}
      {...(isHidden ? { tabIndex: -1, 'aria-hidden': true } : { 'aria-haspopup': 'dialog' })}
    >
      {children}
    </button>
  );
}
