import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { users } from '../../../lib/collections/accounts/users.ts';
import { costOf } from '../../../lib/credentials/bcrypt.ts';
import { logIn } from '../../../lib/sign-in/login.ts';
import { anAccount, anAddress } from '../../support/accounts.ts';
import { withConfig } from '../../support/config.ts';

it('a login succeeds although the cheap hash of its password cannot be renewed, and the next login renews it', async () => {
  const { username, password } = await anAccount();
  const findCost = async () => costOf((await users.findOne({ username }))?.password_hash ?? '');
  const before = await findCost();
  await withConfig({ BCRYPT_COST: String(before + 1) }, async () => {
    const login = () => logIn({ name: username, password, source: anAddress(), agent: 'test' });
    const { postMessage } = Worker.prototype;
    const posted = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message) {
      if (message.job.isNew) this.emit('error', new Error('The thread ended.'));
      else postMessage.call(this, message);
    });
    expect(await login()).toMatchObject({ token: expect.any(String) });
    posted.mockRestore();
    expect(await findCost()).toBe(before);
    await login();
    expect(await findCost()).toBe(before + 1);
  });
});
