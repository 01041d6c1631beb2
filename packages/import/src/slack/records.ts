import { type Json, jsonOf, textOf } from '../json.ts';
import type { SourcePerson, SourceRoom } from '../source.ts';

/* The records of Slack's lists: people and channels. */

/** A user; undefined without an id. */
export function personOf(user: Json): SourcePerson | undefined {
  const id = textOf(user.id);
  if (id === undefined) return undefined;
  const profile = jsonOf(user.profile);
  return {
    id,
    username: textOf(user.name) ?? id,
    name: firstText(profile.real_name, user.real_name, profile.display_name),
    email: textOf(profile.email) ?? textOf(user.email),
    isBot: isSaid(user.is_bot) || id === 'USLACKBOT',
    isActive: !isSaid(user.deleted),
    isGuest: isSaid(user.is_restricted) || isSaid(user.is_ultra_restricted),
  };
}

/**
 * The kind of a channel's room. It is open only if no field contradicts that, whichever list
 * contains it.
 */
export function kindOf(channel: Json, listed: SourceRoom['kind']): SourceRoom['kind'] {
  const letter = textOf(channel.id)?.[0];
  if (listed === 'direct' || letter === 'D' || isSaid(channel.is_im) || isSaid(channel.is_mpim)) return 'direct';
  if (letter === 'G' || isSaid(channel.is_private) || isSaid(channel.is_group)) return 'private';
  return listed;
}

/** True if a field means yes, in Slack's form or in that of tools that repack archives. */
export const isSaid = (value: unknown): boolean => value === true || value === 1 || /^(true|1)$/i.test(textOf(value) ?? '');

/** The first non-blank text. */
export const firstText = (...values: unknown[]): string | undefined => values.map(textOf).find((text) => text?.trim());

/** A date from 1970 to 9999. */
export function dateOf(milliseconds: number): Date | undefined {
  return milliseconds >= 0 && milliseconds < 253_402_300_800_000 ? new Date(milliseconds) : undefined;
}

/** The first names of a list, for a sentence. */
export const quoted = (names: string[]): string =>
  `${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''}`;

const mostNamed = 10;
