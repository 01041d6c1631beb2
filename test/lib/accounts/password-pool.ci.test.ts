import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { computeInThread } from '../../../lib/credentials/password-pool.ts';
import { hashPassword, verifyPassword } from '../../../lib/credentials/passwords.ts';
import { useConfig } from '../../support/config.ts';
import { inProcess } from '../../support/transports.ts';

// Expensive enough that two queued passwords take two seconds.
useConfig({ BCRYPT_COST: '14' });

const aHash = async (plain = 'correct horse', cost = 4) => computeInThread({ isNew: true, plain, cost });

describe('the threads for passwords', () => {
  it('the threads for passwords do not block other requests', async () => {
    // The first request loads its modules, which may take longer than the hash on a busy machine.
    await inProcess('GET', '/api/users/me', {});
    let isHashed = false;
    const hashed = aHash('correct horse', 14).then(() => {
      isHashed = true;
    });
    for (let request = 0; request < 5; request++)
      expect(await inProcess('GET', '/api/users/me', {})).toMatchObject({ status: 401 });
    expect(isHashed).toBe(false);
    await hashed;
  });

  it('the threads for passwords compute the same hashes as bcryptjs', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).toMatch(/^\$2b\$14\$/);
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('battery staple', hash)).toBe(false);
  });

  it('the threads for passwords queue no more than two seconds of work, and refuse the rest immediately', async () => {
    const ended: string[] = [];
    const compute = () =>
      aHash('correct horse', 14).then(
        () => ended.push('computed'),
        ({ status, headers }) => ended.push(`${status}, Retry-After ${headers['Retry-After']}`),
      );
    await Promise.all(Array.from({ length: 12 }, compute));
    // With one or two threads, each computes one hash and has two queued.
    const computed = ended.filter((end) => end === 'computed').length;
    expect(computed).toSatisfy((count) => count === 3 || count === 6);
    expect(ended.slice(0, -computed)).toEqual(Array(12 - computed).fill('503, Retry-After 2'));
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
