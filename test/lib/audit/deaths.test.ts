import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { verifyTrail } from '../../../lib/audit/trail.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { audit } from '../../../lib/collections/service/audit.ts';
import { anAccount, anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { countWritesOf, dyingAt } from '../../support/kills.ts';
import { inProcess } from '../../support/transports.ts';

useOwnDatabase();

const admin = await anAdmin();
countWritesOf(['audit', 'audit_states', 'users']);

describe('a process that dies while an administrator makes another', () => {
  it.each([
    ['once the entry is written', 0, false],
    ['once the end of the log is noted', 1, false],
    ['once the account is changed', 2, true],
    ['never', undefined, true],
  ])('a death (%s) leaves no act without an entry, and a log that goes on', async (_when, step, isDone) => {
    const account = await anAccount();
    const path = `/api/users/${account.id}`;
    const isDead = await dyingAt(step, () => inProcess('PATCH', path, { token: admin.token, body: { is_admin: true } }));
    expect(isDead).toBe(step !== undefined);
    const filter = { action: 'user.promoted', 'target.id': new ObjectId(account.id), failed: null };
    const stored = await users.findOne({ _id: new ObjectId(account.id) });
    expect({ isDone: stored?.is_admin, entries: await audit.countDocuments(filter) }).toEqual({ isDone, entries: 1 });
    expect(await verifyTrail()).toMatchObject({ problem: null });

    expect((await inProcess('DELETE', path, { token: admin.token, body: {} })).status).toBe(204);
    expect(await verifyTrail()).toMatchObject({ problem: null });
  });
});
