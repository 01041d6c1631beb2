import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { rateLimits } from '../../../lib/collections/accounts/rate-limits.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { callThrough } from '../../support/processes.ts';
import { aRoom } from '../../support/rooms.ts';

const settings = { RATE_LIMITS: 'on', WRITES_PER_SECOND: '1', WRITE_BURST: '20' };
const { call, end } = await callThrough(10, settings);
afterAll(end);

/**
 * An account with a room. Its burst takes hours to refill, so that tests do not depend on their
 * duration.
 */
async function aSlowAccount(): Promise<Account & { room: string }> {
  const account = await anAccount();
  await users.updateOne({ _id: new ObjectId(account.id) }, { $set: { writes_per_second: 0.001 } });
  return { ...account, room: (await aRoom({ owner: account })).id };
}

const send = ({ token, room }: Account & { room: string }) =>
  call('POST', '/api/messages', { token, body: { room, text: 'Hello' } });

const sendAtOnce = async (account: Account & { room: string }, count: number) => {
  const replies = await Promise.all(Array.from({ length: count }, () => send(account)));
  const statuses = Map.groupBy(replies, ({ status }) => status);
  return Object.fromEntries([...statuses].map(([status, all]) => [status, all.length]));
};

describe('the rate of messages and changes, through ten concurrent processes', () => {
  it('the rate of changes allows one burst and nothing beyond it', async () => {
    const [account, other] = [await aSlowAccount(), await aSlowAccount()];
    expect(await sendAtOnce(account, 60)).toEqual({ 201: 20, 429: 40 });
    expect(await sendAtOnce(account, 20)).toEqual({ 429: 20 });
    expect(await sendAtOnce(other, 1)).toEqual({ 201: 1 });
  });

  it('the rate of each webhook is limited, and the refusal says when to retry', async () => {
    const { path, owner } = await aRoom();
    const made = () => call('POST', `${path}/webhooks`, { token: owner.token, body: {} });
    const secretOf = async () => ((await made()).body as { secret: string }).secret;
    const [busy, other] = [await secretOf(), await secretOf()];
    const post = (secret: string) => call('POST', `/api/webhooks/${secret}`, { body: { text: 'Hello' } });
    const replies = await Promise.all(Array.from({ length: 200 }, () => post(busy)));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(100);
    expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/);
    expect(replies.filter(({ status }) => status === 201).length).toBe(200 - refused.length);
    expect((await post(other)).status).toBe(201);
  });

  it('the rate of changes recovers with time', async () => {
    const account = await aSlowAccount();
    expect(await sendAtOnce(account, 30)).toEqual({ 201: 20, 429: 10 });
    const { free_at } = (await rateLimits.findOne({ _id: account.id })) ?? { free_at: new Date() };
    await rateLimits.updateOne({ _id: account.id }, { $set: { free_at: new Date(free_at.getTime() - 3_000_000) } });
    expect(await sendAtOnce(account, 30)).toEqual({ 201: 3, 429: 27 });
  });

  it('after a clock that was ahead, changes are blocked for at most the length of a burst', async () => {
    const account = await aSlowAccount();
    await send(account);
    await rateLimits.updateOne({ _id: account.id }, { $set: { free_at: new Date(Date.now() + 365 * 86_400_000) } });
    const { status, headers } = await send(account);
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(1_000);
  });

  it('the rate of changes is reported with each change, and with the time to continue', async () => {
    const account = await aSlowAccount();
    for (const left of [19, 18]) {
      const { headers } = await send(account);
      expect(headers).toMatchObject({
        ratelimit: expect.stringMatching(new RegExp(`^"writes";r=${left};t=\\d+$`)),
        'ratelimit-policy': '"writes";q=20;w=20000',
      });
    }
    await sendAtOnce(account, 18);
    const { status, headers, body } = await send(account);
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        title: 'Too many requests',
        description: `Too many attempts. Try again in ${Math.ceil(Number(headers['retry-after']) / 60)} minutes.`,
        code: 'too_many_requests',
      },
    });
    expect(Number(headers['retry-after'])).toBeGreaterThan(900);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(1_000);
    expect(headers.ratelimit).toMatch(/^"writes";r=0;t=\d+$/);
  });

  it('the rate of changes does not count reads, and is checked after the token', async () => {
    const account = await aSlowAccount();
    await sendAtOnce(account, 20);
    const { status, headers } = await call('GET', '/api/users/me', { token: account.token });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('ratelimit');
    expect((await call('DELETE', '/api/sessions', { token: account.token })).status).toBe(429);
    expect((await call('DELETE', '/api/sessions', { token: 'a'.repeat(32) })).status).toBe(401);
  });

  it('the rate of changes can be different for one account', async () => {
    const bot = await aSlowAccount();
    await users.updateOne({ _id: new ObjectId(bot.id) }, { $set: { writes_per_second: 10_000 } });
    expect(await sendAtOnce(bot, 60)).toEqual({ 201: 60 });
    expect((await send(bot)).headers['ratelimit-policy']).toBe('"writes";q=50000;w=5');
  });

  it('the rate of changes that an administrator sets for an account holds in every process within seconds, until it is taken back', async () => {
    const [admin, bot] = [await anAdmin(), await aSlowAccount()];
    const set = async (writes_per_second: number | null) => {
      const { token } = admin;
      const { status } = await call('PATCH', `/api/users/${bot.id}/usage`, { token, body: { writes_per_second } });
      expect(status).toBe(204);
    };
    const policies = async () => {
      const replies = await Promise.all(Array.from({ length: 10 }, () => send(bot)));
      return [...new Set(replies.map(({ headers }) => headers['ratelimit-policy']))];
    };
    await set(1_000);
    await expect.poll(policies, { timeout: 20_000 }).toEqual(['"writes";q=5000;w=5']);
    await set(null);
    await expect.poll(policies, { timeout: 20_000 }).toEqual(['"writes";q=20;w=20']);
  });
});
