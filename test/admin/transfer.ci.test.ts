import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, Decimal128, Double, Int32, Long, MongoClient, ObjectId, Timestamp } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { progressBar } from '../../admin/progress.ts';
import { withConfig } from '../support/config.ts';
import { admin, asProcess, runCommand } from '../support/run-command.ts';
import { startDatabase } from '../support/worker.ts';

await startDatabase();
const client = new MongoClient(process.env.MONGODB_URI ?? '', { promoteValues: false, promoteLongs: false });
const directory = await mkdtemp(join(tmpdir(), 'chat-transfer-'));
const databases: string[] = [];
afterAll(async () => {
  for (const name of databases) await client.db(name).dropDatabase();
  await client.close();
  await rm(directory, { recursive: true });
});

/** A new database, and functions that run commands on it: as a process, or in this one. */
function aDatabase() {
  const name = `chat_transfer_${randomBytes(6).toString('hex')}`;
  databases.push(name);
  const settings = { MONGODB_DATABASE: name };
  const run = (...words: string[]) => asProcess(words, { environment: settings });
  const runHere = (...words: string[]) => withConfig(settings, () => admin(words));
  return { database: client.db(name), run, runHere };
}

const everyType = () => ({
  _id: new ObjectId(),
  // With line breaks of all systems, as texts were kept before they were normalised.
  name: 'Ω 🦉 "quoted"\n\r\n\v\u0085\u2028\u2029\u001b[0m',
  int: new Int32(1),
  double: new Double(1),
  long: Long.fromString('9007199254740993'),
  decimal: Decimal128.fromString('1.10'),
  date: new Date(42),
  binary: new Binary(Buffer.from([0, 255])),
  timestamp: new Timestamp({ t: 1, i: 2 }),
  nested: { list: [null, true, { $plain: 'x' }] },
});

/** The document counts of an audit log with this many entries. */
const trail = (entries: number) => ({ audit: entries, audit_states: 1 });

