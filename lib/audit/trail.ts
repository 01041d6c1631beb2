import { type AuditDocument, audit } from '../collections/service/audit.ts';
import { hashOf, noTip, type Tip } from './chain.ts';
import { type AuditEntry, showEntry } from './list.ts';
import { readState } from './state.ts';

/** The number of entries per read. */
const batchSize = 500;

/** All entries, oldest first. */
async function* allEntries(): AsyncGenerator<AuditDocument> {
  // Read in ranges, so that a slow reader does not keep a cursor open.
  for (let after: number | undefined; ; ) {
    const filter = after === undefined ? {} : { _id: { $gt: after } };
    const some = await audit.find(filter, { sort: { _id: 1 }, limit: batchSize, batchSize }).toArray();
    yield* some;
    if (some.length < batchSize) return;
    after = some.at(-1)?._id;
  }
}

/** All entries in the format of an export, oldest first. */
export async function* exportedEntries(): AsyncGenerator<AuditEntry> {
  for await (const entry of allEntries()) yield showEntry(entry);
}

/** The result of a verification: the range of the log, and the first problem. */
type Verdict = { entries: number; first: number | null; last: number | null; problem: string | null };

/**
 * Reads the whole log and finds the first entry that was changed, removed, moved or added,
 * including at both ends. With an earlier export, it finds the first difference from it.
 */
export async function verifyTrail(exported: Iterable<ExportedEntry> = []): Promise<Verdict> {
  const others = new Map([...exported].map(({ seq, hash }) => [seq, hash]));
  for (;;) {
    const cut = (await readState('cut')) ?? noTip;
    const verdict = await verifyOnce(cut, others);
    // Repeat if a sweep cut off entries meanwhile, which looks like a problem.
    if (verdict.problem === null || ((await readState('cut')) ?? noTip).seq === cut.seq) return verdict;
  }
}

async function verifyOnce(cut: Tip, others: Map<number, string>): Promise<Verdict> {
  const head = await readState('head');
  const verdict: Verdict = { entries: 0, first: null, last: null, problem: null };
  if ((others.get(cut.seq) ?? cut.hash) !== cut.hash)
    return { ...verdict, problem: `Entry ${cut.seq}, the last one that was cut off, is not what the export has.` };
  let tip = cut;
  for await (const entry of allEntries()) {
    // Already cut off: the sweep was interrupted before it deleted this entry.
    if (entry._id <= cut.seq) continue;
    const problem = problemOf(entry, { tip, cut, head, other: others.get(entry._id) });
    if (problem) return { ...verdict, problem };
    tip = { seq: entry._id, hash: entry.hash };
    verdict.entries++;
    verdict.first ??= tip.seq;
    verdict.last = tip.seq;
  }
  return {
    ...verdict,
    problem: problemAtEnd(
      tip,
      head,
      [...others.keys()].reduce((last, seq) => Math.max(last, seq), 0),
    ),
  };
}

function problemAtEnd({ seq }: Tip, head: Tip | undefined, lastExported: number): string | null {
  // The head may be missing after the first entry: its process may have died before it wrote the
  // head.
  if (!head && seq > 1) return "The record of the log's end was removed.";
  if (head && head.seq === seq + 1) return `Entry ${head.seq}, the last one, was removed.`;
  if (head && head.seq > seq) return `The last entries, ${seq + 1} to ${head.seq}, were removed.`;
  return lastExported > seq ? `The log ends with entry ${seq}, and the export with entry ${lastExported}.` : null;
}

/** The fields of an exported entry that the verification compares. */
export type ExportedEntry = { seq: number; hash: string };

type Surroundings = { tip: Tip; cut: Tip; head: Tip | undefined; other: string | undefined };

function problemOf(entry: AuditDocument, { tip, cut, head, other }: Surroundings): string | undefined {
  const { hash, ...rest } = entry;
  const { _id, previous } = rest;
  const next = tip.seq + 1;
  if (_id !== next) {
    const missing = _id - 1 === next ? `Entry ${next} is missing` : `The entries ${next} to ${_id - 1} are missing`;
    return tip === cut ? `${missing} at the beginning, and no sweep has cut that off.` : `${missing}.`;
  }
  if (hashOf(rest) !== hash) return `Entry ${_id} was changed after it was written.`;
  if (previous !== tip.hash) return `Entry ${_id} does not follow the one before it: one of the two was replaced.`;
  if (head?.seq === _id && head.hash !== hash) return `Entry ${_id}, the last one, was replaced.`;
  if (other !== undefined && other !== hash) return `Entry ${_id} is not what the export has.`;
  return undefined;
}
