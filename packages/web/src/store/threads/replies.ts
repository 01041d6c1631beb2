import { askFully, chat, type Message } from '../../service/api.ts';
import { Journal } from '../journal.ts';
import { learnNamed } from '../people/names.ts';
import { merge } from '../window.ts';

/**
 * The loaded replies of a thread: the newest ones, contiguous, ascending by `seq`. `hasEarlier` is
 * true if the thread has replies before them.
 */
export type Replies = { replies: readonly Message[]; hasEarlier: boolean };

/** Messages of threads that come while threads are read. */
export const journal = new Journal();

/** The current version of a message among news, or else the one of an answer. */
export const currentOf = (message: Message, news: readonly Message[]): Message =>
  news.findLast(({ _id }) => _id.$oid === message._id.$oid) ?? message;

/**
 * Applies messages of a thread as they are now. Those before the loaded replies are left out,
 * because others may be missing between them.
 */
export function applyReplies({ replies, hasEarlier }: Replies, changed: readonly Message[]): Message[] {
  const first = hasEarlier ? (replies[0]?.seq ?? Number.POSITIVE_INFINITY) : 0;
  return merge(
    replies,
    changed.filter(({ seq }) => seq >= first),
  );
}

/**
 * Reads replies of a thread: those before or after a place, or the newest. News that came in the
 * meantime is applied. Throws a `Failure`.
 */
export async function requestReplies(
  room: string,
  thread: string,
  limit: number,
  place: { before?: number; after?: number } = {},
): Promise<Replies & { news: readonly Message[] }> {
  const query = { room, thread, limit, ...place };
  const { answer, news } = await journal.read(askFully<Message[]>(chat.GET('/api/messages', { params: { query } })));
  learnNamed(answer.data);
  const hasEarlier = place.after !== undefined || answer.headers.has('Link');
  const changed = news.filter((message) => message.thread?.$oid === thread);
  return { replies: applyReplies({ replies: answer.data, hasEarlier }, changed), hasEarlier, news };
}
