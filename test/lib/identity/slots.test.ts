import { ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { loginLimits } from '../../../lib/collections/accounts/login-limits.ts';
import { keyOf, minute, networkOf, returnSlots, settleSlots, takeSlot } from '../../../lib/identity/slots.ts';
import { aName } from '../../support/accounts.ts';

const aKey = () => keyOf('test', aName());

it.each([
  ['1.2.3.4', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::FFFF:102:304', '1.2.3.4'],
  ['0:0:0:0:0:ffff:102:304', '1.2.3.4'],
  ['64:ff9b::1.2.3.4', '1.2.3.4'],
  ['64:ff9b::c0a8:ff', '192.168.0.255'],
  ['64:ff9b:1::102:304', '64:ff9b:1:0::'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['2001:DB8:0:7:1:2:3:4', '2001:db8:0:7::'],
  ['2001:db8::1.2.3.4', '2001:db8:0:0::'],
  ['::1', '0:0:0:0::'],
])('the network of the address %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('the slots of a limit', () => {
  it('all attempts that come at the same moment get one, if there are enough, in a few updates', async () => {
    const [key, limit] = [aKey(), { most: 50, window: 15 * minute }];
    const updates = vi.spyOn(loginLimits, 'findOneAndUpdate');
    const taken = await Promise.all(Array.from({ length: 40 }, () => takeSlot(key, new ObjectId(), limit)));
    expect(taken).toHaveLength(40);
    expect((await loginLimits.findOne({ _id: key }))?.attempts).toHaveLength(40);
    expect(updates.mock.calls.length).toBeLessThan(10);
    updates.mockRestore();
  });

  it('attempts that wait get the slots that others return, in their order', async () => {
    const [key, limit] = [aKey(), { most: 2, window: 15 * minute }];
    const ids = Array.from({ length: 20 }, () => new ObjectId());
    const order: number[] = [];
    const tries = ids.map(async (id, at) => {
      await takeSlot(key, id, limit);
      order.push(at);
      await returnSlots([key], id);
    });
    await Promise.all(tries);
    expect(order.toSorted((one, other) => one - other)).toEqual(ids.map((_, at) => at));
    // Two hold a slot at a time, so neighbours may change places.
    for (const [at, one] of order.entries()) expect(Math.abs(one - at)).toBeLessThanOrEqual(2);
  });

  it('attempts that wait are refused as soon as the others have failed', async () => {
    const [key, limit, id] = [aKey(), { most: 1, window: 15 * minute }, new ObjectId()];
    await takeSlot(key, id, limit);
    const waiting = takeSlot(key, new ObjectId(), limit);
    await settleSlots([key], id);
    await expect(waiting).rejects.toMatchObject({ status: 429 });
  });

  it('attempts with different limits of one key are counted together', async () => {
    const key = aKey();
    const take = (most: number) => takeSlot(key, new ObjectId(), { most, window: minute, isSettled: true });
    const results = await Promise.allSettled([take(2), take(2), take(2), take(Number.POSITIVE_INFINITY)]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    await expect(take(3)).rejects.toMatchObject({ status: 429 });
  });
});
