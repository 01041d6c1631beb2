import { ObjectId } from 'mongodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { upgrades } from '../../../lib/collections/service/upgrades.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { fillWords, fillWordsMeanwhile } from '../../../lib/messages/search/fill-words.ts';
import { anAccount } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { untilSent } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

useOwnDatabase();

const owner = await anAccount();
const room = await aRoomOf([owner]);
const found = async (q: string) =>
  ((await call('GET', `/api/messages?room=${room}&q=${q}`, { token: owner.token })).body as Message[]).length;

describe('messages that an earlier version stored', () => {
  beforeEach(async () => {
    await messages.unscoped.deleteMany({});
    await upgrades.deleteMany({});
    const { _id } = await aMessage(owner, room, { text: 'sanderling' });
    const one = await messages.findOne({ _id: new ObjectId(_id.$oid) });
    const { words, ...old } = one as NonNullable<typeof one>;
    const copies = Array.from({ length: 450 }, (_, at) => ({ ...old, _id: new ObjectId(), seq: 1_000 + at }));
    await messages.unscoped.insertMany(copies);
  });

  it('messages of an earlier version are found after an upgrade, which runs once', async () => {
    expect(await found('sanderling&limit=200')).toBe(1);
    expect(await fillWords()).toBe(450);
    expect(await found('sanderling&limit=200')).toBe(200);
    await messages.unscoped.updateMany({}, { $unset: { words: '' } });
    expect(await fillWords()).toBe(0);
    expect(await fillWords({ from: 'start' })).toBe(451);
  });

  it('messages that an earlier version stored are found after an upgrade that was cut off and goes on, the newest first', async () => {
    const isBegun = untilSent('update', 'upgrades');
    const filling = fillWordsMeanwhile();
    await isBegun;
    await filling.end();
    const filled = await messages.countDocuments({ words: { $exists: true } });
    expect(filled).toBeGreaterThan(0);
    expect(filled).toBeLessThan(451);
    expect(await messages.findOne({}, { sort: { _id: -1 } })).toHaveProperty('words');
    expect(await fillWords()).toBe(451 - filled);
    expect(await messages.countDocuments({ words: { $exists: false } })).toBe(0);
  });
});
