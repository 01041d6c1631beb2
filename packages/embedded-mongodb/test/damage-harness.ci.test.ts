import { copyFileSync, cpSync, existsSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RunningDatabase, startDatabase } from '../src/server.ts';
import { freshDirectory } from './support/database.ts';
import { createRandom, type Random, testSeed } from './support/random.ts';

/** Number of damaged databases. `DAMAGED_FILES=300` takes a while. */
const runs = Number(process.env.DAMAGED_FILES ?? 24);

const files = ['database.sqlite', 'database.sqlite-wal'] as const;
const whens = ['at rest', 'under load'] as const;
const kinds = ['a bit', 'a page', 'the tail', 'the whole file'] as const;

/** The reports and the losses of one damaged database. */
type Outcome = {
  readonly what: string;
  /** Acknowledged documents that are missing or differ. */
  readonly lost: number;
  readonly saidByStart: boolean;
  readonly saidByCheck: boolean;
  readonly saidByBackup: boolean;
  /** Documents that differ between the source and a backup that passed its check. */
  readonly differences: number;
};

/*
 * Changes a bit, a page, the end or all of a file. No acknowledged document may get lost
 * unreported.
 */
describe('a database whose files are partly changed', () => {
  it(`a database with damaged files reports every loss, and backs up only intact documents, in ${runs} cases (SEED=${testSeed})`, async () => {
    const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    const unexpected = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => {
      said.mockRestore();
      unexpected.mockRestore();
    });
    const outcomes: Outcome[] = [];
    for (let run = 0; run < runs; run++) outcomes.push(await damageOne(createRandom(testSeed + run), run, said.mock.calls));
    said.mockRestore();
    const count = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length;
    console.log(
      `${runs} damaged: ${count(({ lost }) => lost > 0)} lost acknowledged documents, ${count(({ saidByStart }) => saidByStart)} said so at the start, ` +
        `${count(({ saidByCheck }) => saidByCheck)} in a check, ${count(({ saidByBackup }) => saidByBackup)} in a backup`,
    );
    const isSilent = ({ lost, saidByCheck, saidByBackup }: Outcome) => lost > 0 && !(saidByCheck && saidByBackup);
    expect(outcomes.filter((outcome) => isSilent(outcome) || outcome.differences > 0)).toEqual([]);
  });
});

async function damageOne(random: Random, run: number, printed: unknown[][]): Promise<Outcome> {
  const [file, when, kind] = [random.pick(files), random.pick(whens), random.pick(kinds)];
  const directory = freshDirectory();
  const dataDir = join(directory, 'data');
  const model = new Map<number, string>();
  // Documents that were not acknowledged. They may be stored or not.
  const unsure = new Set<number>();

  // The first run closes properly, so that the file has content. The second run may be killed, so
  // that the log has content.
  const first = await startDatabase({ dataDir });
  await write(first, random, model, unsure, 15);
  await first.close();
  copyFileSync(join(dataDir, files[0]), join(directory, 'earlier'));
  const second = await startDatabase({ dataDir });
  await write(second, random, model, unsure, 15);
  const isKilled = random.below(4) > 0;
  const survivor = join(directory, 'survivor');
  let saidByStart = false;
  if (when === 'under load') {
    damage(random, join(dataDir, file), kind, join(directory, 'earlier'));
    await write(second, random, model, unsure, 15);
  }
  // A killed process leaves its files as a copy of a running database's files.
  if (isKilled) cpSync(dataDir, survivor, { recursive: true });
  await second.close().catch(() => {});
  if (!isKilled) cpSync(dataDir, survivor, { recursive: true });
  rmSync(join(survivor, 'database.sock'), { force: true });
  const target = join(survivor, file);
  if (when === 'at rest' && existsSync(target)) damage(random, target, kind, join(directory, 'earlier'));

  const what = `run ${run}: ${kind} of ${file} ${when}, ${isKilled ? 'killed' : 'closed'}`;
  const before = printed.length;
  const database = await startDatabase({ dataDir: survivor }).catch(() => undefined);
  saidByStart = database === undefined || printed.length > before;
  if (database === undefined)
    return { what, lost: model.size, saidByStart, saidByCheck: true, saidByBackup: true, differences: 0 };
  const found = await readAll(database);
  const lost = [...model].filter(([n, text]) => !unsure.has(n) && found?.get(n) !== text).length;
  const admin = await connectTo(database);
  const check = await admin
    .db('admin')
    .command({ checkPages: 1 })
    .catch((error: Error) => ({ damage: error.message, dropped: null }));
  const copy = join(directory, 'copy');
  const backup = await admin
    .db('admin')
    .command({ backup: 1, directory: copy })
    .catch(() => undefined);
  const { dropped } = check;
  await admin.close();
  await database.close().catch(() => {});
  let differences = 0;
  if (backup !== undefined) {
    const restored = await startDatabase({ dataDir: copy });
    const copied = await readAll(restored);
    await restored.close();
    differences = [...new Set([...(found?.keys() ?? []), ...(copied?.keys() ?? [])])].filter(
      (n) => found?.get(n) !== copied?.get(n),
    ).length;
    if (copied === undefined || found === undefined) differences++;
  }
  rmSync(directory, { recursive: true });
  return {
    what,
    lost,
    saidByStart,
    saidByCheck: check.damage !== null || dropped !== null,
    saidByBackup: backup === undefined || dropped !== null,
    differences,
  };
}

