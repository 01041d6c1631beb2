import type { UserDocument } from '../collections/accounts/users.ts';

/** The preferences of a user, with their defaults. */
const defaults = {
  status: null,
  quiet_until: null,
  quiet_hours: null,
  hides_push_text: false,
  email_digest: true,
  shows_presence: true,
} as const;

export type Preference = keyof typeof defaults;
export const preferences = Object.keys(defaults) as Preference[];

/** The updates that store the chosen preferences. Defaults are removed instead of stored. */
export function storedPreferences(chosen: Partial<Record<Preference, unknown>>) {
  const changed = preferences.filter((name) => chosen[name] !== undefined);
  const pick = (isDefault: boolean) => changed.filter((name) => (chosen[name] === defaults[name]) === isDefault);
  return {
    set: Object.fromEntries(pick(false).map((name) => [name, chosen[name]])) as Partial<Pick<UserDocument, Preference>>,
    unset: Object.fromEntries(pick(true).map((name) => [name, ''])) as Partial<Record<Preference, ''>>,
  };
}
