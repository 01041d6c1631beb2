import { mentionsIn } from 'chat-service-rules/markdown/mentions';
import { namesOf } from 'chat-service-rules/markdown/names';
import type { ObjectId } from 'mongodb';
import { forAll, type MassMention } from '../collections/rooms/messages.ts';
import { findUserIdsByName } from '../identity/users.ts';

/** How many different names of one message are looked up; further ones are plain text. */
const mostNames = 100;

/** The mentions in a text: for each different one the names that it may mean, the likeliest first. */
export type Mentions = string[][];

/** The mentions of a text, found by the parser with which it is shown. */
export const findMentions = (text: string): Mentions =>
  [...new Map(mentionsIn(text).map((mention) => [mention.toLowerCase(), namesOf(mention)])).values()].slice(0, mostNames);

/** How a message with these mentions addresses everyone, if it does: no account has such a name. */
export const forAllIn = (mentions: Mentions): MassMention | undefined => forAll.find((word) => mentions.flat().includes(word));

/** In how large a room a message may address everyone: each member is told, as by a mention. */
export const mostForAll = 1_000;

/** The ids of the accounts that mentions may mean, by name, whether members of the room or not. */
export const findMentioned = (mentions: Mentions): Promise<Map<string, ObjectId>> =>
  findUserIdsByName([...new Set(mentions.flat())].slice(0, mostNames));

/** The members who are mentioned: by each mention the one with the likeliest name. */
export function membersAmong(mentions: Mentions, accounts: ReadonlyMap<string, ObjectId>, members: ObjectId[]): ObjectId[] {
  const ids = new Set(members.map((member) => member.toHexString()));
  const isMember = (name: string) => ids.has(accounts.get(name)?.toHexString() ?? '');
  const names = mentions.flatMap((candidates) => candidates.find(isMember) ?? []);
  return [...new Set(names)].map((name) => accounts.get(name) as ObjectId);
}
