import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readHolder } from 'embedded-mongodb/holder';
import { MongoClient } from 'mongodb';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { countKills, kill } from '../../../test/support/kills.ts';
import { earlyBackgroundWork } from '../../../test/support/preload.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { aService } from '../../../test/support/services.ts';
import { overHttp } from '../../../test/support/transports.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { createRandom, testSeed } from '../../embedded-mongodb/test/support/random.ts';
import { signIn, visit } from './support.ts';

/** How often the server is killed. Four files are uploaded for each kill. */
const kills = countKills('a server, during uploads');
const uploads = 4 * kills;
/** The size of the largest file, in bytes. */
const largest = 4_000_000;
const random = createRandom(testSeed);

const directory = mkdtempSync(join(tmpdir(), 'chat-file-kills-'));
const environment = {
  MONGODB_URI: '',
  MONGODB_DATABASE: 'chat',
  DATA_DIR: join(directory, 'data'),
  FILES: join(directory, 'files'),
  FILES_PER_USER: '10GB',
};
mkdirSync(environment.FILES);
let service: Service = await aService(environment, commands.serve);
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
});

const call: ReturnType<typeof overHttp> = (method, path, sent) => overHttp(service.url)(method, path, sent);

/** An account; the first administrator's, with the code that the server prints. */
async function aPerson(username: string, code?: string) {
  const password = 'correct horse battery';
  const account = { username, email: `${username}@example.org`, password, ...(code && { code }) };
  const { body } = await call('POST', code ? '/api/setup' : '/api/users', { body: account });
  const { token, user } = body as { token: string; user: { _id: { $oid: string } } };
  return { username, password, token, id: user._id.$oid };
}

/** Makes the counts of the files look as if they had last changed long ago. */
async function ageCounts(): Promise<void> {
  const client = new MongoClient(readHolder(environment.DATA_DIR)?.uri ?? '');
  const counts = client.db(environment.MONGODB_DATABASE).collection('file_quotas');
  expect((await counts.updateMany({}, { $set: { changed_at: new Date(0) } })).matchedCount).toBeGreaterThan(0);
  await client.close();
}

