import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'bson';
import { examine, prepare, testDatabase } from './examine.ts';
import type { Findings } from './findings.ts';
import { createRandom } from './random.ts';
import { connectWire } from './wire-client.ts';
import { createWriter, type Writer } from './writer.ts';

/** A database under test: `cut` ends it in the middle of its work, `start` starts it over what is left. */
export type Victim = {
  start(): Promise<{ readonly uri: string }>;
  cut(): Promise<void>;
};

/** How much is to happen. */
export type CrashPlan = {
  readonly cuts: number;
  /** In all rounds together, at least. */
  readonly acknowledgements: number;
  readonly seed: number;
};

/** What happened until the last cut, or until the first one that did damage. */
export type CrashReport = {
  readonly cuts: number;
  readonly acknowledged: number;
  readonly documents: number;
  /** Commands that were under way when the database was cut, and which of them had been carried out. */
  readonly underWay: { sent: number; done: number };
  readonly findings: Findings;
};

const writerCount = 16;
/** Of a database that does not start. */
const nowhere = 'mongodb://127.0.0.1:1/';

/** The number that each writer had taken before its latest acknowledged command that is known to have changed something. */
type Saved = Map<number, number>;

/**
 * Lets several clients write, each taking a number without a sync before each command, cuts the database at a random instant, starts it again, compares with what was acknowledged, sends
 * again what was not, and so on.
 */
export async function crashAgainAndAgain(victim: Victim, plan: CrashPlan): Promise<CrashReport> {
  const random = createRandom(plan.seed);
  const writers = Array.from({ length: writerCount }, (_, id) => createWriter(id, plan.seed));
  const underWay = { sent: 0, done: 0 };
  const saved: Saved = new Map();
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

/** Works until the connection breaks. */
async function write(writer: Writer, saved: Saved, uri: string, acknowledged: () => void): Promise<void> {
  const client = await connectWire(uri);
  for (;;) {
    const taken = await client.command(testDatabase, takeNumber(writer.id)).catch(() => undefined);
    // What is sent again may be done already, and what is refused changes nothing: neither needs a sync.
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

/** A write without a sync is lost only together with all that was acknowledged after it. */
async function lostNumbers(saved: Saved, uri: string): Promise<string[]> {
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
