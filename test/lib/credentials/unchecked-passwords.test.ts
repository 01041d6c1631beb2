import { expect, it } from 'vitest';
import { withDeadline } from '../../../lib/base/deadline.ts';
import { withTurn } from '../../../lib/base/outside.ts';
import { loginLimits } from '../../../lib/collections/accounts/login-limits.ts';
import { withPasswordThread } from '../../../lib/credentials/password-pool.ts';
import { keyOf } from '../../../lib/identity/slots.ts';
import { logIn } from '../../../lib/sign-in/login.ts';
import { anAccount, anAddress } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';

useConfig({ RATE_LIMITS: 'on', LOGINS_PER_MINUTE: '3' });

/** Keeps the threads for passwords, and all places of a payer in their queue, during some work. */
async function withFullQueue(caller: string, work: () => Promise<void>): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const inTurn = <T>(job: () => T) => withTurn({ caller, pause: () => {}, leave: () => {}, resume: async () => {} }, job);
  // There are one or two threads.
  const jobs = Array.from({ length: 66 }, () => inTurn(() => withPasswordThread(() => end)).catch(() => undefined));
  await inTurn(work).finally(resolve);
  await Promise.all(jobs);
}

it('logins that are refused because too many wait count for their address, and not for the account', async () => {
  const { id, username, password } = await anAccount();
  const [source, home] = [anAddress(), anAddress()];
  const logInFrom = (address: string) => logIn({ name: username, password, source: address, agent: 'test' });
  await withFullQueue(source, async () => {
    for (let count = 0; count < 6; count++) await expect(logInFrom(source)).rejects.toMatchObject({ status: 503 });
  });
  expect(await withDeadline(performance.now() + 9_000, () => logInFrom(home))).toMatchObject({ token: expect.any(String) });
  const slotsOf = async (kind: string, what: string) => (await loginLimits.findOne({ _id: keyOf(kind, what) }))?.attempts ?? [];
  expect(await slotsOf('account', id)).toEqual([]);
  for (const [kind, what] of [
    ['address', source],
    ['program at an address', JSON.stringify([source, 'test'])],
  ] as const) {
    const slots = await slotsOf(kind, what);
    expect(slots.map(({ is_pending }) => is_pending)).toEqual(Array(6).fill(false));
  }
});