describe('admin', () => {
  it('admin export and import copy every document to another database, with its types, however often they are repeated', async () => {
    const source = aDatabase();
    const target = aDatabase();
    const rooms = [everyType(), everyType()];
    const messages = Array.from({ length: 1_203 }, (_, seq) => ({ _id: new ObjectId(), seq: new Int32(seq) }));
    await source.database.collection('rooms').insertMany(rooms);
    await source.database.collection<{ _id: ObjectId; seq: Int32 }>('messages').insertMany(messages);

    const file = join(directory, 'all.ndjson');
    const exported = await source.run('export', file, '--json');
    expect(exported.code).toBe(0);
    expect(JSON.parse(exported.stdout).documents).toEqual({ rooms: 2, messages: 1_203, ...trail(1) });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const first = await target.run('import', file, '--json');
    expect(JSON.parse(first.stdout)).toEqual(JSON.parse(exported.stdout));
    expect(await target.runHere('import', file, '--json')).toEqual(first);
    expect(await target.database.collection('rooms').find().sort({ _id: 1 }).toArray()).toEqual(
      await source.database.collection('rooms').find().sort({ _id: 1 }).toArray(),
    );
    expect(Number(await target.database.collection('messages').countDocuments())).toBe(1_203);

    const again = join(directory, 'again.ndjson');
    await target.runHere('export', again);
    // An import makes the other collections as well, which are empty; the audit log has gone on.
    const documentsIn = async (path: string) =>
      (await readFile(path, 'utf8')).split('\n').filter((line) => /^\{"collection":"(?!audit)/.test(line));
    expect(await documentsIn(again)).toEqual(await documentsIn(file));
  });

  it('admin import takes the audit log over, once, and never in the place of another one', async () => {
    const [source, target, other] = [aDatabase(), aDatabase(), aDatabase()];
    const file = join(directory, 'trail.ndjson');
    const trailOf = async ({ runHere }: typeof source) =>
      (await runHere('audit', 'export')).stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).action]));
    const whole = (last: number) => ({ code: 0, stdout: `The audit log is complete: entries 1 to ${last}.\n`, stderr: '' });
    await source.database.collection('rooms').insertOne(everyType());
    await source.runHere('audit', 'export');
    await source.runHere('export', file);

    for (const count of [1, 2]) {
      expect(await target.runHere('import', file)).toMatchObject({ code: 0, stderr: '' });
      expect(await target.runHere('audit', 'verify')).toEqual(whole(2 + count));
    }
    expect(await trailOf(target)).toEqual([
      'audit.exported',
      'data.exported',
      'data.imported',
      'data.imported',
      'audit.exported',
    ]);

    await other.database.collection('rooms').insertOne(everyType());
    await other.runHere('audit', 'export');
    expect(await other.runHere('import', file)).toMatchObject({
      code: 0,
      stderr: 'The audit log of the file was left out: this database has another one.\n',
    });
    expect(await other.runHere('audit', 'verify')).toEqual(whole(2));
    expect(await trailOf(other)).toEqual(['audit.exported', 'data.imported', 'audit.exported']);
  });

  it("admin export leaves out collections that are not the service's, and says so", async () => {
    const { database, runHere } = aDatabase();
    await database.collection('users').insertOne({ name: 'ann' });
    await database.collection('halls').insertOne({ name: 'General' });
    const file = join(directory, 'known.ndjson');
    expect(await runHere('export', file)).toMatchObject({
      code: 0,
      stderr: 'Left out, because they are not collections of the service: halls.\n',
    });
    expect(await runHere('import', file)).toMatchObject({ code: 0, stderr: '' });
  });

  it('admin export writes a new file that only its owner can read, even if the name was in use', async () => {
    const { runHere } = aDatabase();
    const place = await mkdtemp(join(directory, 'shared-'));
    const file = join(place, 'all.ndjson');
    const victim = join(place, 'victim');
    await writeFile(victim, 'untouched');
    await symlink(victim, `${file}.partial`);
    await symlink(victim, file);
    await runHere('export', file, '--force');
    expect((await lstat(file)).isFile()).toBe(true);

    await chmod(file, 0o666);
    const others = await open(file);
    await runHere('export', file, '--force');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await others.stat()).ino).not.toBe((await stat(file)).ino);
    await others.close();
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect((await readdir(place)).sort()).toEqual(['all.ndjson', 'all.ndjson.partial', 'victim']);
  });

  it('admin export replaces a file only on request', async () => {
    const { runHere } = aDatabase();
    const file = join(directory, 'precious.txt');
    await writeFile(file, 'precious');
    expect(await runHere('export', file)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${file} exists: pass --force to replace it.\n`,
    });
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(await runHere('export', file, '--force')).toMatchObject({ code: 0 });
  });

  it.each(['-', '/dev/stdout'])('admin export writes to standard output as %s, and counts to standard error', async (path) => {
    const { database, run } = aDatabase();
    await database.collection('users').insertOne({ name: 'ann' });
    const before = await lstat('/dev/stdout');
    const { code, stdout, stderr } = await run('export', path, '--json');
    const lines = stdout.trim().split('\n');
    expect({ code, first: JSON.parse(lines[0] ?? ''), last: JSON.parse(lines.at(-1) ?? '') }).toEqual({
      code: 0,
      first: expect.objectContaining({ format: 'chat-service' }),
      last: { end: expect.objectContaining({ users: 1 }) },
    });
    expect(JSON.parse(stderr).documents).toMatchObject({ users: 1 });
    expect((await lstat('/dev/stdout')).ino).toBe(before.ino);
    await expect(lstat('-')).rejects.toThrow('ENOENT');
  });

  it('admin export writes through a pipe', async () => {
    const { database, run } = aDatabase();
    await database.collection('users').insertOne({ name: 'ann' });
    const pipe = join(directory, 'pipe');
    await runCommand(['mkfifo', pipe]);
    const [{ code }, read] = await Promise.all([run('export', pipe), readFile(pipe, 'utf8')]);
    expect({ code, end: read.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      end: expect.stringMatching(/^\{"end":.*"users":1/),
    });
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });

  it('admin export warns of a database without users', async () => {
    const { runHere } = aDatabase();
    expect(await runHere('export', join(directory, 'nobody.ndjson'))).toMatchObject({
      code: 0,
      stderr: 'This database does not contain users. Check DATA_DIR or MONGODB_URI.\n',
    });
  });

  it('admin export and import name a file that cannot be opened', async () => {
    const { runHere } = aDatabase();
    const file = join(directory, 'no', 'such', 'file');
    expect(await runHere('export', file)).toMatchObject({ code: 1, stderr: expect.stringContaining(file) });
    expect(await runHere('import', file)).toMatchObject({ code: 1, stderr: expect.stringContaining(file) });
  });
});

describe('the progress bar', () => {
  it.each([
    ['is drawn on a terminal', true, ['\r[##  ] 50% 1 of 2', '\r[####] 100% 2 of 2', '\n']],
    ['is not drawn without a terminal', false, []],
  ])('the progress bar %s', (_what, isTTY, expected) => {
    const written: string[] = [];
    const bar = progressBar({ isTTY, write: (text) => written.push(String(text)) > 0 }, 4);
    bar.update(1, 2);
    bar.update(1, 2);
    bar.update(2, 2);
    bar.end();
    expect(written).toEqual(expected);
  });
});
