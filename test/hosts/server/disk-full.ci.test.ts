import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeImage, mountImage, whyNoImages } from '../../../packages/embedded-mongodb/test/support/loop-image.ts';
import { commands, freePort } from '../../../tools/harness/service.ts';
import { runCommand } from '../../support/run-command.ts';
import { aService } from '../../support/services.ts';
import { overHttp } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

const hindrance = whyNoImages();

describe.runIf(isEmbedded && hindrance === undefined)('npm run serve on a disk that is full', () => {
  it('npm run serve on a full disk says so in the answers to writes, in its health, its metrics, and once a minute in its log', async () => {
    const place = mkdtempSync(join(tmpdir(), 'chat-full-'));
    makeImage(join(place, 'image'), 32);
    const image = mountImage(join(place, 'image'));
    const metricsPort = await freePort();
    const dataDir = join(image.mountpoint, 'data');
    const settings = {
      MONGODB_URI: '',
      MONGODB_DATABASE: 'chat',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      METRICS_PORT: metricsPort,
    };
    const service = await aService(settings, commands.serve);
    onTestFinished(async () => {
      await service.stop();
      image.unmount();
      rmSync(place, { recursive: true });
    });
    const call = overHttp(service.url);
    const administer = async (...words: string[]) =>
      (await runCommand(['node', 'admin/main.ts', ...words], { environment: settings, input: 'open sesame\n' })).stdout.trim();
    await administer('user', 'create', 'ann', '--email', 'ann@example.org', '--admin', '--password-stdin');
    const token = await administer('token', 'create', 'ann', '--name', 'laptop');
    const isReadOnly = async () =>
      /^chat_database_read_only (.*)$/m.exec(await (await fetch(`http://localhost:${metricsPort}/metrics`)).text())?.[1];
    expect([(await call('GET', '/api/health')).status, await isReadOnly()]).toEqual([200, '0']);

    const filler = join(image.mountpoint, 'filler');
    fill(filler);
    // The write-ahead log needs more space.
    const topic = 'x'.repeat(200);
    const create = () => call('POST', '/api/rooms', { token, body: { name: 'Room', topic } });
    await expect.poll(async () => (await create()).status, { interval: 0 }).toBe(503);
    const refusals = await Promise.all(Array.from({ length: 20 }, create));
    expect(refusals.map(({ body }) => body)).toEqual(
      Array(20).fill({
        title: 'Service unavailable',
        description: 'The disk of the database is full: nothing can be written until there is space.',
      }),
    );
    expect(await call('GET', '/api/health')).toMatchObject({
      status: 503,
      body: { description: 'Nothing can be written to the database: no space left on the device; nothing was written.' },
    });
    expect(await isReadOnly()).toBe('1');
    expect(service.output().match(/"message":"database unavailable"/g)).toHaveLength(1);
    expect(service.output()).not.toContain('"stack"');

    rmSync(filler);
    expect((await call('GET', '/api/health')).status).toBe(200);
    expect((await create()).status).toBe(201);
  });
});

/** Takes all space. */
function fill(path: string): void {
  for (let size = 1_000_000; size >= 1; size = Math.floor(size / 10))
    try {
      for (;;) appendFileSync(path, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
}
