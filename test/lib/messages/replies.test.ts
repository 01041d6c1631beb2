import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { type MessageDocument, messages } from '../../../lib/collections/rooms/messages.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { anAccount } from '../../support/accounts.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoom } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

const owner = await anAccount();
const { id: room } = await aRoom({ owner });
const anHourAgo = () => new Date(Date.now() - 3_600_000);

/** A message with this many replies, stored as if they had been sent at that time. */
async function aThread(count: number, created_at: Date): Promise<ObjectId> {
  const parent = await aMessage(owner, room);
  const _id = new ObjectId(parent._id.$oid);
  const document = (await messages.findOne({ _id })) as MessageDocument;
  const replies = Array.from({ length: count }, (_, at) => {
    return { ...document, _id: new ObjectId(), seq: 1_000_000 * document.seq + at, thread: _id, created_at };
  });
  await messages.unscoped.insertMany(replies);
  await messages.updateOne({ _id }, { $set: { has_replies: true } });
  return _id;
}

const replyCount = async (id: ObjectId) => {
  const { body } = await inProcess('GET', `/api/messages/${id}`, { token: owner.token });
  return (body as Message).reply_count;
};

const noted = async (_id: ObjectId) => (await messages.findOne({ _id }))?.counted_replies;

it('the replies of a long thread are counted once, and only new ones after that', async () => {
  const parent = await aThread(150, anHourAgo());
  expect(await replyCount(parent)).toBe(150);
  await expect.poll(() => noted(parent)).toMatchObject({ count: 150 });
  const { seq } = (await noted(parent)) as { seq: number };

  await messages.unscoped.deleteMany({ thread: parent, seq: { $lt: seq } });
  const late = (await messages.findOne({ _id: parent })) as MessageDocument;
  await messages.unscoped.insertOne({ ...late, _id: new ObjectId(), seq: seq + 1, thread: parent });
  expect(await replyCount(parent)).toBe(151);
});

it('the count of replies is stored only up to the first place where a reply may still come', async () => {
  const young = await aThread(150, new Date());
  expect(await replyCount(young)).toBe(150);
  const both = await aThread(150, anHourAgo());
  const [last] = await messages.find({ thread: both }, { sort: { seq: -1 }, limit: 1 }).toArray();
  await messages.updateOne({ _id: last?._id ?? both }, { $set: { created_at: new Date() } });
  expect(await replyCount(both)).toBe(150);
  await expect.poll(() => noted(both)).toMatchObject({ count: 149 });
  expect(await replyCount(both)).toBe(150);
  expect(await noted(young)).toBe(undefined);
});
