import { useEffect } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import { presenceOf, showPerson } from '../../store/people/presence.ts';

/** A dot for an active or away person. `PresenceText` beside it is the text alternative. */
export function PresenceDot({ user }: { user: string }) {
  useEffect(() => showPerson(user), [user]);
  const presence = presenceOf(user);
  return presence ? <span class={`presence ${presence}`} title={strings.presence[presence]} aria-hidden="true" /> : null;
}

/** The presence of a person, in a word. */
export function PresenceText({ user, class: extra = 'visually-hidden' }: { user: string; class?: string }) {
  const presence = presenceOf(user);
  return presence ? <span class={extra}> ({strings.presence[presence]})</span> : null;
}
