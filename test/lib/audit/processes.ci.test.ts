import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyTrail } from '../../../lib/audit/trail.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { audit } from '../../../lib/collections/service/audit.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { startProcesses } from '../../support/processes.ts';
import type { Reply } from '../../support/transports.ts';
import type { CallJob } from '../../support/workers/call.ts';

useOwnDatabase();

const start = (count: number) => startProcesses<CallJob, Reply>(count, 'call', { RATE_LIMITS: 'off' });
const [admin, processes] = await Promise.all([anAdmin(), start(2)]);
afterAll(() => processes.end());

const promotion = ({ id }: Account): CallJob => ({
  method: 'PATCH',
  path: `/api/users/${id}`,
  sent: { token: admin.token, body: { is_admin: true } },
});

const entriesOf = (accounts: Account[]) =>
  audit.countDocuments({ 'target.id': { $in: accounts.map(({ id }) => new ObjectId(id)) }, failed: null });

describe('the audit log of several processes', () => {
  it('the audit log is one chain without a gap after two processes have written fifty entries each at the same time', async () => {
    const account = await anAccount();
    const job: CallJob = { method: 'DELETE', path: `/api/users/${account.id}/usage`, sent: { token: admin.token } };
    const replies: Reply[] = [];
    // Ten at a time in each process: with more, a busy machine exceeds the time of a request.
    const lanes = Array.from({ length: 20 }, async (_, index) => {
      for (let call = 0; call < 5; call++) replies.push(await processes.ask(index, job));
    });
    await Promise.all(lanes);
    expect(replies.map(({ status }) => status)).toEqual(Array(100).fill(204));
    expect(await entriesOf([account])).toBe(100);
    expect(await verifyTrail()).toMatchObject({ problem: null });
  });

  it('the audit log is whole after a process was killed, and has an entry of all that the process did', async () => {
    for (const after of [5, 15, 30]) {
      const accounts = await Promise.all(Array.from({ length: 20 }, () => anAccount()));
      const killed = await start(1);
      let answered = 0;
      const calls = accounts.map(async (account) => {
        await killed.ask(0, promotion(account));
        answered++;
      });
      await Promise.race([Promise.allSettled(calls), expect.poll(() => answered, { interval: 1 }).toBeGreaterThan(after / 5)]);
      killed.signal(0, 'SIGKILL');
      await Promise.allSettled(calls);
      const ids = accounts.map(({ id }) => new ObjectId(id));
      const promoted = await users.countDocuments({ _id: { $in: ids }, is_admin: true });
      expect(await entriesOf(accounts)).toBeGreaterThanOrEqual(promoted);
      for (const { _id } of await users.find({ _id: { $in: ids }, is_admin: true }).toArray())
        expect(await audit.countDocuments({ 'target.id': _id, action: 'user.promoted' })).toBe(1);
      const [one] = accounts as [Account];
      expect((await processes.ask(0, promotion(one))).status).toBe(200);
      expect(await verifyTrail()).toMatchObject({ problem: null });
      killed.end();
    }
  });
});
