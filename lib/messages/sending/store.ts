import { regardlessOfDeadline } from '../../base/deadline.ts';
import { type MessageDocument, messages } from '../../collections/rooms/messages.ts';
import { batchWrites } from '../../database/batching.ts';
import { isDuplicateKey } from '../../database/failures.ts';
import { insertEach } from '../../database/writes.ts';
import { foresee, notify } from '../../notices/notices.ts';
import { noteMessages } from '../../rooms/notes.ts';

/** Stores a message; false if its key or its place is taken. */
export async function storeMessage(message: MessageDocument): Promise<boolean> {
  try {
    await insertTogether(message);
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The driver sends an insert again when its connection breaks, and then finds its own.
    return isStored(message, { seq: message.seq });
  }
}

/** Checks whether a message is stored, at its place if `where` names one. */
export const isStored = async ({ _id }: MessageDocument, where: { seq?: number } = {}): Promise<boolean> =>
  (await messages.countDocuments({ _id, ...where }, { limit: 1 })) === 1;

/** Inserts the messages of all rooms that are ready at the same time together. */
const insertTogether = batchWrites(async (sent: MessageDocument[]): Promise<PromiseSettledResult<void>[]> => {
  const isWanted = foresee();
  const [stored] = await regardlessOfDeadline(() =>
    Promise.all([insert(sent), noteMessages(sent.filter(({ is_folded }) => !is_folded))]),
  );
  for (const [room, some] of Map.groupBy(sent, ({ room }) => room.toHexString()))
    notify({ type: 'moved', room, seq: Math.max(...some.map(({ seq }) => seq)) }, isWanted);
  return stored;
});

async function insert(sent: MessageDocument[]): Promise<PromiseSettledResult<void>[]> {
  const [first, ...others] = sent;
  if (first && others.length === 0) return Promise.allSettled([messages.unscoped.insertOne(first).then(() => undefined)]);
  return insertEach(messages.unscoped, sent);
}
