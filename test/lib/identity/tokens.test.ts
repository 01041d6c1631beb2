import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Collection, ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { withTurn } from '../../../lib/base/outside.ts';
import { database } from '../../../lib/database/client.ts';
import { createToken } from '../../../lib/identity/api-tokens.ts';
import { findCaller, findCallersOf } from '../../../lib/identity/authenticate.ts';
import { randomToken } from '../../../lib/identity/tokens.ts';
import { anAccount, anAdmin, aSession } from '../../support/accounts.ts';
import { inProcess } from '../../support/transports.ts';

const tokens = database.collection('tokens');
const hashOf = (token: string) => createHash('sha256').update(token).digest();

describe('a token', () => {
  it('a token is 32 of the 36 characters a-z and 0-9, and kept only as a SHA-256', async () => {
    const { token } = await createToken(new ObjectId(), 'laptop');
    expect(token).toMatch(/^[a-z0-9]{32}$/);
    const kept = await tokens.findOne({ hash: hashOf(token) });
    expect(kept).toMatchObject({ name: 'laptop', kind: 'api', hint: token.slice(-4), expires_at: null });
    expect(JSON.stringify(kept)).not.toContain(token);
  });

  it('a token has every character equally often, and is unique', () => {
    const made = Array.from({ length: 31_250 }, randomToken);
    const counts = new Map<string, number>();
    for (const character of made.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = 1_000_000 / 36;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(counts.size).toBe(36);
    // 35 degrees of freedom. A fair draw is above 90 once in a million runs. The remainder of a
    // byte would give about 2,000.
    expect(chiSquare).toBeLessThan(90);
    expect(new Set(made).size).toBe(made.length);
  });

  it('a token identifies the caller', async () => {
    const { id, username, email, token } = await anAdmin();
    expect(await findCaller(token)).toEqual({
      mustSetUpSecondFactor: false,
      token: { _id: expect.any(ObjectId), kind: 'api', scopes: [] },
      user: { _id: new ObjectId(id), username, email, is_admin: true, is_active: true, created_at: expect.any(Date) },
      at: expect.any(Date),
    });
  });

  it.each([
    ['expired a moment ago', { expires_at: new Date(Date.now() - 1_000) }, false],
    ['expires in a minute', { expires_at: new Date(Date.now() + 60_000) }, true],
  ])('a token that %s is judged by the clock of the database, even before it is deleted', async (_when, change, valid) => {
    const { token } = await anAccount();
    await tokens.updateOne({ hash: hashOf(token) }, { $set: change });
    expect((await findCaller(token)) !== undefined).toBe(valid);
  });

  it.each([
    ['was revoked', (_id: string, token: string) => tokens.deleteMany({ hash: hashOf(token) })],
    [
      "is a deactivated account's",
      (id: string) => database.collection('users').updateOne({ _id: new ObjectId(id) }, { $set: { is_active: false } }),
    ],
    ["is a deleted account's", (id: string) => database.collection('users').deleteOne({ _id: new ObjectId(id) })],
  ])('a token that %s is not valid', async (_what, change) => {
    const { id, token } = await anAccount();
    expect(await findCaller(token)).toBeDefined();
    await change(id, token);
    expect(await findCaller(token)).toBeUndefined();
  });

  it('a token records that it was used, and again only after an hour', async () => {
    const { token } = await anAccount();
    const lastUse = async (): Promise<Date | null> => (await tokens.findOne({ hash: hashOf(token) }))?.last_used_at ?? null;
    const usedAt = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000);
    expect(await lastUse()).toBeNull();
    await findCaller(token);
    await expect.poll(lastUse).toBeInstanceOf(Date);

    const almostAnHourAgo = usedAt(59);
    await tokens.updateOne({ hash: hashOf(token) }, { $set: { last_used_at: almostAnHourAgo } });
    for (let use = 0; use < 5; use++) await findCaller(token);
    expect(await lastUse()).toEqual(almostAnHourAgo);

    await tokens.updateOne({ hash: hashOf(token) }, { $set: { last_used_at: usedAt(61) } });
    await findCaller(token);
    await expect.poll(async () => ((await lastUse())?.getTime() ?? 0) > almostAnHourAgo.getTime()).toBe(true);
  });

  it('a token of a session is not valid once its user has a new generation of sessions', async () => {
    const { id, token } = await anAccount();
    await tokens.updateOne({ hash: hashOf(token) }, { $set: { kind: 'session', generation: 0 } });
    expect(await findCaller(token)).toMatchObject({ token: { kind: 'session' } });
    await database.collection('users').updateOne({ _id: new ObjectId(id) }, { $inc: { session_generation: 1 } });
    expect(await findCaller(token)).toBeUndefined();
  });

  it('a request releases its slot while it waits for a session to join a new generation', async () => {
    const { id, token } = await anAccount();
    await tokens.updateOne({ hash: hashOf(token) }, { $set: { kind: 'session', generation: 0 } });
    await database.collection('users').updateOne({ _id: new ObjectId(id) }, { $inc: { session_generation: 1 } });
    const turn = { caller: id, pause: vi.fn(), leave: () => {}, resume: vi.fn(async () => {}) };
    expect(await withTurn(turn, () => findCaller(token))).toBeUndefined();
    expect(turn.pause).toHaveBeenCalled();
    expect(turn.resume).toHaveBeenCalledTimes(turn.pause.mock.calls.length);
  });

  it('the kept session of a new password stays connected while it joins the new generation', async () => {
    const { id, token } = await anAccount();
    const of = { hash: hashOf(token) };
    await tokens.updateOne(of, { $set: { kind: 'session', generation: 0 } });
    const { _id } = (await tokens.findOne(of)) ?? {};
    await database.collection('users').updateOne({ _id: new ObjectId(id) }, { $inc: { session_generation: 1 } });
    const found = findCallersOf([_id as ObjectId]);
    await Promise.race([found, sleep(30)]);
    await tokens.updateOne(of, { $max: { generation: 1 } });
    expect([...(await found).keys()]).toEqual([String(_id)]);
  });

  it('a token of a session stays valid while a new password ends the other sessions', async () => {
    const account = await anAccount();
    const token = await aSession(inProcess, account);
    const { updateOne } = Collection.prototype;
    const statuses: number[] = [];
    const spy = vi.spyOn(Collection.prototype, 'updateOne').mockImplementation(async function (this: Collection, ...all) {
      if (this.collectionName !== 'tokens' || !('$max' in all[1])) return updateOne.apply(this, all);
      // Between the write of the account and that of the session.
      const asked = inProcess('GET', '/api/users/me', { token });
      await Promise.race([asked, sleep(30)]);
      const written = await updateOne.apply(this, all);
      statuses.push((await asked).status);
      return written;
    });
    const body = { password: 'another horse', current_password: account.password };
    statuses.push((await inProcess('PATCH', '/api/users/me', { token, body })).status);
    spy.mockRestore();
    expect(statuses).toEqual([200, 200]);
  });
});
