import { ask, chat, type Member } from '../../service/api.ts';
import { hasMoreMembers, keepMembers, knownMembers, loadMembers, membersOf, readPage } from './members.ts';
import { learnMembers } from './names.ts';

/* More queries for a room's members, in code that is loaded on demand. */

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
 * Finds the first members whose names have a word that begins with the typed text. Names that begin
 * with it come first. It searches the known members, and asks the service if these are not all.
 */
export async function findMembers(room: string, typed: string, limit: number): Promise<readonly Member[]> {
  // A connection that has just returned may lose the first request. Without one, the known members
  // are used.
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

/** Resolves to true if a user is the only owner among several members; throws a `Failure`. */
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
