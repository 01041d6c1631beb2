import type { Operations } from 'chat-service-client';
import { me } from '../account/session.ts';
import { laterStrings } from '../i18n/strings-later.ts';
import { ask, askFully, chat, Failure, type Message } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { nextOf } from './people/members.ts';
import type { Person } from './people/names.ts';
import { type FoundKind, foundKinds } from './search-words.ts';

/** The search. The address has it too, so that Back leads to it again. */
export type Search = {
  words: string;
  /** In one room, or in all of mine. */
  room: string | undefined;
  order: 'best' | 'newest';
  author: string;
  /** Days, as `2026-11-25`; of the last one everything counts. */
  since: string;
  until: string;
  /** Contents of the messages, apart from words. */
  has: FoundKind | undefined;
};

/** The results so far, and where more begin. */
export type FoundList = { list: readonly Message[]; next: string | undefined; ignored: number };

/** The last results. They stay when the panel is drawn again for the room of a result. */
let last: { key: string; found: FoundList } | undefined;

/** Reads the search that an address has. */
export function searchIn(address: string, room: string): Search {
  const values = new URLSearchParams(address);
  const sent = (name: string) => values.get(name) ?? '';
  return {
    words: sent('q').trim(),
    room: values.has('all') ? undefined : (idIn(sent('in')) ?? room),
    order: sent('order') === 'newest' ? 'newest' : 'best',
    author: sent('from').trim().replace(/^@/, ''),
    since: dayOf(sent('since')),
    until: dayOf(sent('until')),
    has: foundKinds.find((kind) => kind === sent('has')),
  };
}

const idIn = (value: string) => (/^[0-9a-f]{24}$/.test(value) ? value : undefined);

const dayOf = (value: string) => (/^\d{4}-\d\d-\d\d$/.test(value) ? value : '');

/** The query of the address of a search, beside an open room. */
export const addressOf = ({ words, room, order, author, since, until, has }: Search, open = room): string =>
  `?${new URLSearchParams({
    panel: 'search',
    ...(words && { q: words }),
    ...(room === undefined && { all: '1' }),
    ...(room !== undefined && room !== open && { in: room }),
    ...(order !== 'best' && { order }),
    ...(author && { from: author }),
    ...(since && { since }),
    ...(until && { until }),
    ...(has && { has }),
  })}`;

/** Finds the first messages, or those that were found before by the same search. */
export async function find(search: Search): Promise<FoundList> {
  const key = JSON.stringify(search);
  if (last?.key === key) return last.found;
  const found = await readPage(search);
  last = { key, found };
  return found;
}

/** Finds more. */
export async function findMore(search: Search, { list, next, ignored }: FoundList): Promise<FoundList> {
  const more = await readPage(search, next);
  const found = { list: [...list, ...more.list], next: more.next, ignored };
  last = { key: JSON.stringify(search), found };
  return found;
}

/** Forgets the results, so that the search is repeated. */
export function forgetFound(): void {
  last = undefined;
}

async function readPage({ words, room, order, author, since, until, has }: Search, cursor?: string): Promise<FoundList> {
  const query = {
    q: words,
    limit: 50,
    order,
    ...(room !== undefined && { room }),
    ...(author && { user: (await findAuthor(author)).id }),
    ...(since && { since: startOf(since, 0) }),
    ...(until && { until: startOf(until, 1) }),
    ...(has && { has }),
  };
  return readFound(query, cursor);
}

type FoundQuery = Operations['GET /api/messages']['query'];

/**
 * Reads messages that were found, after a cursor. A page may be empty where much was looked at in
 * vain.
 */
export async function readFound(query: FoundQuery, cursor?: string): Promise<FoundList> {
  for (let next = cursor; ; ) {
    const call = chat.GET('/api/messages', { params: { query: { ...query, ...(next !== undefined && { cursor: next }) } } });
    const { data, headers } = await askFully<Message[]>(call);
    next = nextOf(headers, 'cursor');
    if (data.length > 0 || next === undefined) return { list: data, next, ignored: Number(headers.get('X-Ignored-Words') ?? 0) };
  }
}

/** The people who were looked up, by username. */
const cachedAuthors = new Map<string, Person & { id: string }>();

/**
 * Finds the one person with this username or, failing that, by a part of the names; throws a
 * `Failure`.
 */
export async function findAuthor(typed: string): Promise<Person & { id: string }> {
  const key = typed.toLowerCase();
  if (key === 'me') return { id: idOf(me()), ...me() };
  const before = cachedAuthors.get(key);
  if (before) return before;
  const [exact] = /\s/.test(key) ? [] : await ask(chat.GET('/api/users', { params: { query: { username: key } } }));
  const found = exact ? [exact] : await ask(chat.GET('/api/users', { params: { query: { q: typed, limit: 2 } } }));
  const [author, another] = found;
  if (!author) throw new Failure(404, laterStrings.search.noAuthor(typed));
  if (another) throw new Failure(404, laterStrings.search.severalAuthors(typed));
  const person = { id: idOf(author), username: author.username, name: author.name, avatar: author.avatar };
  cachedAuthors.set(person.username, person);
  return person;
}

/** When a day, or one some days later, begins here. */
function startOf(day: string, later: number): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
