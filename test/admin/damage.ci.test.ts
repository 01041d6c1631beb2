import { existsSync } from 'node:fs';
import { open, readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient, ObjectId } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../admin/database.ts';
import { commands, freePort } from '../../tools/harness/service.ts';
import { processesWith } from '../support/damage/pool.ts';
import { dataDirectories } from '../support/data-directories.ts';
import { earlyBackgroundWork } from '../support/preload.ts';
import { asProcess } from '../support/run-command.ts';
import { aService } from '../support/services.ts';
import { isEmbedded } from '../support/worker.ts';

const { directory, environmentOf } = dataDirectories('chat-damage');
const administer = (name: string, ...words: string[]) =>
  asProcess(words, { input: 'open sesame\n', environment: environmentOf(name) });

const messages = 2_000;

/** A data directory with an account and messages. */
async function aDirectory(name: string): Promise<string> {
  await administer(name, 'user', 'create', 'ann', '--email', 'ann@example.org', '--admin', '--password-stdin');
  const { MONGODB_URI, DATA_DIR } = process.env;
  Object.assign(process.env, { MONGODB_URI: '', DATA_DIR: join(directory, name) });
  const { close } = await openDatabase(false);
  const client = new MongoClient(process.env.MONGODB_URI ?? '');
  const room = new ObjectId();
  const documents = Array.from({ length: messages }, (_, seq) => ({
    room,
    seq,
    ordinal: seq,
    text: `text ${seq} `.repeat(20),
    words: '',
  }));
  await client.db('chat').collection('messages').insertMany(documents);
  await client.close();
  await close();
  Object.assign(process.env, { MONGODB_URI, DATA_DIR });
  if (DATA_DIR === undefined) delete process.env.DATA_DIR;
  return join(directory, name, 'database.sqlite');
}

/** Writes noise over the page that has a text. */
async function damage(path: string, text: string): Promise<void> {
  const page = Math.floor((await readFile(path)).indexOf(text) / 4096);
  const file = await open(path, 'r+');
  await file.write(Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 251)), 0, 4096, page * 4096);
  await file.close();
}

describe.runIf(isEmbedded)('a database with a damaged file', () => {
  it('a damaged database is reported by check and backup, earlier backups stay, and readable documents can be exported', async () => {
    const path = await aDirectory('damaged');
    const [first, second] = [join(directory, 'first'), join(directory, 'second')];
    expect(await administer('damaged', 'backup', first, '--json')).toMatchObject({ code: 0, stderr: '' });
    await damage(path, 'text 1000 ');

    const whatToDo = "see 'When the file is damaged' in docs/operating.md";
    const isTold = { code: 1, stdout: '', stderr: expect.stringContaining(whatToDo) };
    expect(await administer('damaged', 'database', 'check')).toEqual(isTold);
    expect(await administer('damaged', 'backup', second)).toEqual(isTold);
    expect([existsSync(first), await readdir(directory)]).toEqual([true, expect.not.arrayContaining(['second'])]);

    const file = join(directory, 'all.ndjson');
    expect(await administer('damaged', 'export', file)).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') });
    expect(existsSync(file)).toBe(false);
    const exported = await administer('damaged', 'export', file, '--skip-damaged', '--json');
    expect(exported).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Left out: \d+ documents of messages that cannot be read\.\n$/),
    });
    const left = JSON.parse(exported.stdout).documents.messages;
    expect(left).toBeGreaterThan(messages - 50);
    expect(left).toBeLessThan(messages);
    expect((await administer('rescued', 'import', file)).code).toBe(0);
    expect(await administer('rescued', 'database', 'check', '--full')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`chat.messages: ${left} documents`),
    });
  });

  it('npm start refuses a damaged database, says why and leaves no process behind', async () => {
    const path = await aDirectory('started');
    await damage(path, 'text 1000 ');
    await expect(aService(environmentOf('started'), commands.start)).rejects.toMatchObject({
      code: 1,
      output: expect.stringContaining("see 'When the file is damaged' in docs/operating.md"),
    });
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(4096, 255), 0, 4096, 4096);
    await file.close();
    await expect(aService(environmentOf('started'), commands.start)).rejects.toMatchObject({
      code: 1,
      output: expect.stringContaining('is damaged'),
    });
    expect(processesWith(join(directory, 'started', ''))).toEqual([]);
  });

  it('a server that lost the end of its log reports that and prints no setup link, until an operator acknowledges it', async () => {
    await killAndCutLog('cut');
    const metricsPort = await freePort();
    const service = await aService({ ...environmentOf('cut'), LOG_LEVEL: 'info', METRICS_PORT: metricsPort }, commands.serve);
    const state = async () => [
      ((await (await fetch(`${service.url}/api/health`)).json()) as { database: string }).database,
      /chat_database_incomplete \d/.exec(await (await fetch(`http://localhost:${metricsPort}/metrics`)).text())?.[0],
    ];
    await expect.poll(service.output).toMatch(/"level":"error","message":"log of the database was incomplete"/);
    expect(service.output()).toContain("run 'database acknowledge' and start again");
    expect(service.output()).not.toContain('/setup#');
    expect(await state()).toEqual(['incomplete', 'chat_database_incomplete 1']);
    expect(await administer('cut', 'database', 'acknowledge')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('are lost'),
    });
    await expect.poll(state).toEqual(['ok', 'chat_database_incomplete 0']);
    await service.stop();
    const next = await aService(environmentOf('cut'), commands.serve);
    expect(next.output()).toContain('/setup#');
    await next.stop();
  });

  it('a damaged database is reported by a server, in its log, its health and its metrics', async () => {
    await damage(await aDirectory('served'), 'text 1000 ');
    const metricsPort = await freePort();
    const settings = { ...environmentOf('served'), LOG_LEVEL: 'info', METRICS_PORT: metricsPort, ...earlyBackgroundWork };
    const service = await aService(settings, commands.serve);
    onTestFinished(async () => void (await service.stop()));
    await expect.poll(service.output, { timeout: 120_000 }).toContain('"message":"database damaged"');
    const health = await fetch(`${service.url}/api/health`);
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ database: 'damaged' })]);
    expect(await (await fetch(`http://localhost:${metricsPort}/metrics`)).text()).toContain('chat_database_damaged 1');
  });
});

/** Kills a server of a data directory, and removes its log but for three frames. */
async function killAndCutLog(name: string): Promise<void> {
  const service = await aService(environmentOf(name), commands.serve);
  service.signal('SIGKILL');
  await service.ended;
  const log = join(directory, name, 'database.sqlite-wal');
  await truncate(log, 32 + 3 * (24 + 4096));
}