const connectTo = async ({ uri }: RunningDatabase) => new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 }).connect();

/** Inserts and changes documents. The model gets the acknowledged changes. */
async function write(database: RunningDatabase, random: Random, model: Map<number, string>, unsure: Set<number>, steps: number) {
  const client = await connectTo(database);
  const things = client.db('test').collection<{ _id: number; text: string }>('things');
  for (let step = 0; step < steps; step++) {
    const documents = Array.from({ length: 10 }, (_, at) => ({ _id: model.size + unsure.size + at + 1, text: textOf(random) }));
    const isStored = await things.insertMany(documents).then(
      () => true,
      () => false,
    );
    for (const { _id, text } of documents)
      if (isStored) model.set(_id, text);
      else unsure.add(_id);
    const changed = random.below(model.size) + 1;
    const text = textOf(random);
    const { matchedCount } = await things.updateOne({ _id: changed }, { $set: { text } }).catch(() => ({ matchedCount: -1 }));
    if (matchedCount === 1) model.set(changed, text);
    else if (matchedCount < 0) unsure.add(changed);
  }
  await client.close();
}

const textOf = (random: Random) => `${random.below(1e9)} `.repeat(1 + random.below(40));

/** All documents; `undefined` if they cannot be read. */
async function readAll(database: RunningDatabase): Promise<Map<number, string> | undefined> {
  const client = await connectTo(database);
  try {
    const documents = await client.db('test').collection<{ _id: number; text: string }>('things').find().toArray();
    return new Map(documents.map(({ _id, text }) => [_id, text]));
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

function damage(random: Random, path: string, kind: (typeof kinds)[number], earlier: string): void {
  const { size } = statSync(path);
  if (size === 0) return;
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
  const file = openSync(path, 'r+');
  const overwrite = (at: number, bytes: Buffer) => writeSync(file, bytes, 0, bytes.length, at);
  if (kind === 'a bit') {
    const at = random.below(size);
    overwrite(at, Buffer.of(random.below(256)));
  } else if (kind === 'a page') {
    const page = random.below(Math.ceil(size / 4096));
    overwrite(page * 4096, random.pick([noise(4096), Buffer.alloc(4096)]));
  } else if (kind === 'the tail') {
    const at = random.below(size);
    if (random.below(2) === 0) truncateSync(path, at);
    else overwrite(at, random.pick([noise(size - at), Buffer.alloc(size - at)]));
  } else {
    const how = random.below(4);
    if (how === 0) overwrite(0, noise(size));
    else if (how === 1) overwrite(0, Buffer.alloc(size));
    else if (how === 2) truncateSync(path, 0);
    else if (path.endsWith('.sqlite')) copyFileSync(earlier, path);
    else writeFileSync(path, noise(4120 * 3));
  }
}
