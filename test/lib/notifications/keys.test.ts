import { createECDH } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { pushKeys } from '../../../lib/collections/delivery/push-keys.ts';
import { pushSubscriptions } from '../../../lib/collections/delivery/push-subscriptions.ts';
import { anAccount } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { callThrough } from '../../support/processes.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { admin } from '../../support/run-command.ts';
import { inProcess } from '../../support/transports.ts';

usePushService();
useOwnDatabase();

const path = '/api/push-subscription';
type Token = { token: string };
type Call = typeof inProcess;
type Pair = { public_key: string; private_key: string };

// Processes with different keys: none, another, and both, with the other first. This process has
// the first key.
const newKey = 'cd'.repeat(32);
const processes = await Promise.all(
  ['', newKey, `${newKey},${process.env.SECRET_KEY}`].map((SECRET_KEY) => callThrough(1, { SECRET_KEY, LOG_LEVEL: 'silent' })),
);
afterAll(() => {
  for (const { end } of processes) end();
});
const [withoutKey, withNewKey, withBoth] = processes.map(({ call }) => call) as [Call, Call, Call];

const currentKey = async ({ token }: Token, call = inProcess) =>
  ((await call('GET', path, { token })).body as { key: string }).key;

async function subscribe({ token }: Token, device: Device, { call = inProcess, key = '', send_test = false } = {}) {
  const body = { ...subscriptionOf(device, key || (await currentKey({ token }, call))), send_test };
  return call('PUT', path, { token, body });
}

const exported = async (): Promise<Pair> => JSON.parse((await admin(['push-key', 'export', '--json'])).stdout);
const rotate = async () => JSON.parse((await admin(['push-key', 'rotate', '--json'])).stdout) as { devices: number };
const statusOf = async (sent: ReturnType<typeof subscribe>) => (await sent).status;

beforeEach(async () => {
  await Promise.all([pushKeys.deleteMany({}), pushSubscriptions.deleteMany({})]);
});

it('the key pair is stored encrypted, and exported as other programs read it', async () => {
  const [ann, device] = [await anAccount(), aDevice()];
  expect(await statusOf(subscribe(ann, device, { send_test: true }))).toBe(200);
  expect(device.pushes).toHaveLength(1);
  const { public_key, private_key } = await exported();
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from(private_key, 'base64url'));
  expect([ecdh.getPublicKey('base64url'), public_key]).toEqual([public_key, await currentKey(ann)]);
  const [stored] = await pushKeys.find({}).toArray();
  expect(JSON.stringify(stored)).not.toContain(private_key);
  expect(Buffer.from(stored?.encrypted_key ?? '', 'base64').toString('latin1')).not.toContain(private_key);
});

it('a key pair that was stored before there was a SECRET_KEY goes on, and is encrypted by the next use', async () => {
  const [ann, device] = [await anAccount(), aDevice()];
  expect(await statusOf(subscribe(ann, device, { call: withoutKey }))).toBe(200);
  const [before] = await pushKeys.find({}).toArray();
  expect(before).toMatchObject({ private_key: expect.stringMatching(/^[\w-]{43}$/) });
  expect(await statusOf(subscribe(ann, device, { send_test: true }))).toBe(200);
  const [after] = await pushKeys.find({}).toArray();
  expect(after).toEqual({ _id: before?._id, created_at: before?.created_at, encrypted_key: expect.any(String) });
});

it('a key pair of another SECRET_KEY ends no subscription, and works again when that key is set as well', async () => {
  const [ann, device] = [await anAccount(), aDevice()];
  expect(await statusOf(subscribe(ann, device))).toBe(200);
  const [before] = await pushKeys.find({}).toArray();
  for (const call of [withoutKey, withNewKey])
    expect(await subscribe(ann, device, { call, send_test: true })).toMatchObject({ status: 409, body: { code: 'not_pushed' } });
  expect([await pushSubscriptions.countDocuments({ user: new ObjectId(ann.id) }), device.pushes]).toEqual([1, []]);
  expect(await statusOf(subscribe(ann, device, { call: withBoth, send_test: true }))).toBe(200);
  expect(device.pushes).toHaveLength(1);
  const [after] = await pushKeys.find({}).toArray();
  expect(after?.encrypted_key).not.toBe(before?.encrypted_key);
  expect(await statusOf(subscribe(ann, device, { call: withNewKey, send_test: true }))).toBe(200);
});

it('a rotation keeps the earlier pair until the last device has subscribed with the new one', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const [hers, his] = [aDevice(), aDevice()];
  for (const [who, device] of [
    [ann, hers],
    [bob, his],
  ] as const)
    await subscribe(who, device);
  const earlier = await currentKey(ann);
  expect(await rotate()).toMatchObject({ devices: 2 });
  const key = await currentKey(ann);
  expect(key).not.toBe(earlier);
  expect((await inProcess('GET', path, ann)).body).toEqual({ key, is_subscribed: false, of: 'mine' });
  expect(await subscribe(ann, hers, { key: earlier })).toMatchObject({ status: 409, body: { code: 'other_key' } });
  // The database deletes it after it has expired.
  const inDays = async () => {
    const pair = await pushKeys.findOne({ _id: earlier });
    return pair?.expires_at && Math.round((pair.expires_at.getTime() - Date.now()) / 86_400_000);
  };
  expect(await inDays()).toBe(60);
  expect(await statusOf(subscribe(ann, hers, { send_test: true }))).toBe(200);
  expect(await inDays()).toBe(60);
  expect(await statusOf(subscribe(bob, his, { send_test: true }))).toBe(200);
  expect((await pushKeys.find({}).toArray()).map(({ _id }) => _id)).toEqual([key]);
});

it('concurrent rotations leave one pair in use', async () => {
  const ann = await anAccount();
  await subscribe(ann, aDevice());
  await Promise.all([rotate(), rotate(), rotate()]);
  const key = await currentKey(ann);
  expect((await pushKeys.find({ expires_at: { $exists: false } }).toArray()).map(({ _id }) => _id)).toEqual([key]);
});
