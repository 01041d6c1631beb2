import bcrypt from 'bcryptjs';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { changeUser } from '../../../lib/accounts/accounts.ts';
import { HttpError } from '../../../lib/base/errors.ts';
import { database } from '../../../lib/database/client.ts';
import { logIn } from '../../../lib/sign-in/login.ts';
import { median } from '../../../tools/bench/measure.ts';
import { aName, anAccount, anAddress } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';

// Expensive enough that the hash dominates the time of a login.
useConfig({ BCRYPT_COST: '7' });

const users = database.collection('users');
const hashOf = async (id: string): Promise<string> => (await users.findOne({ _id: new ObjectId(id) }))?.password_hash;
const attempt = (name: string, password: string) => logIn({ name, password, source: anAddress(), agent: undefined });

describe('a login', () => {
  it('a login takes the same time for an unknown name, a wrong password, an old hash and a deactivated account', async () => {
    const [known, old, deactivated] = [await anAccount(), await anAccount(), await anAccount()];
    await users.updateOne({ _id: new ObjectId(old.id) }, { $set: { password_hash: await bcrypt.hash(old.password, 4) } });
    await changeUser(new ObjectId(deactivated.id), { is_active: false });
    const kinds = {
      unknown: () => attempt(aName(), 'incorrect horse'),
      wrong: () => attempt(known.username, 'incorrect horse'),
      old: () => attempt(old.username, 'incorrect horse'),
      deactivated: () => attempt(deactivated.username, deactivated.password),
    };
    // CPU time in microseconds, so that other load on the machine does not count. The median leaves
    // out the attempts during which the process also compiled or collected garbage.
    const taken: Record<string, number[]> = { unknown: [], wrong: [], old: [], deactivated: [] };
    for (let round = 0; round < 24; round++) {
      for (const [kind, run] of Object.entries(kinds)) {
        const start = process.cpuUsage();
        await expect(run()).rejects.toThrow('The username or password is incorrect.');
        taken[kind]?.push(process.cpuUsage(start).user);
      }
    }
    const [unknown = 0, ...others] = Object.values(taken).map(median);
    // Without a hash to compare, an unknown name would take less than half as long.
    for (const other of others) {
      expect(other / unknown).toBeGreaterThan(0.75);
      expect(other / unknown).toBeLessThan(1.33);
    }
  });

  it('a login renews a hash that was created at a lower cost, and no other', async () => {
    const { id, username, password } = await anAccount();
    const cheap = await bcrypt.hash(password, 4);
    await users.updateOne({ _id: new ObjectId(id) }, { $set: { password_hash: cheap } });
    await expect(attempt(username, 'incorrect horse')).rejects.toThrow(HttpError);
    expect(await hashOf(id)).toBe(cheap);

    await attempt(username, password);
    const renewed = await hashOf(id);
    expect(renewed).toMatch(/^\$2b\$07\$/);
    await attempt(username, password);
    expect(await hashOf(id)).toBe(renewed);
  });

  it('a login compares every byte of a password, even where bcrypt would stop', async () => {
    const { id, username } = await anAccount();
    const whole = 'é'.repeat(36);
    await changeUser(new ObjectId(id), { password: whole });
    await expect(attempt(username, `${whole}x`)).rejects.toThrow('The username or password is incorrect.');
    await expect(attempt(username, whole)).resolves.toMatchObject({ user: { username } });
  });

  it('a login with the old password while a new one is being set leaves no valid session', async () => {
    const { id, username, password } = await anAccount();
    const [session] = await Promise.all([
      // It is refused if the new password is stored before the session.
      attempt(username, password).catch((error) => void expect(error).toMatchObject({ status: 401 })),
      changeUser(new ObjectId(id), { password: 'battery staple' }),
    ]);
    const { findCaller } = await import('../../../lib/identity/authenticate.ts');
    expect(await findCaller(session ? session.token : undefined)).toBeUndefined();
  });
});
