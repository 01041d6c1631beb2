import { signal } from '@preact/signals';
import { ask, askFully, chat, type Member } from '../api.ts';
import { learnNames } from './names.ts';
import type { Changes } from './reduce.ts';

/** The members of a room as far as they were read, and where the next page begins if there is one. */
type Known = { list: readonly Member[]; next: string | undefined };

const members = signal<ReadonlyMap<string, Known>>(new Map());
const asked = new Map<string, Promise<void>>();

/** How many members are read at a time. */
const pageSize = 200;

/** The members of a room as far as they were read, all of a room with few of them by name; undefined before. */
export const membersOf = (room: string): readonly Member[] | undefined => members.value.get(room)?.list;

/** Whether a room has more members than were read. */
export const hasMoreMembers = (room: string): boolean => members.value.get(room)?.next !== undefined;

/** Asks for the first members of a room, once; throws a `Failure`. */
export function loadMembers(room: string, { again = false } = {}): Promise<void> {
  const known = again ? undefined : asked.get(room);
  if (known) return known;
  const loading = readPage(room)
    .then(({ list, next }) => set(room, { list: next === undefined ? list.toSorted(byName) : list, next }))
    .catch((failure) => {
      asked.delete(room);
      throw failure;
    });
  asked.set(room, loading);
  return loading;
}

/** Asks for the members after those that are known. */
export async function loadMoreMembers(room: string): Promise<void> {
  const before = members.value.get(room);
  if (before?.next === undefined) return;
  const { list, next } = await readPage(room, { after: before.next });
  if (members.value.get(room)?.next !== before.next) return;
  const known = new Set(before.list.map(({ user }) => user.$oid));
  set(room, { list: [...(membersOf(room) ?? []), ...list.filter(({ user }) => !known.has(user.$oid))], next });
}

/**
 * The first members of a room whose names have words that begin with what was typed, those that begin so themselves first: of what is known if
 * that is all of them, or else also as the service finds them.
 */
export async function findMembers(room: string, typed: string, limit: number): Promise<readonly Member[]> {
  // Without a connection those that are known have to do.
  await loadMembers(room).catch(() => {});
  const known = membersOf(room) ?? [];
  if (typed === '') return known.slice(0, limit);
  const { compareNames, matchesName } = await import('../../../client/src/words/names.ts');
  const query = { room, q: typed, limit };
  const found = hasMoreMembers(room)
    ? await ask(chat.GET('/api/members', { params: { query } })).then(
        (list) => list as Member[],
        () => [],
      )
    : [];
  learn(found);
  const compare = compareNames(typed);
  const byId = new Map([...found, ...known].map((member) => [member.user.$oid, member]));
  return [...byId.values()]
    .filter(({ username }) => matchesName(username, typed))
    .sort((one, other) => compare(one.username, other.username))
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

async function readPage(room: string, { after }: { after?: string | undefined } = {}): Promise<Known> {
  const query = { room, limit: pageSize, ...(after !== undefined && { after }) };
  const { data, headers } = await askFully<Member[]>(chat.GET('/api/members', { params: { query } }));
  return { list: data, next: nextOf(headers) };
}

/** Where the next page of a list begins, if there is one. */
export function nextOf(headers: Headers): string | undefined {
  const address = /<([^>]+)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return address === undefined ? undefined : (new URL(address, location.origin).searchParams.get('after') ?? undefined);
}

/** Applies what happened in a room. */
export function changeMembers(room: string, { members: changed, left }: Pick<Changes, 'members' | 'left'>): void {
  learn(changed);
  const known = members.value.get(room);
  if (!known || (changed.length === 0 && left.length === 0)) return;
  const news = new Map(changed.map((member) => [member.user.$oid, member]));
  const list = known.list.filter(({ user }) => !left.includes(user.$oid)).map((member) => news.get(member.user.$oid) ?? member);
  const listed = new Set(list.map(({ user }) => user.$oid));
  const added = changed.filter(({ user }) => !listed.has(user.$oid));
  // A new member of many comes with a later page.
  if (known.next !== undefined || added.length === 0) set(room, { ...known, list });
  else set(room, { ...known, list: [...list, ...added].sort(byName) });
}

/** Forgets the members of all rooms. */
export function dropMembers(): void {
  asked.clear();
  members.value = new Map();
}

const names = new Intl.Collator();
const byName = (one: Member, other: Member) => names.compare(one.username, other.username);

const learn = (list: readonly Member[]) => learnNames(list.map(({ user, username }) => [user.$oid, username]));

function set(room: string, known: Known): void {
  learn(known.list);
  members.value = new Map(members.value).set(room, known);
}
