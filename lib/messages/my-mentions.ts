import type { Filter } from 'mongodb';
import { type MessageDocument, messages } from '../collections/messages.ts';
import type { Caller } from '../identity/caller.ts';
import { findReadable } from '../rooms/conversations.ts';
import { type Place, showPlace } from './find-matches.ts';
import { showInOrder } from './messages.ts';
import type { HistoryPage } from './newest-pages.ts';
import { fitting, weightOf } from './page-size.ts';

/** So many mentions are looked at for a page: those in rooms that the caller has left count, too. */
const mostLookedAt = 1_000;

type Candidate = Pick<MessageDocument, '_id' | 'room' | 'seq' | 'created_at' | 'text' | 'mentions' | 'reactions'>;
const candidateFields = { room: 1, seq: 1, created_at: 1, text: 1, mentions: 1, reactions: 1 };

/**
 * Reads a page of the messages that mention the caller, of all rooms that the caller may read, the newest first. Only
 * the index of mentions is read, and of it a bounded part, so that a page may be short and have a next one.
 */
export async function readMyMentions(after: Place | undefined, limit: number, caller: Caller): Promise<HistoryPage> {
  const found: Candidate[] = [];
  let last = after;
  for (let lookedAt = 0, isEnd = false; ; ) {
    const chunk = await findMentioning(caller, last, limit + 1);
    const readable = await findReadable(
      chunk.map(({ room }) => room),
      caller,
    );
    found.push(...chunk.filter(({ room }) => readable.has(room.toHexString())));
    lookedAt += chunk.length;
    last = chunk.at(-1) ?? last;
    isEnd = chunk.length <= limit;
    if (found.length <= limit && !isEnd && lookedAt < mostLookedAt) continue;

    const page = fitting(found.slice(0, limit), weightOf);
    const next = page.length < found.length ? page.at(-1) : isEnd ? undefined : last;
    return { messages: await showInOrder(page.map(({ _id }) => _id)), next: next && { cursor: showPlace(next) } };
  }
}

const findMentioning = ({ user }: Caller, after: Place | undefined, limit: number): Promise<Candidate[]> =>
  messages
    .find<Candidate>(
      { mentions: user._id, ...(after && comingAfter(after)) },
      { projection: candidateFields, sort: { created_at: -1, room: -1, seq: -1 }, limit, batchSize: limit + 1 },
    )
    .toArray();

/** What comes after a place. The bound is for the index; the rest tells those of one moment apart. */
const comingAfter = ({ created_at, room, seq }: Place): Filter<MessageDocument> => ({
  created_at: { $lte: created_at },
  $or: [{ created_at: { $lt: created_at } }, { room: { $lt: room } }, { room, seq: { $lt: seq } }],
});
