import { signal } from '@preact/signals';
import { me } from '../../account/session.ts';
import { asFailure, ask, chat, Failure, type Message, type ServerFrame } from '../../service/api.ts';
import { merge } from '../window.ts';
import { applyReplies, currentOf, journal, type Replies, requestReplies } from './replies.ts';
import { applyToCards, closeThreadCards } from './thread-cards.ts';

/**
 * The thread that is open beside a room: its root message and the loaded replies. `lastRead` is the
 * read marker when it was opened, if it is followed.
 */
type Thread = Replies & {
  room: string;
  id: string;
  root: Message | undefined;
  isFollowed: boolean;
  lastRead: number;
  failure: Failure | undefined;
  isLoading: boolean;
};

/** The open thread. */
export const thread = signal<Thread | undefined>(undefined);

const pageSize = 100;

/** The most replies that are loaded to find the first new one. */
const mostNew = 500;

/** The pause before a failed read of new replies is repeated. */
const retryAfterMs = 5_000;

/** Opens a thread, back to the reply at a place, and to the first new one if it is not too far. */
export async function openThread(room: string, id: string, reply = Number.POSITIVE_INFINITY): Promise<void> {
  if (thread.value?.id !== id) {
    told = 0;
    thread.value = {
      room,
      id,
      root: undefined,
      isFollowed: false,
      lastRead: 0,
      replies: [],
      hasEarlier: true,
      failure: undefined,
      isLoading: true,
    };
  }
  try {
    const { root, is_followed: isFollowed, last_read: lastRead } = await requestThread(id);
    change(id, { root, isFollowed, lastRead, failure: undefined });
    const goesOn = ({ replies: [first, ...others], hasEarlier }: Thread) =>
      hasEarlier && first && (reply < first.seq || (isFollowed && lastRead < first.seq && others.length < mostNew));
    // The newest may have come with the room's place.
    if (thread.value?.replies.length === 0) await readReplies(room, id);
    while (thread.value?.id === id && goesOn(thread.value)) await readReplies(room, id);
    change(id, { isLoading: false });
  } catch (failure) {
    change(id, { failure: asFailure(failure), isLoading: false });
  }
}

/** Reads the open thread again, because everything may have changed. */
export async function readThreadAgain(): Promise<void> {
  const { value } = thread;
  if (!value) return;
  thread.value = undefined;
  await openThread(value.room, value.id);
}

/** Requests a thread, with its first message as it is now. Throws a `Failure`. */
async function requestThread(id: string) {
  const request = ask(chat.GET('/api/threads/{message}', { params: { path: { message: id } } }));
  const { answer, news } = await journal.read(request);
  return { ...answer, root: currentOf(answer.message as Message, news) };
}

/** Reads the replies before those that are there. Throws a `Failure`. */
export async function readReplies(room: string, id: string): Promise<void> {
  const before = thread.value?.replies[0]?.seq;
  const { replies, hasEarlier } = await requestReplies(room, id, pageSize, before === undefined ? {} : { before });
  const now = thread.value?.replies ?? [];
  // Others may have been loaded in their place.
  if (before !== undefined && before !== now[0]?.seq) return;
  change(id, { replies: merge(now, replies), hasEarlier });
}

/**
 * Reads the newest replies of the open thread again, if it belongs to this room. The page calls
 * this once it knows where in the room's feed it starts to read: the feed from there lacks replies
 * that came after the thread was loaded.
 */
export async function catchUpThread(room: string): Promise<void> {
  if (thread.value?.room !== room) return;
  const { id } = thread.value;
  try {
    const [newest] = await Promise.all([
      requestReplies(room, id, pageSize),
      requestThread(id).then(({ root }) => change(id, { root })),
    ]);
    if (thread.value?.id !== id) return;
    const { replies, hasEarlier } = thread.value;
    // Replies may be missing before those that have just come.
    const known = replies.filter((reply) => !newest.news.includes(reply)).at(-1)?.seq ?? 0;
    const isGap = newest.hasEarlier && known < (newest.replies[0]?.seq ?? 0);
    change(id, { replies: merge(isGap ? [] : replies, newest.replies), hasEarlier: isGap || hasEarlier });
  } catch (failure) {
    const isTemporary = failure instanceof Failure && failure.isTemporary;
    if (isTemporary) setTimeout(() => void catchUpThread(room), retryAfterMs);
    else change(id, { failure: asFailure(failure) });
  }
}

/** Follows the open thread, or no longer. Throws a `Failure`. */
export async function setFollowed(isFollowed: boolean): Promise<void> {
  if (thread.value) await changeThread(thread.value.id, { is_followed: isFollowed });
}

/** Marks the open thread as read up to a place. Throws a `Failure`. */
export async function readUpTo(seq: number): Promise<void> {
  const { value } = thread;
  if (!value?.isFollowed || seq <= told) return;
  const before = told;
  told = seq;
  try {
    await changeThread(value.id, { last_read: seq });
  } catch (failure) {
    // The next look at the thread sends it again.
    told = before;
    throw failure;
  }
}

/** The last read marker of the open thread that was sent. */
let told = 0;

async function changeThread(id: string, body: { last_read?: number; is_followed?: boolean }): Promise<void> {
  const params = { path: { message: id } };
  const { is_followed: isFollowed } = await ask(chat.PATCH('/api/threads/{message}', { params, body }));
  change(id, { isFollowed });
}

/** Another device has read a thread, or follows it or not. */
export const threadChangedElsewhere = ({ thread: { $oid }, is_followed: isFollowed }: Frame): void =>
  change($oid, { isFollowed });

type Frame = Extract<ServerFrame, { type: 'thread' }>;

/** Closes it. */
export function closeThread(): void {
  thread.value = undefined;
}

/** Forgets all threads: somebody else uses the page. */
export function resetThreads(): void {
  closeThread();
  closeThreadCards();
}

/** Applies messages as they are now. */
export function applyToThreads(messages: readonly Message[]): void {
  journal.add(messages);
  applyToCards(messages);
  const { value } = thread;
  if (!value) return;
  const root = messages.findLast(({ _id }) => _id.$oid === value.id);
  const replies = messages.filter((message) => message.thread?.$oid === value.id);
  // Users follow threads that they reply in.
  const isMine = replies.some(({ user }) => user.$oid === me()._id.$oid);
  const changes = { ...(root && { root }), ...(isMine && { isFollowed: true }) };
  if (root || replies.length > 0) change(value.id, { ...changes, replies: applyReplies(value, replies) });
}

const change = (id: string, changes: Partial<Thread>): void => {
  if (thread.value?.id === id) thread.value = { ...thread.value, ...changes };
};
