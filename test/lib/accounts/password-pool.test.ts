import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';

// Expensive enough for two queued passwords to take two seconds.
process.env.BCRYPT_COST = '14';
const { computeInThread } = await import('../../../lib/accounts/password-pool.ts');
const { hashPassword, verifyPassword } = await import('../../../lib/accounts/passwords.ts');
const { inProcess } = await import('../../support/transports.ts');
const { aName } = await import('../../support/accounts.ts');

const aHash = (plain = 'correct horse', cost = 4) => computeInThread({ isNew: true, plain, cost });

describe('the threads for passwords', () => {
  it('do not block other requests', async () => {
    let isHashed = false;
    const hashed = aHash('correct horse', 12).then(() => {
      isHashed = true;
    });
    for (let request = 0; request < 5; request++)
      expect(await inProcess('GET', '/api/users/me', {})).toMatchObject({ status: 401 });
    expect(isHashed).toBe(false);
    await hashed;
  });

  it('compute the same hashes as bcryptjs', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).toMatch(/^\$2b\$14\$/);
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('battery staple', hash)).toBe(false);
  });

  it('queue no more than two seconds of work, and refuse the rest immediately', async () => {
    const ended: string[] = [];
    const signUp = async () => {
      const username = aName();
      const body = { username, email: `${username}@example.org`, password: 'correct horse' };
      const { status, headers } = await inProcess('POST', '/api/users', { body });
      ended.push(status === 503 ? `${status}, Retry-After ${headers['retry-after']}` : `${status}`);
    };
    await Promise.all(Array.from({ length: 12 }, signUp));
    // In each of one or two threads, one is computed and two are queued.
    const created = ended.filter((end) => end === '201').length;
    expect(created).toSatisfy((count) => count === 3 || count === 6);
    expect(ended.slice(0, -created)).toEqual(Array(12 - created).fill('503, Retry-After 2'));
  });

  it('are replaced when one ends, which fails only what it was computing', async () => {
    const posted = vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
      this.emit('error', new Error('The thread ended.'));
    });
    const [failed, next] = await Promise.allSettled([aHash(), aHash()]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'The thread ended.' } });
    expect(next).toMatchObject({ status: 'fulfilled', value: expect.stringMatching(/^\$2b\$04\$/) });
    posted.mockRestore();
  });
});