/** The names in the store: of whole files, and of those that are being written. */
const stored = () => {
  const found = readdirSync(environment.FILES, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const names = found.map((one) => join(one.parentPath, one.name));
  return {
    whole: names.filter((name) => !name.endsWith('.partial')),
    partial: names.filter((name) => name.endsWith('.partial')),
  };
};

it(`a server that is killed ${kills} times during ${uploads} uploads from two browsers has each file once, whole, and nothing else`, {
  timeout: kills * 60_000,
}, async () => {
  const [ann, bob] = [await aPerson('ann', /setup#(\w{32})/.exec(service.output())?.[1]), await aPerson('bob')];
  const { body } = await call('POST', '/api/directory', { token: ann.token, body: { name: 'Pictures' } });
  const room = (body as { _id: { $oid: string } })._id.$oid;
  await call('POST', '/api/members', { token: ann.token, body: { room, user: bob.id } });
  const proxy = await startProxy(new URL(service.url).host);
  const place = { path: `/rooms/${room}`, baseUrl: `http://localhost:${proxy.port}` };
  const [hers, his] = [await visit(place), await visit(place)];
  await signIn(hers.page, ann);
  await signIn(his.page, bob);

  // Load the code for files now. If a kill cuts it off, a page that holds a file does not reload.
  for (const { page } of [hers, his]) {
    const composer = page.locator('.room-pane .composer');
    await composer
      .locator('input[type=file]')
      .setInputFiles({ name: 'first.txt', mimeType: 'text/plain', buffer: Buffer.from('1') });
    await composer.getByRole('button', { name: 'Remove first.txt' }).click();
  }

  const sent = new Map<string, { size: number; sha256: string; sender: string }>();
  const write = async ({ page }: { page: Page }, sender: string, count: number) => {
    await mkdir(join(directory, sender));
    for (let at = 0; at < count; at++) {
      const bytes = randomBytes(1_000_000 + random.below(largest - 1_000_000));
      const name = `${sender}-${at}.bin`;
      await writeFile(join(directory, sender, name), bytes);
      sent.set(name, { size: bytes.length, sha256: hash('sha256', bytes), sender });
      // A kill also cuts off code that is loaded late. The page then loads itself again, but never
      // while it holds a file; a file that is chosen at that moment is chosen again.
      const choose = async () => {
        await page.locator('.room-pane .composer input[type=file]').setInputFiles(join(directory, sender, name));
        await page.locator('.room-pane .composer').getByText(name).waitFor({ timeout: 15_000 });
      };
      await choose().catch(choose);
      await page.locator('.room-pane .composer textarea').press('Enter');
      // It is stored in the browser from here on.
      await page.locator('.room-pane .composer').getByText(name).waitFor({ state: 'detached' });
      // Few wait at a time: a browser need not hold all of them.
      await expect.poll(() => page.locator('.room-pane li.pending').count(), { timeout: 120_000 }).toBeLessThan(4);
    }
  };

  const killAgainAndAgain = async () => {
    for (let turn = 0, cut = 0; turn < kills; turn++) {
      const due = Math.floor((uploads * turn) / kills);
      // In the middle of an upload, after some were completed since the last time.
      while (stored().whole.length < due || stored().partial.length <= cut) await delay(1);
      // At once, which cuts one off, or a little later, in the middle of what comes after it.
      if (turn % 2 > 0) await delay(random.below(30));
      await kill(service);
      cut = stored().partial.length;
      service = await aService(environment, commands.serve);
      proxy.aim(new URL(service.url).host);
    }
  };
  const half = Math.ceil(uploads / 2);
  await Promise.all([write(hers, 'ann', half), write(his, 'bob', uploads - half), killAgainAndAgain()]);
  const messages = async () => {
    const found: { files: { _id: { $oid: string }; name: string }[] }[] = [];
    for (let before = ''; ; ) {
      const reply = await call('GET', `/api/messages?room=${room}&limit=100${before}`, { token: ann.token });
      const page = reply.body as (typeof found)[number] & { seq: number }[] & typeof found;
      found.push(...page);
      const next = /[?&](before=[^&>]*)[^>]*>; rel="next"/.exec(String(reply.headers.link ?? ''))?.[1];
      if (!next) return found;
      before = `&${next}`;
    }
  };
  await expect.poll(async () => (await messages()).length, { timeout: 600_000, interval: 500 }).toBeGreaterThanOrEqual(uploads);
  // Some uploads were cut off in their middle.
  expect(stored().partial).not.toEqual([]);

  // Old unfinished uploads are removed. Files that were counted twice are counted again, once their
  // count has not changed for a minute.
  await ageCounts();
  await service.stop();
  for (const name of [...stored().whole, ...stored().partial]) utimesSync(name, 0, 0);
  service = await aService({ ...environment, ...earlyBackgroundWork }, commands.serve);
  const bytesOf = async ({ id }: typeof ann) =>
    ((await call('GET', `/api/users/${id}/usage`, { token: ann.token })).body as { file_bytes: number }).file_bytes;
  const sum = (sender: string) => [...sent.values()].reduce((all, one) => all + (one.sender === sender ? one.size : 0), 0);
  await expect
    .poll(async () => ({ ...count(stored()), ann: await bytesOf(ann), bob: await bytesOf(bob) }), {
      timeout: 120_000,
      interval: 1_000,
    })
    .toEqual({ whole: uploads, partial: 0, ann: sum('ann'), bob: sum('bob') });

  const files = (await messages()).flatMap((message) => message.files);
  expect(files.map(({ name }) => name).sort()).toEqual([...sent.keys()].sort());
  for (const { _id, name } of files) {
    const answer = await fetch(`${service.url}/api/files/${_id.$oid}/content`, { headers: { 'X-Auth-Token': bob.token } });
    expect(hash('sha256', Buffer.from(await answer.arrayBuffer())), name).toBe(sent.get(name)?.sha256);
  }
  expect([hers.problems, his.problems]).toEqual([[], []]);
  await Promise.all([hers.context.close(), his.context.close(), proxy.close()]);
});

const count = ({ whole, partial }: ReturnType<typeof stored>) => ({ whole: whole.length, partial: partial.length });
