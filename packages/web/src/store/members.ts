import { signal } from '@preact/signals';
import { askFully, chat, type Member } from '../api.ts';
import { learnNames } from './names.ts';
import type { Changes } from './reduce.ts';

/** The members of the rooms whose members were asked for, by room. */
const members = signal<ReadonlyMap<string, readonly Member[]>>(new Map());
const asked = new Map<string, Promise<void>>();

/** The members of a room, by name; undefined until they are known. */
export const membersOf = (room: string): readonly Member[] | undefined => members.value.get(room);

/** Asks for the members of a room, once; throws a `Failure`. */
export function loadMembers(room: string, { anew = false } = {}): Promise<void> {
  const known = anew ? undefined : asked.get(room);
  if (known) return known;
  const loading = readMembers(room).catch((failure) => {
    asked.delete(room);
    throw failure;
  });
  asked.set(room, loading);
  return loading;
}

async function readMembers(room: string): Promise<void> {
  const all: Member[] = [];
  for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const query = { room, limit: 200, ...(after !== undefined && { after }) };
    const { data, headers } = await askFully<Member[]>(chat.GET('/api/members', { params: { query } }));
    all.push(...data);
    after = nextOf(headers);
  }
  set(room, all);
}

/** Where the next page of a list begins, if there is one. */
export function nextOf(headers: Headers): string | undefined {
  const address = /<([^>]+)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return address === undefined ? undefined : (new URL(address, location.origin).searchParams.get('after') ?? undefined);
}

/** Applies what happened in a room. */
export function changeMembers(room: string, { members: changed, left }: Pick<Changes, 'members' | 'left'>): void {
  learnNames(changed.map(({ user, username }) => [user.$oid, username]));
  const known = membersOf(room);
  if (!known || (changed.length === 0 && left.length === 0)) return;
  const gone = new Set([...left, ...changed.map(({ user }) => user.$oid)]);
  set(room, [...known.filter(({ user }) => !gone.has(user.$oid)), ...changed]);
}

/** Forgets the members of all rooms. */
export function dropMembers(): void {
  asked.clear();
  members.value = new Map();
}

function set(room: string, list: readonly Member[]): void {
  learnNames(list.map(({ user, username }) => [user.$oid, username]));
  members.value = new Map(members.value).set(
    room,
    list.toSorted((one, other) => one.username.localeCompare(other.username)),
  );
}
