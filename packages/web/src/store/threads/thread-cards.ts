import { batch, signal } from '@preact/signals';
import { ask, askFully, chat, type Message, type Thread } from '../../service/api.ts';
import { nextOf } from '../people/members.ts';
import { learnNamed, signalsById } from '../people/names.ts';
import { merge } from '../window.ts';
import { applyReplies, currentOf, journal, requestReplies } from './replies.ts';

/*
 * The threads with unread replies, on one page. A thread stays in its position after it was read,
 * until the page is opened again.
 */

/**
 * A thread on the page. Its replies are those that were read from the service: the new ones, and a
 * few before them.
 */
export type ThreadCard = {
  root: Message;
  replies: readonly Message[] | undefined;
  hasEarlier: boolean;
  /** The read marker of the thread when it was added to the page. */
  line: number;
  unread: number;
};

/** The threads on the page, by the ids of their first messages; undefined until they are known. */
export const cardIds = signal<readonly string[] | undefined>(undefined);

/** True if there are more threads than were loaded. */
export const hasMoreCards = signal(false);

const cardSignal = signalsById<ThreadCard>();

/** A thread on the page. */
export const cardOf = (id: string): ThreadCard | undefined => cardSignal(id).value;

/** How many threads, and how many replies of one, are read at a time. */
const mostThreads = 30;
const mostReplies = 20;

/** How many threads are in view at first: they appear with their replies, so that none moves. */
const firstInView = 3;

/** The longest wait for these replies, so that a slow thread does not hold back the page. */
const longestWaitMs = 1_000;

/** How many replies that were read before are shown above the new ones. */
const context = 2;

let next: string | undefined;

/** True if news came during the first load, whose answer may lack them. */
let isStale = false;

/** Reads which threads have unread replies, for a page that shows none yet. Throws a `Failure`. */
export async function openThreadCards(): Promise<void> {
  cardIds.value = undefined;
  isStale = false;
  await readThreads();
  // Without an answer, the next news read them.
  if (isStale) await refreshThreadCards().catch(() => {});
}

/** Reads further threads. Throws a `Failure`. */
export const moreThreadCards = (): Promise<void> => readThreads(next);

/**
 * Reads the news while the page is shown. New threads come after the others. Throws a `Failure`.
 */
export const refreshThreadCards = async (): Promise<void> => {
  if (cardIds.value) await readThreads();
  else isStale = true;
};

async function readThreads(after?: string): Promise<void> {
  const query = { unread: 'true' as const, limit: mostThreads, ...(after !== undefined && { after }) };
  const { answer, news } = await journal.read(askFully(chat.GET('/api/threads', { params: { query } })));
  const { data, headers } = answer;
  const isFirst = cardIds.value === undefined || after !== undefined;
  if (isFirst) next = nextOf(headers);
  batch(() => {
    for (const one of data) updateCard(one, currentOf(one.message as Message, news));
  });
  if (cardIds.value === undefined)
    await Promise.race([
      Promise.all(data.slice(0, firstInView).map(({ message }) => loadCard(message._id.$oid).catch(() => {}))),
      new Promise((resolve) => setTimeout(resolve, longestWaitMs)),
    ]);
  batch(() => {
    const ids = cardIds.value ?? [];
    const fresh = data.map(({ message }) => message._id.$oid).filter((id) => !ids.includes(id));
    cardIds.value = [...ids, ...fresh];
    hasMoreCards.value = next !== undefined;
  });
}

function updateCard({ last_read: line, unread }: Thread, root: Message): void {
  const id = root._id.$oid;
  learnNamed([root]);
  const known = cardIds.value?.includes(id) ? cardSignal(id).peek() : undefined;
  cardSignal(id).value = known ? { ...known, root, unread } : { root, replies: undefined, hasEarlier: false, line, unread };
  const last = known?.replies?.at(-1)?.seq;
  // Loads later replies. If the thread is out of view, they are loaded when it comes into view.
  if (known?.replies && unread > 0) void readReplies(id, last === undefined ? {} : { after: last }).catch(() => {});
}

/** Reads the replies of a thread that are new, and a few before them. Throws a `Failure`. */
export async function loadCard(id: string): Promise<void> {
  const card = cardSignal(id).peek();
  if (!card || card.replies) return;
  await readReplies(id, {}, Math.min(mostReplies, card.unread + context));
}

/** Reads the replies before those that are shown. Throws a `Failure`. */
export async function loadEarlier(id: string): Promise<void> {
  const first = cardSignal(id).peek()?.replies?.[0]?.seq;
  if (first !== undefined) await readReplies(id, { before: first });
}

async function readReplies(id: string, place: { before?: number; after?: number }, limit = mostReplies): Promise<void> {
  const card = cardSignal(id).peek();
  if (!card) return;
  const page = await requestReplies(card.root.room.$oid, id, limit, place);
  change(id, (now) => ({
    replies: merge(now.replies ?? [], page.replies),
    hasEarlier: place.after === undefined ? page.hasEarlier : now.hasEarlier,
  }));
}

/** Marks a thread as read up to its last shown reply. Throws a `Failure`. */
export async function markCardRead(id: string): Promise<void> {
  const card = cardSignal(id).peek();
  const seq = card?.replies?.at(-1)?.seq;
  if (!card || seq === undefined || card.unread === 0) return;
  change(id, () => ({ unread: 0 }));
  try {
    await ask(chat.PATCH('/api/threads/{message}', { params: { path: { message: id } }, body: { last_read: seq } }));
  } catch (failure) {
    change(id, () => ({ unread: card.unread }));
    throw failure;
  }
}

/** Applies messages as they are now. */
export function applyToCards(messages: readonly Message[]): void {
  for (const message of messages) {
    const id = message.thread?.$oid ?? message._id.$oid;
    if (!cardIds.peek()?.includes(id)) continue;
    if (message._id.$oid === id) change(id, () => ({ root: message }));
    else change(id, ({ replies, hasEarlier }) => (replies ? { replies: applyReplies({ replies, hasEarlier }, [message]) } : {}));
  }
}

/** All threads were read. */
export function markCardsRead(): void {
  batch(() => {
    for (const id of cardIds.value ?? []) change(id, () => ({ unread: 0 }));
  });
}

/** Forgets the page. */
export function closeThreadCards(): void {
  cardIds.value = undefined;
  hasMoreCards.value = false;
}

function change(id: string, make: (card: ThreadCard) => Partial<ThreadCard>): void {
  const card = cardSignal(id).peek();
  if (card) cardSignal(id).value = { ...card, ...make(card) };
}
