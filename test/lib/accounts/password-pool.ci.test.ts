import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { withDeadline } from '../../../lib/base/deadline.ts';
import { withPasswordThread } from '../../../lib/credentials/password-pool.ts';
import { hashPassword, verifyPassword } from '../../../lib/credentials/passwords.ts';
import { anAccount } from '../../support/accounts.ts';
import { useConfig, withConfig } from '../../support/config.ts';
import { inProcess } from '../../support/transports.ts';

useConfig({ BCRYPT_COST: '5' });

/** A password of this cost takes a few seconds. */
const expensive = 15;

const aHash = (plain = 'correct horse', cost = 4) => withPasswordThread((compute) => compute({ isNew: true, plain, cost }));

describe('the threads for passwords', () => {
  it('the threads for passwords do not block other requests', async () => {
    // The first request loads its modules, which may take longer than the hash on a busy machine.
    await inProcess('GET', '/api/users/me', {});
    let isHashed = false;
    const hashed = aHash('correct horse', expensive).then(() => {
      isHashed = true;
    });
    for (let request = 0; request < 5; request++)
      expect(await inProcess('GET', '/api/users/me', {})).toMatchObject({ status: 401 });
    expect(isHashed).toBe(false);
    await hashed;
  });

  it('the threads for passwords compute the same hashes as bcryptjs', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).toMatch(/^\$2b\$05\$/);
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('battery staple', hash)).toBe(false);
  });

  it('a password that no thread can check in the time of its request is refused', async () => {
    const busy = [aHash('correct horse', expensive), aHash('correct horse', expensive)];
    // The last 1.5 seconds are reserved for the hash itself.
    const late = withDeadline(performance.now() + 1_600, () => aHash());
    await expect(late).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
    // On a busy machine, one of these may be refused as well.
    await Promise.allSettled(busy);
  });

  it('a password is checked in all encodings before the thread goes to the next job', async () => {
    const ended: string[] = [];
    await withConfig({ BCRYPT_COST: '8' }, () =>
      Promise.all([
        // Decomposed, so that it has two encodings. There are one or two threads.
        ...['e\u0301', 'o\u0301'].map((typed) => verifyPassword(typed, undefined).then(() => ended.push('checked'))),
        ...[1, 2].map(() => aHash().then(() => ended.push('hashed'))),
      ]),
    );
    expect(ended[0]).toBe('checked');
  });

  it('a login whose password could not be checked does not count as a wrong one', async () => {
    const { username } = await anAccount({ password: 'correct horse' });
    const logIn = () => inProcess('POST', '/api/sessions', { body: { username, password: 'correct horse' } });
    const posted = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      this.emit('error', new Error('The thread ended.'));
    });
    for (let count = 0; count < 6; count++) expect((await logIn()).status).toBe(500);
    posted.mockRestore();
    expect((await logIn()).status).toBe(201);
  });

  it('a thread for passwords that ends is replaced, and only what it was computing fails', async () => {
    const posted = vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
      this.emit('error', new Error('The thread ended.'));
    });
    const [failed, next] = await Promise.allSettled([aHash(), aHash()]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'The thread ended.' } });
    expect(next).toMatchObject({ status: 'fulfilled', value: expect.stringMatching(/^\$2b\$04\$/) });
    posted.mockRestore();
  });
});
