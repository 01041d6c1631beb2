import type { Operations } from 'chat-service-client';
import { laterStrings } from '../i18n/strings-later.ts';
import { ask, askFully, chat, Failure, type Message } from '../service/api.ts';
import { nextOf } from './people/members.ts';

/** What is searched for: the address has it, so that Back leads to it again. */
export type Search = {
  words: string;
  /** In one room, or in all of mine. */
  room: string | undefined;
  order: 'best' | 'newest';
  author: string;
  /** Days, as `2026-11-25`; of the last one everything counts. */
  since: string;
  until: string;
};

/** What was found so far, and where more begins. */
type FoundList = { list: readonly Message[]; next: string | undefined; ignored: number };

/** What was found last: still there when the panel is drawn again for the room of a result. */
let last: { key: string; found: FoundList } | undefined;

/** Reads the search that an address has. */
export function searchIn(address: string, room: string): Search {
  const values = new URLSearchParams(address);
  const sent = (name: string) => values.get(name) ?? '';
  return {
    words: sent('q').trim(),
    room: values.has('all') ? undefined : room,
    order: sent('order') === 'newest' ? 'newest' : 'best',
    author: sent('from').trim().replace(/^@/, ''),
    since: dayOf(sent('since')),
    until: dayOf(sent('until')),
  };
}

const dayOf = (value: string) => (/^\d{4}-\d\d-\d\d$/.test(value) ? value : '');

/** The query of the address of a search. */
export const addressOf = ({ words, room, order, author, since, until }: Search): string =>
  `?${new URLSearchParams({
    panel: 'search',
    ...(words && { q: words }),
    ...(room === undefined && { all: '1' }),
    ...(order !== 'best' && { order }),
    ...(author && { from: author }),
    ...(since && { since }),
    ...(until && { until }),
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

/** Forgets what was found, so that the same search is made again. */
export function forgetFound(): void {
  last = undefined;
}

async function readPage({ words, room, order, author, since, until }: Search, cursor?: string): Promise<FoundList> {
  const query = {
    q: words,
    limit: 50,
    order,
    ...(room !== undefined && { room }),
    ...(author && { user: await findAuthor(author) }),
    ...(since && { since: startOf(since, 0) }),
    ...(until && { until: startOf(until, 1) }),
  };
  return readFound(query, cursor);
}

type FoundQuery = Operations['GET /api/messages']['query'];

/** Reads messages that were found, after a cursor. A page may be empty where much was looked at in vain. */
export async function readFound(query: FoundQuery, cursor?: string): Promise<FoundList> {
  for (let next = cursor; ; ) {
    const call = chat.GET('/api/messages', { params: { query: { ...query, ...(next !== undefined && { cursor: next }) } } });
    const { data, headers } = await askFully<Message[]>(call);
    next = nextOf(headers, 'cursor');
    if (data.length > 0 || next === undefined) return { list: data, next, ignored: Number(headers.get('X-Ignored-Words') ?? 0) };
  }
}

async function findAuthor(username: string): Promise<string> {
  const [author] = await ask(chat.GET('/api/users', { params: { query: { username } } }));
  if (!author) throw new Failure(404, laterStrings.search.noAuthor);
  return author._id.$oid;
}

/** When a day, or one some days later, begins here. */
function startOf(day: string, later: number): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
