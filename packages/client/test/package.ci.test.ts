import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aBot } from '../../../test/support/bots.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { runCommand } from '../../../test/support/run-command.ts';
import { aService, offlineUrl } from '../../../test/support/services.ts';
import { commands, freePort } from '../../../tools/harness/service.ts';
import { createChatClient, unwrap } from '../src/index.ts';

const baseUrl = await offlineUrl();
const project = fileURLToPath(new URL('../../../', import.meta.url));
const recipes = await readFile(join(project, 'docs/recipes.md'), 'utf8');
const programs = [...recipes.matchAll(/```(?:ts|python) (\S+)\n([^`]*(?:`(?!``)[^`]*)*)```/g)].map(
  ([, file = '', code = '']) => ({
    file,
    code,
  }),
);

/** Compiler options that a project may use, which also check the types of its packages. */
const strictest = [
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--noPropertyAccessFromIndexSignature',
  '--noImplicitOverride',
  '--verbatimModuleSyntax',
  '--isolatedModules',
  ...['--skipLibCheck', 'false'],
];

// A separate folder in which the package is installed from its tarball with its dependencies, like
// npm does.
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-service-client-'));
  const packed = await runCommand(['npm', 'pack', './packages/client', '--silent', '--pack-destination', folder]);
  expect(packed).toMatchObject({ code: 0, stderr: '' });
  const installed = join(folder, 'node_modules', 'chat-service-client');
  await mkdir(installed, { recursive: true });
  const unpacked = await runCommand(['tar', '-xzf', join(folder, packed.stdout.trim()), '-C', installed, '--strip-components=1']);
  expect(unpacked).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const { file, code } of programs) await writeFile(join(folder, file), code);
  await cp(join(project, 'packages/client/examples'), folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let running: ChildProcess | undefined;
afterEach(async () => {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  running.kill();
  await once(running, 'close');
});

/** Starts an example program as a user. */
const start = (file: string, { token }: Pick<Account, 'token'>, environment: Record<string, string> = {}): ChildProcess => {
  const env = { ...process.env, CHAT_URL: baseUrl, CHAT_TOKEN: token, ...environment };
  running = spawn(file.endsWith('.py') ? 'python3' : 'node', [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  return running;
};

describe('the package, installed in another folder', () => {
  it('the package has all needed files and no others', async () => {
    const files = await readdir(join(folder, 'node_modules/chat-service-client'), { recursive: true });
    expect(files.filter((file) => !file.startsWith('dist')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(await readFile(join(folder, 'node_modules/chat-service-client/LICENSE'), 'utf8')).toBe(
      await readFile('LICENSE', 'utf8'),
    );
    // Readers of the package see only its own files.
    const page = await readFile(join(folder, 'node_modules/chat-service-client/README.md'), 'utf8');
    expect([...page.matchAll(/\]\((?!https:|#)[^)]*\)/g)].map(([link]) => link)).toEqual([]);
  });

  it.each([
    ['Node.js', ['--lib', 'es2024', '--types', 'node', '--typeRoots', join(project, 'node_modules/@types')]],
    ['browsers', ['--lib', 'es2024,dom,dom.iterable', '--types', '']],
  ])('the package has types for %s', async (_where, options) => {
    const script = `import { createChatClient, type Event, unwrap } from 'chat-service-client';
      const chat = createChatClient({ baseUrl: '' });
      export const names: string[] = (await unwrap(chat.GET('/api/directory'))).map(({ name }) => name);
      // @ts-expect-error a name is a text
      export const numbers: number[] = (await unwrap(chat.GET('/api/directory'))).map(({ name }) => name);
      // @ts-expect-error the room is missing
      void chat.GET('/api/rooms/{room}');
      // @ts-expect-error there is no such path
      void chat.GET('/api/nothing');
      // @ts-expect-error there is no such parameter
      void chat.GET('/api/events', { params: { query: { room: 'r', from: 1 } } });
      // @ts-expect-error the text is no number
      void chat.POST('/api/messages', { body: { room: 'r', text: 1 } });
      const { data, error } = await chat.GET('/api/rooms/{room}', { params: { path: { room: 'r' } } });
      export const title: string = error ? error.title : data.name;
      export const textOf = (event: Event) => (event.type === 'message.created' ? event.data.text : undefined);`;
    await writeFile(join(folder, 'types.ts'), script);
    const common = ['--noEmit', ...strictest, '--target', 'es2024', '--module', 'nodenext', '--ignoreConfig'];
    expect(await runCommand(['tsc', ...common, ...options, join(folder, 'types.ts')])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('the package can be bundled for a browser, and needs nothing of Node.js', async () => {
    const contents = `export { createChatClient, unwrap } from 'chat-service-client';`;
    const { outputFiles, warnings } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    expect(warnings).toEqual([]);
    const bundle = join(folder, 'bundle.js');
    await writeFile(bundle, outputFiles[0]?.text ?? '');
    const script = `import { createChatClient, unwrap } from '${bundle}';
      console.log((await unwrap(createChatClient({ baseUrl: '${baseUrl}' }).GET('/api/health'))).status);`;
    expect(await runCommand(['node', '--input-type=module', '--eval', script])).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
  });
});

describe('the recipes', () => {
  it('the recipes pass the type check, as does the terminal chat', async () => {
    const names = programs.map(({ file }) => file).filter((file) => file.endsWith('.ts'));
    const files = [...names, 'terminal-chat.ts'].map((file) => join(folder, file));
    expect(files).toHaveLength(5);
    const options = ['--noEmit', ...strictest, '--lib', 'es2024', '--module', 'nodenext', '--target', 'es2024', '--ignoreConfig'];
    const types = ['--types', 'node', '--typeRoots', join(project, 'node_modules/@types')];
    expect(await runCommand(['tsc', ...options, ...types, ...files])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('the recipes include a bot that answers each mention in a thread', async () => {
    const ann = await anAccount();
    // The scopes are the defaults of `bot create`.
    const bot = await aBot(ann, { allowed: ['rooms:read', 'members:read', 'messages:read', 'messages:write'] });
    const room = await aRoomOf([ann, bot]);
    const chat = createChatClient({ baseUrl, token: ann.token });
    start('bot.ts', bot);
    // The bot answers messages that are sent after it has started.
    const answered = async () => {
      const { _id } = await unwrap(chat.POST('/api/messages', { body: { room, text: `@${bot.username} good morning` } }));
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return unwrap(chat.GET('/api/messages', { params: { query: { room, thread: _id.$oid } } }));
    };
    let answers = await answered();
    while (answers.length === 0) answers = await answered();
    expect(answers).toMatchObject([{ username: bot.username, text: `Hello @${ann.username}!` }]);
  });

  it.each([
    ['roll.ts', 'roll', /^user-\w+ rolled \*\*[1-4]\*\*\.$/, 'room'],
    ['utc.py', 'utc', /^It is \*\*\d\d:\d\d\*\*\.$/, 'caller'],
  ])(
    'the recipes include a bot with a slash command, which accepts only requests that the service has signed: %s',
    async (file, command, said, visibleTo) => {
      const port = await freePort();
      const OWN_URL = `http://localhost:${port}/`;
      // The receiver is on this machine, so the operator must allow it.
      const service = await aService({ WEBHOOK_HOSTS: OWN_URL.slice(0, -1) }, commands.serve);
      const ann = await anAccount();
      const bot = await aBot(ann, { allowed: ['account'] });
      const room = await aRoomOf([ann, bot]);
      start(file, bot, { CHAT_URL: service.url, OWN_URL, PORT: port });
      const chat = createChatClient({ baseUrl: service.url, token: ann.token });
      const params = { path: { room } };
      const isThere = async () => (await unwrap(chat.GET('/api/rooms/{room}/commands', { params }))).length;
      await expect.poll(isThere, { timeout: 60_000 }).toBe(1);
      const forged = () =>
        fetch(OWN_URL, { method: 'POST', body: '{"text":"4","user":{"username":"eve"}}' }).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(forged, { timeout: 60_000 }).toBe(401);
      const answer = await unwrap(chat.POST('/api/rooms/{room}/commands', { params, body: { command, text: '4' } }));
      expect(visibleTo === 'room' ? answer.message?.text : answer.text).toMatch(said);
      expect([answer.message, answer.text].filter((part) => part !== null)).toHaveLength(1);
      await service.stop();
    },
  );

  it('the recipes include a bridge that passes messages on, and continues where it stopped', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const chat = createChatClient({ baseUrl, token: ann.token });
    const send = (text: string) => unwrap(chat.POST('/api/messages', { body: { room, text } }));
    const passed: unknown[] = [];
    const target = createServer(async (request, response) => {
      passed.push(await json(request));
      response.end();
    }).listen(0, 'localhost');
    await once(target, 'listening');
    const environment = { CHAT_ROOM: room, TARGET: `http://localhost:${(target.address() as AddressInfo).port}/` };
    const passes = async (count: number) => {
      const bridge = start('bridge.ts', ann, environment);
      await expect.poll(() => passed.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
      const noted = async () => Number((await readFile(join(folder, 'last-seq'), 'utf8').catch(() => '0')).split('.').at(-1));
      await expect.poll(noted, { timeout: 60_000 }).toBe(count);
      bridge.kill();
      await once(bridge, 'close');
    };
    await send('one');
    await send('two');
    await passes(2);
    await send('three');
    await passes(3);
    expect(passed).toEqual(['one', 'two', 'three'].map((text) => ({ from: ann.username, text })));
    target.close();
  });

  it('the recipes include a dashboard that prints the unread messages', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob], { name: 'General' });
    const chat = createChatClient({ baseUrl, token: ann.token });
    await unwrap(chat.POST('/api/messages', { body: { room, text: `Hello @${bob.username}` } }));
    await unwrap(chat.POST('/api/messages', { body: { room, text: 'How are you?' } }));
    const direct = await unwrap(chat.POST('/api/conversations', { body: { users: [bob.username] } }));
    await unwrap(chat.POST('/api/messages', { body: { room: direct._id.$oid, text: 'Between you and me' } }));
    let printed = '';
    const dashboard = start('dashboard.ts', bob);
    dashboard.stdout?.on('data', (chunk) => (printed += chunk));
    expect(await once(dashboard, 'close')).toEqual([0, null]);
    expect(printed).toBe(`${ann.username}: 1 unread, 0 for me\nGeneral: 2 unread, 1 for me\n`);
  });
});
