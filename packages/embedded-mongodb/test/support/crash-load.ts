import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'bson';
import { examine, prepare, testDatabase } from './examine.ts';
import type { Findings } from './findings.ts';
import { createRandom } from './random.ts';
import { connectWire } from './wire-client.ts';
import { createWriter, type Writer } from './writer.ts';

/** A database under test. `cut` ends it abruptly, `start` starts it on the remaining data. */
export type Victim = {
  start(): Promise<{ readonly uri: string }>;
  cut(): Promise<void>;
};

/** The amount of work. */
export type CrashPlan = {
  readonly cuts: number;
  /** At least this many, in all rounds together. */
  readonly acknowledgements: number;
  readonly seed: number;
};

/** The events until the last cut, or until the first cut that did damage. */
export type CrashReport = {
  readonly cuts: number;
  readonly acknowledged: number;
  readonly documents: number;
  /** Commands that were in progress during a cut, and how many of them had been executed. */
  readonly underWay: { sent: number; done: number };
  readonly findings: Findings;
};

const writerCount = 16;
/** The address of a database that does not start. */
const nowhere = 'mongodb://127.0.0.1:1/';

/**
 * For each writer, the number that it took before its latest acknowledged command with a change.
 */
type SavedNumbers = Map<number, number>;

/**
 * Several clients write, and each takes a number, without a sync, before each command. The database
 * is cut at a random moment and started again. The data is compared with the acknowledged commands,
 * and the other commands are sent again. This repeats.
 */
export async function crashAgainAndAgain(victim: Victim, plan: CrashPlan): Promise<CrashReport> {
  const random = createRandom(plan.seed);
  const writers = Array.from({ length: writerCount }, (_, id) => createWriter(id, plan.seed));
  const underWay = { sent: 0, done: 0 };
  const saved: SavedNumbers = new Map();
  let acknowledged = 0;
  let cuts = 0;
  let { uri } = await victim.start();
  await prepare(uri);
  for (;;) {
    const documents: Document[] = [];
    const findings = await examine(writers, uri, documents);
    findings.lost.push(...(await lostNumbers(saved, uri)));
    const report = { cuts, acknowledged, documents: documents.length, underWay, findings };
    if (Object.values(findings).some((list) => list.length > 0) || cuts >= plan.cuts) return report;
    count(writers, documents, underWay);
    const goal = acknowledged + (plan.acknowledgements - acknowledged) / (plan.cuts - cuts);
    const last = cuts === plan.cuts - 1;
    const enough = last ? plan.acknowledgements : acknowledged + (goal - acknowledged) * 2 * random.fraction();
    const reached = signal();
    const running = writers.map((writer) =>
      write(writer, saved, uri, () => {
        acknowledged++;
        if (acknowledged >= enough) reached.done();
      }),
    );
    await Promise.race([reached.promise, Promise.all(running)]);
    await sleep(random.fraction() * 5);
    await victim.cut();
    await Promise.all(running);
    cuts++;
    uri = await victim.start().then(
      ({ uri }) => uri,
      () => nowhere,
    );
  }
}

/** Writes until the connection breaks. */
async function write(writer: Writer, saved: SavedNumbers, uri: string, acknowledged: () => void): Promise<void> {
  const client = await connectWire(uri);
  for (;;) {
    const taken = await client.command(testDatabase, takeNumber(writer.id)).catch(() => undefined);
    // A repeated command may be done already, and a rejected one changes nothing. Neither needs a
    // sync.
    const isSent = writer.pending !== undefined;
    const { command, changes } = writer.next();
    const reply = taken && (await client.command(testDatabase, command).catch(() => undefined));
    if (reply === undefined) break;
    writer.acknowledged(reply);
    if (!isSent && changes.size > 0) saved.set(writer.id, taken?.value.n);
    acknowledged();
  }
  client.close();
}

const takeNumber = (writer: number): Document => ({
  findAndModify: 'numbers',
  query: { _id: writer },
  update: { $inc: { n: 1 } },
  upsert: true,
  new: true,
  writeConcern: { w: 'majority', j: false },
});

/** An unsynced write may only be lost if all writes acknowledged after it are lost as well. */
async function lostNumbers(saved: SavedNumbers, uri: string): Promise<string[]> {
  const client = await connectWire(uri).catch(() => undefined);
  const reply = await client?.command(testDatabase, { find: 'numbers' });
  client?.close();
  const stored = new Map<number, number>(reply?.cursor.firstBatch.map(({ _id, n }: Document) => [_id, n]));
  return [...saved]
    .filter(([writer, n]) => (stored.get(writer) ?? 0) < n)
    .map(([writer, n]) => `the number ${n} that writer ${writer} had taken`);
}

function count(writers: readonly Writer[], documents: readonly Document[], underWay: { sent: number; done: number }): void {
  const stored = new Map(documents.map((document) => [document._id, document.n]));
  for (const { pending } of writers) {
    if (pending === undefined || pending.changes.size === 0) continue;
    underWay.sent++;
    if ([...pending.changes].every(([_id, after]) => stored.get(_id) === after?.n)) underWay.done++;
  }
}

function signal(): { promise: Promise<void>; done: () => void } {
  let done = () => {};
  const promise = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { promise, done };
}
