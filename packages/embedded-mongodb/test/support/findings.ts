import type { Document } from 'bson';
import type { KeptDocument, Writer } from './writer.ts';

/** The faults of a recovered database, one sentence per document. */
export type Findings = {
  readonly lost: string[];
  readonly doubled: string[];
  readonly halfWritten: string[];
};

/** The expected findings of every recovered database. */
export const nothingWrong: Findings = { lost: [], doubled: [], halfWritten: [] };

/** Compares the stored documents with the writers' models. */
export function compareWithWriters(writers: readonly Writer[], found: readonly Document[]): Findings {
  const findings: Findings = { lost: [], doubled: [], halfWritten: [] };
  const stored = new Map<string, KeptDocument>();
  for (const document of found as KeptDocument[]) {
    if (stored.has(document._id)) findings.doubled.push(`${document._id} is there twice`);
    stored.set(document._id, document);
  }
  for (const writer of writers) compareWriter(writer, stored, findings);
  for (const _id of stored.keys()) findings.lost.push(`${_id} was never written, or its removal is lost`);
  return findings;
}

/** Compares a writer's documents, and removes them from `stored`. */
function compareWriter({ model, pending }: Writer, stored: Map<string, KeptDocument>, findings: Findings): void {
  const changes = pending?.changes ?? new Map<string, KeptDocument | undefined>();
  const states = [...changes].map(([_id, after]) => {
    const is = stored.get(_id);
    stored.delete(_id);
    if (same(is, model.get(_id))) return 'before';
    return same(is, after) ? 'after' : `${_id} is neither as before nor as after its last command`;
  });
  for (const state of states) if (state !== 'before' && state !== 'after') findings.halfWritten.push(state);
  if (states.includes('before') && states.includes('after')) findings.halfWritten.push(`a batch: ${states.join(', ')}`);
  for (const [_id, wanted] of model) {
    if (changes.has(_id)) continue;
    const is = stored.get(_id);
    stored.delete(_id);
    if (same(is, wanted)) continue;
    if (is === undefined) findings.lost.push(`${_id} is missing`);
    else if (is.n < wanted.n) findings.lost.push(`${_id} has n ${is.n} instead of ${wanted.n}`);
    else if (is.n > wanted.n) findings.doubled.push(`${_id} has n ${is.n} instead of ${wanted.n}`);
    else findings.halfWritten.push(`${_id} has other contents`);
  }
}

function same(a: KeptDocument | undefined, b: KeptDocument | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.n === b.n && a.key === b.key && a.pad === b.pad && a.writer === b.writer;
}
