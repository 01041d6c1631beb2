import type { ObjectId } from 'mongodb';
import { findUserIds } from '../identity/users.ts';

/** How many different names of one message are looked up; further ones are plain text. */
export const mostNames = 100;

/** The names that a text mentions: each `@username` that is not part of a word, such as an e-mail address. */
export function mentionedNames(text: string): string[] {
  const names = [...text.matchAll(/(?<![\p{L}\p{N}_.@-])@([a-z0-9][a-z0-9._-]{0,63})/giu)].map(([, name = '']) =>
    name.toLowerCase(),
  );
  return [...new Set(names.flatMap(withoutPunctuation))].slice(0, mostNames);
}

/** The users that a text mentions, whether members of its room or not. */
export const findMentioned = (text: string): Promise<ObjectId[]> => findUserIds(mentionedNames(text));

/** The mentioned users who are members. */
export const membersAmong = (mentioned: ObjectId[], members: ObjectId[]): ObjectId[] =>
  mentioned.filter((user) => members.some((member) => member.equals(user)));

// A name may end in a dot or a hyphen, and so may a sentence: "@ada." can be either, and both are looked up.
function withoutPunctuation(name: string): string[] {
  const bare = name.replace(/[._-]+$/, '');
  return bare === name ? [name] : [name, bare];
}
