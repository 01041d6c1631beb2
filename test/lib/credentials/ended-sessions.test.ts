import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { loginLimits } from '../../../lib/collections/accounts/login-limits.ts';
import { tokens } from '../../../lib/collections/accounts/tokens.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { withPasswordThread } from '../../../lib/credentials/password-pool.ts';
import { createSession, endSessions } from '../../../lib/credentials/sessions.ts';
import { keyOf } from '../../../lib/identity/slots.ts';
import { logIn } from '../../../lib/sign-in/login.ts';
import { anAccount, anAddress } from '../../support/accounts.ts';

const sessionsOf = (user: ObjectId) => tokens.countDocuments({ user, kind: 'session' });

/** Ends the sessions of an account, as a new password does. */
async function endAll(_id: ObjectId): Promise<void> {
  await users.updateOne({ _id }, { $inc: { session_generation: 1 } });
  await endSessions(_id, 1, undefined);
}

it('a login that is under way when the sessions of its account end is refused, and leaves no session', async () => {
  const { id, username, password } = await anAccount();
  const [_id, { promise: end, resolve }] = [new ObjectId(id), Promise.withResolvers<void>()];
  // There are one or two threads for passwords: the login waits for them.
  const busy = [1, 2].map(() => withPasswordThread(() => end));
  const login = logIn({ name: username, password, source: anAddress(), agent: 'test' });
  await expect.poll(async () => (await loginLimits.findOne({ _id: keyOf('account', id) }))?.attempts.length).toBe(1);
  await endAll(_id);
  resolve();
  await expect(login).rejects.toMatchObject({ status: 401 });
  expect(await sessionsOf(_id)).toBe(0);
  await Promise.all(busy);
});

it('a session of a new account ends with the others, even if it was stored later', async () => {
  const _id = new ObjectId((await anAccount()).id);
  await endAll(_id);
  await createSession({ _id, session_generation: 0 }, 'test');
  expect(await sessionsOf(_id)).toBe(0);
});
