import { mentionsIn } from 'chat-service-rules/markdown/mentions';
import { namesOf } from 'chat-service-rules/markdown/names';
import type { ObjectId } from 'mongodb';
import { forAll, type MassMention } from '../collections/rooms/messages.ts';
import { findUserIdsByName } from '../identity/users.ts';

/** The most different names of a message that are looked up. Further mentions are plain text. */
const mostNames = 100;

/**
 * The different mentions in a text. Each has the usernames that it may mean, the likeliest first.
 */
export type Mentions = string[][];

/** The mentions of a text. They are found by the parser that also renders the text. */
export const findMentions = (text: string): Mentions =>
  [...new Map(mentionsIn(text).map((mention) => [mention.toLowerCase(), namesOf(mention)])).values()].slice(0, mostNames);

/** The mention of everyone in a message, if there is one. These words are not valid usernames. */
export const forAllIn = (mentions: Mentions): MassMention | undefined => forAll.find((word) => mentions.flat().includes(word));

/**
 * The most members of a room in which a message may mention everyone, because each member is
 * notified.
 */
export const mostForAll = 1_000;

/**
 * The ids of the accounts that mentions may mean, by username. The accounts need not be members of
 * the room.
 */
export const findMentioned = (mentions: Mentions): Promise<Map<string, ObjectId>> =>
  findUserIdsByName([...new Set(mentions.flat())].slice(0, mostNames));

/** The members who are mentioned. Each mention means the account with the likeliest name. */
export function membersAmong(mentions: Mentions, accounts: ReadonlyMap<string, ObjectId>, members: ObjectId[]): ObjectId[] {
  const ids = new Set(members.map((member) => member.toHexString()));
  const isMember = (name: string) => ids.has(accounts.get(name)?.toHexString() ?? '');
  const names = mentions.flatMap((candidates) => candidates.find(isMember) ?? []);
  return [...new Set(names)].map((name) => accounts.get(name) as ObjectId);
}
