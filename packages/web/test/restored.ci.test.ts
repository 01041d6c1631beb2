import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type ChatClient, createChatClient, type Message, unwrap } from 'chat-service-client';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startProxy } from '../../../test/support/proxy.ts';
import { runCommand } from '../../../test/support/run-command.ts';
import { aService } from '../../../test/support/services.ts';
import { commands } from '../../../tools/harness/service.ts';
import { say, signIn, textsOf, visit } from './support.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-restored-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const project = fileURLToPath(new URL('../../../', import.meta.url));
const patience = { timeout: 120_000, interval: 250 };
const password = 'correct horse';

it('two browsers, a typed client and a bridge that were ahead of a restored backup show the state of the service, and lose nothing unsent', async () => {
  const dataDir = join(folder, 'data');
  const environment = { DATA_DIR: dataDir, MONGODB_URI: '', REGISTRATION: 'open' };
  let service = await aService(environment, commands.serve);
  onTestFinished(async () => void (await service.stop()));
  const proxy = await startProxy(new URL(service.url).host);
  onTestFinished(() => proxy.close());
  const baseUrl = `http://localhost:${proxy.port}`;

  const [ann, bob] = [await signUp(service.url, 'ann'), await signUp(service.url, 'bob')];
  const direct = () => createChatClient({ baseUrl: service.url, token: bob });
  const { _id } = await unwrap(
    createChatClient({ baseUrl: service.url, token: ann }).POST('/api/directory', { body: { name: 'Hall' } }),
  );
  const room = _id.$oid;
  await unwrap(direct().POST('/api/members', { body: { room } }));
  const place = { path: `/rooms/${room}`, baseUrl };
  const [hers, his] = [await visit(place), await visit(place)];
  onTestFinished(async () => void (await Promise.all([hers.context.close(), his.context.close()])));
  await signIn(hers.page, { username: 'ann', password });
  await signIn(his.page, { username: 'bob', password });
  for (const { page } of [hers, his]) await page.locator('.room-pane .composer textarea').waitFor();

  const followed = follow(createChatClient({ baseUrl, token: ann }), room);
  const bridge = await startBridge({ CHAT_URL: baseUrl, CHAT_TOKEN: ann, CHAT_ROOM: room });
  const logs = async () => [await textsOf(hers.page), await textsOf(his.page), followed(), bridge()];
  const stored = async () =>
    (await unwrap(direct().GET('/api/messages', { params: { query: { room, limit: 200 } } }))).map(({ text }: Message) => text);
  const areAllThere = async () => {
    const texts = await stored();
    await expect.poll(logs, patience).toEqual([texts, texts, texts, texts]);
    return texts;
  };

  for (const text of ['kept 1', 'kept 2', 'kept 3']) await say(hers.page, text);
  await expect.poll(stored, patience).toHaveLength(3);
  await areAllThere();
  const copy = join(folder, 'copy');
  const backup = ['node', 'admin/main.ts', 'backup', copy];
  expect(await runCommand(backup, { environment: { ...environment, AUDIT_LOG: '' } })).toMatchObject({ code: 0 });
  // The backup undoes a later edit.
  const [first] = await unwrap(direct().GET('/api/messages', { params: { query: { room } } }));
  const path = { message: first?._id.$oid ?? '' };
  await unwrap(
    createChatClient({ baseUrl, token: ann }).PATCH('/api/messages/{message}', { params: { path }, body: { text: 'edited' } }),
  );
  for (const text of ['lost 1', 'lost 2', 'lost 3', 'lost 4', 'lost 5']) await say(his.page, text);
  await expect.poll(stored, patience).toHaveLength(8);
  await expect.poll(async () => (await textsOf(hers.page)).at(-1), patience).toBe('lost 5');
  await expect.poll(() => [followed().at(-1), bridge().at(-1)], patience).toEqual(['lost 5', 'lost 5']);

  proxy.set('down');
  await hers.page.locator('.room-pane .composer textarea').fill('a draft');
  await say(his.page, 'unsent');
  await his.page.locator('.message.pending').waitFor();
  await service.stop();
  await rm(dataDir, { recursive: true });
  await cp(copy, dataDir, { recursive: true });
  service = await aService(environment, commands.serve);
  // They take the places that all have seen taken by others, and go beyond them.
  for (let n = 1; n <= 9; n++) await unwrap(direct().POST('/api/messages', { body: { room, text: `new ${n}` } }));
  proxy.aim(new URL(service.url).host);
  proxy.set('pass');

  await expect.poll(stored, patience).toContain('unsent');
  expect(await areAllThere()).toEqual([
    'kept 1',
    'kept 2',
    'kept 3',
    ...Array.from({ length: 9 }, (_, n) => `new ${n + 1}`),
    'unsent',
  ]);
  expect(await hers.page.locator('.room-pane .composer textarea').inputValue()).toBe('a draft');
  await Promise.all([hers.page.reload(), his.page.reload()]);
  await areAllThere();
  expect(await hers.page.locator('.room-pane .composer textarea').inputValue()).toBe('a draft');
  expect([...hers.problems, ...his.problems]).toEqual([]);
});

async function signUp(url: string, username: string): Promise<string> {
  const chat = createChatClient({ baseUrl: url });
  const body = { username, email: `${username}@example.org`, password };
  return (await unwrap(chat.POST('/api/users', { body }))).token ?? '';
}

/** Follows a room as a program does that keeps its messages; returns their texts. */
function follow(chat: ChatClient, room: string): () => string[] {
  const texts = new Map<string, string>();
  const readAll = async () => {
    texts.clear();
    const messages = await unwrap(chat.GET('/api/messages', { params: { query: { room, limit: 200 } } }));
    for (const { _id, text } of messages) texts.set(_id.$oid, text);
  };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  void (async () => {
    for await (const event of chat.events(room, { after: 0, signal: stop.signal })) {
      if (event.type === 'reset') await readAll();
      else if (event.data && 'text' in event.data) texts.set(event.data._id.$oid, event.data.text);
    }
  })();
  return () => [...texts.values()];
}

/** Starts the bridge of the recipes, and what it passes messages on to; returns what that has. */
async function startBridge(environment: Record<string, string>): Promise<() => string[]> {
  const recipes = await readFile(join(project, 'docs/recipes.md'), 'utf8');
  const [, code = ''] = /```ts bridge\.ts\n(.*?)\n```/s.exec(recipes) ?? [];
  const program = join(folder, 'bridge.js');
  await build({
    stdin: { contents: code, loader: 'ts', resolveDir: project },
    alias: { 'chat-service-client': join(project, 'packages/client/src/index.ts') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
  let passed: string[] = [];
  const target = createServer(async (request, response) => {
    const body = (await json(request)) as { reset?: boolean; text?: string };
    passed = body.reset ? [] : [...passed, body.text ?? ''];
    response.end();
  }).listen(0, 'localhost');
  await once(target, 'listening');
  const TARGET = `http://localhost:${(target.address() as AddressInfo).port}/`;
  await writeFile(join(folder, 'last-seq'), '0');
  let child: ChildProcess | undefined;
  let isOver = false;
  // Restarts it, as a supervisor would.
  const run = () => {
    if (isOver) return;
    child = spawn('node', [program], { cwd: folder, env: { ...process.env, ...environment, TARGET }, stdio: 'inherit' });
    child.once('close', run);
  };
  run();
  onTestFinished(async () => {
    isOver = true;
    child?.kill();
    target.close();
  });
  return () => passed;
}
