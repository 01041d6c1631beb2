import { ask, chat, type Member } from '../../service/api.ts';
import { hasMoreMembers, keepMembers, knownMembers, loadMembers, membersOf, readPage } from './members.ts';
import { learnMembers } from './names.ts';

/* What is asked of a room's members besides the first of them, by code that is loaded when it is needed. */

/** Asks for the members after those that are known. */
export async function loadMoreMembers(room: string): Promise<void> {
  const before = knownMembers(room);
  if (before?.next === undefined) return;
  const { list, next } = await readPage(room, { after: before.next });
  if (knownMembers(room)?.next !== before.next) return;
  const known = new Set(before.list.map(({ user }) => user.$oid));
  keepMembers(room, { list: [...(membersOf(room) ?? []), ...list.filter(({ user }) => !known.has(user.$oid))], next });
}

/**
 * The first members of a room whose names have words that begin with what was typed, those that begin so themselves first: of what is known if
 * that is all of them, or else also as the service finds them.
 */
export async function findMembers(room: string, typed: string, limit: number): Promise<readonly Member[]> {
  // A connection that has just come back may lose the first request; without one those that are known have to do.
  await loadMembers(room)
    .catch(() => loadMembers(room))
    .catch(() => {});
  const known = membersOf(room) ?? [];
  if (typed === '') return known.slice(0, limit);
  const { comparePersons, matchesPerson } = await import('chat-service-rules/words/names');
  const query = { room, q: typed, limit };
  const found = hasMoreMembers(room)
    ? await ask(chat.GET('/api/members', { params: { query } })).then(
        (list) => list as Member[],
        () => [],
      )
    : [];
  learnMembers(found);
  const byId = new Map([...found, ...known].map((member) => [member.user.$oid, member]));
  return [...byId.values()]
    .filter((member) => matchesPerson(member, typed))
    .sort(comparePersons(typed))
    .slice(0, limit);
}

/** Whether a user is the only owner among several members; throws a `Failure`. */
export async function isOnlyOwner(room: string, user: string): Promise<boolean> {
  let others = 0;
  for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const { list, next } = await readPage(room, { after });
    for (const member of list) {
      if (member.user.$oid === user) continue;
      if (member.role === 'owner') return false;
      others++;
    }
    after = next;
  }
  return others > 0;
}
