import { signal } from '@preact/signals';
import { askFully, chat, type Member } from '../../service/api.ts';
import type { Changes } from '../reduce.ts';
import { learnMembers, nameOf } from './names.ts';

/** The members of a room read so far, and the start of the next page if there is one. */
type KnownMembers = { list: readonly Member[]; next: string | undefined };

const members = signal<ReadonlyMap<string, KnownMembers>>(new Map());
const pendingRequests = new Map<string, Promise<void>>();

/** How many members are read at a time. */
const pageSize = 200;

/** The known members of a room. */
export const knownMembers = (room: string): KnownMembers | undefined => members.value.get(room);

/**
 * The members of a room as far as they were read, all of a room with few of them by name; undefined
 * before.
 */
export const membersOf = (room: string): readonly Member[] | undefined => members.value.get(room)?.list;

/** True if a room has more members than were loaded. */
export const hasMoreMembers = (room: string): boolean => members.value.get(room)?.next !== undefined;

/** Asks for the first members of a room, once; throws a `Failure`. */
export function loadMembers(room: string, { again = false } = {}): Promise<void> {
  const known = again ? undefined : pendingRequests.get(room);
  if (known) return known;
  const loading = readPage(room)
    .then(({ list, next }) => keepMembers(room, { list: next === undefined ? list.toSorted(byName) : list, next }))
    .catch((failure) => {
      pendingRequests.delete(room);
      throw failure;
    });
  pendingRequests.set(room, loading);
  return loading;
}

/** Reads members of a room, the first or those after some that are known. */
export async function readPage(room: string, { after }: { after?: string | undefined } = {}): Promise<KnownMembers> {
  const query = { room, limit: pageSize, ...(after !== undefined && { after }) };
  const { data, headers } = await askFully<Member[]>(chat.GET('/api/members', { params: { query } }));
  return { list: data, next: nextOf(headers) };
}

/** The cursor of a list's next page, if there is one. */
export function nextOf(headers: Headers, parameter = 'after'): string | undefined {
  const address = /<([^>]+)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return address === undefined ? undefined : (new URL(address, location.origin).searchParams.get(parameter) ?? undefined);
}

/** Applies what happened in a room. */
export function changeMembers(room: string, { members: changed, left }: Pick<Changes, 'members' | 'left'>): void {
  learnMembers(changed);
  const known = members.value.get(room);
  if (!known || (changed.length === 0 && left.length === 0)) return;
  const news = new Map(changed.map((member) => [member.user.$oid, member]));
  const list = known.list.filter(({ user }) => !left.includes(user.$oid)).map((member) => news.get(member.user.$oid) ?? member);
  const listed = new Set(list.map(({ user }) => user.$oid));
  const added = changed.filter(({ user }) => !listed.has(user.$oid));
  // A new member of a long list appears with a later page.
  if (known.next !== undefined || added.length === 0) keepMembers(room, { ...known, list });
  else keepMembers(room, { ...known, list: [...list, ...added].sort(byName) });
}

/** Forgets the members of all rooms. */
export function dropMembers(): void {
  pendingRequests.clear();
  members.value = new Map();
}

const names = new Intl.Collator();
const byName = (one: Member, other: Member) => names.compare(nameOf(one), nameOf(other));

/** Sets the loaded members of a room. */
export function keepMembers(room: string, known: KnownMembers): void {
  learnMembers(known.list);
  members.value = new Map(members.value).set(room, known);
}
