import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { messageIndexes, messages } from '../../../lib/collections/rooms/messages.ts';
import { database } from '../../../lib/database/client.ts';
import { indexVersion } from '../../../lib/database/index-version.ts';
import { ensureIndexes, indexes } from '../../../lib/operating/prepare.ts';
import { useOwnDatabase, withConfig } from '../../support/config.ts';

useOwnDatabase();

const room = new ObjectId();
const names = async () => (await messages.unscoped.indexes()).map(({ name }) => name).sort();

it.each<[string, object]>([
  ['room, thread, seq of replies', { room, thread: new ObjectId() }],
  ['room, thread, seq of replies', { room, thread: { $in: [new ObjectId(), new ObjectId()] } }],
  ['room, mentions, seq of mentions', { room, mentions: new ObjectId() }],
  ['mentions, created_at of all rooms', { mentions: new ObjectId() }],
])('a query uses the partial index: %s', async (name, filter) => {
  const plan = await messages.find(filter).explain('queryPlanner');
  expect(JSON.stringify(plan)).toContain(`"indexName":"${name}"`);
});

it('indexes of earlier versions are dropped, and those that others have created stay', async () => {
  const theirs = { key: { text: 1, room: 1 }, name: 'theirs' };
  await messages.unscoped.createIndexes([{ key: { room: 1, thread: 1, seq: 1 }, name: 'room, thread, seq' }, theirs]);
  // Like several processes that start together.
  const [counts] = await Promise.all([ensureIndexes(), ensureIndexes(), ensureIndexes()]);
  const expected = ['_id_', ...messageIndexes.map(({ name }) => name)];
  expect(await names()).toEqual([...expected, 'theirs'].sort());
  expect(counts.messages).toBe(expected.length);
  await messages.unscoped.dropIndex('theirs');
  expect(await ensureIndexes()).toEqual(counts);
  expect(await database.collection('messages').countDocuments()).toBe(0);
});

it('another EVENT_DAYS changes how long events are kept', async () => {
  const expiry = async () =>
    (await database.collection('events').indexes()).find(({ name }) => name === 'at')?.expireAfterSeconds ?? 0;
  await ensureIndexes();
  expect(await expiry()).toBe(31 * 86_400);
  await withConfig({ EVENT_DAYS: '60' }, ensureIndexes);
  expect(await expiry()).toBe(61 * 86_400);
  await ensureIndexes();
  expect(await expiry()).toBe(31 * 86_400);
});

it('the version of the indexes is a digest of their definitions', () => {
  const digest = createHash('sha256').update(JSON.stringify(indexes)).digest('hex').slice(0, 16);
  // Changed indexes need a new version, so that a deployment creates them before it serves.
  expect(indexVersion).toBe(digest);
});
