import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { type MessageDocument, messages } from '../collections/messages.ts';
import { upgrades } from '../collections/upgrades.ts';
import { describeError, log } from '../log.ts';
import { tokensOf } from './tokens.ts';

const upgrade = 'words of messages';

/** So many messages are looked at together, after which others have their turn for as long as they took. */
const chunkSize = 200;

/**
 * Makes messages findable that earlier versions stored, the newest first. How far it came is stored, so that it goes
 * on there if it is cut off; `from: 'start'` looks at all of them again, as is due after an import. Returns how many
 * messages were given their words.
 */
export async function fillWords({ from, signal }: { from?: 'start'; signal?: AbortSignal } = {}): Promise<number> {
  if (from === 'start') await upgrades.deleteOne({ _id: upgrade });
  let downTo = (await upgrades.findOne({ _id: upgrade }))?.down_to;
  let filled = 0;
  while (downTo !== null && !signal?.aborted) {
    const begun = performance.now();
    const { count, last }: Chunk = await fillChunk(downTo);
    downTo = last;
    filled += count;
    await upgrades.updateOne({ _id: upgrade }, { $set: { down_to: downTo } }, { upsert: true });
    if (signal && downTo !== null) await sleep(performance.now() - begun);
  }
  return filled;
}

/** Does so while the process serves; what fails is tried again at the next start. */
export function fillWordsMeanwhile(): { end: () => Promise<void> } {
  const ending = new AbortController();
  const work = fillWords({ signal: ending.signal }).catch((error) => {
    log('error', 'messages of an earlier version can not be found yet', { error: describeError(error) });
  });
  return {
    end: async () => {
      ending.abort();
      await work;
    },
  };
}

type Chunk = { count: number; last: ObjectId | null };

async function fillChunk(before: ObjectId | undefined): Promise<Chunk> {
  const found = await messages.unscoped
    .find<Pick<MessageDocument, '_id' | 'text' | 'files' | 'user' | 'words' | 'deleted_at'>>(
      before ? { _id: { $lt: before } } : {},
      {
        projection: { text: 1, 'files.name': 1, 'files.alt': 1, user: 1, words: 1, deleted_at: 1 },
        sort: { _id: -1 },
        limit: chunkSize,
        batchSize: chunkSize + 1,
      },
    )
    .toArray();
  // Tombstones have no text.
  const lacking = found.filter(({ text, words, deleted_at }) => words === undefined && !deleted_at && text !== undefined);
  const updates = lacking.map(({ _id, text, files, user }) => ({
    updateOne: { filter: { _id, text }, update: { $set: { words: tokensOf({ text, files }, user) } } },
  }));
  if (updates.length > 0) await messages.unscoped.bulkWrite(updates, { ordered: false });
  return { count: lacking.length, last: (found.length === chunkSize && found.at(-1)?._id) || null };
}
