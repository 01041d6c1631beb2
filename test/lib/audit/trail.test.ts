import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { append, byService } from '../../../lib/audit/append.ts';
import { chained } from '../../../lib/audit/chain.ts';
import type { AuditEntry } from '../../../lib/audit/list.ts';
import { sweepAudit } from '../../../lib/audit/sweep.ts';
import { exportedEntries, verifyTrail } from '../../../lib/audit/trail.ts';
import { type AuditDocument, audit, auditStates } from '../../../lib/collections/service/audit.ts';
import { nastyText } from '../../support/arbitraries.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { admin as command } from '../../support/run-command.ts';

useOwnDatabase();

const day = 86_400_000;

beforeEach(async () => {
  await Promise.all([audit.deleteMany({}), auditStates.deleteMany({})]);
});

const act = (name: string | null = 'ann', details: Record<string, string> = {}) =>
  append({ action: 'user.promoted', target: { kind: 'user', id: new ObjectId(), name }, details }, byService);

async function aTrail(count = 5): Promise<AuditDocument[]> {
  for (let index = 0; index < count; index++) await act();
  return audit.find({}, { sort: { _id: 1 } }).toArray();
}

const problem = async () => (await verifyTrail()).problem;

/** Replaces all entries, and leaves the record of the log's end unchanged. */
async function replace(entries: AuditDocument[]): Promise<void> {
  await audit.deleteMany({});
  if (entries.length > 0) await audit.insertMany(entries);
}

describe('the audit log', () => {
  it('the audit log is whole as it was written, and empty at first', async () => {
    expect(await verifyTrail()).toEqual({ entries: 0, first: null, last: null, problem: null });
    await aTrail();
    expect(await verifyTrail()).toEqual({ entries: 5, first: 1, last: 5, problem: null });
  });

  it('the audit log can be verified with any text in names and details', async () => {
    await fc.assert(
      fc.asyncProperty(nastyText, fc.dictionary(fc.constantFrom('room', 'name', 'file'), nastyText), async (name, details) => {
        await act(name, details);
        expect(await problem()).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it('the audit log keeps no more than 200 characters of a name or a detail', async () => {
    await act('🦉'.repeat(300), { file: 'x'.repeat(300) });
    expect(await audit.findOne()).toMatchObject({ target: { name: '🦉'.repeat(200) }, details: { file: 'x'.repeat(200) } });
    expect(await problem()).toBeNull();
  });

  const changes: [what: string, change: object][] = [
    ['time', { at: new Date(0) }],
    ['actor', { 'actor.name': 'eve' }],
    ['action', { action: 'user.demoted' }],
    ['target', { 'target.id': new ObjectId() }],
    ['details', { 'details.by': 'eve' }],
    ['address', { source: '127.0.0.1' }],
    ['failure', { failed: 1 }],
    ['hash', { hash: 'a'.repeat(64) }],
    ['hash of the one before', { previous: 'a'.repeat(64) }],
  ];
  const places: [which: string, seq: number][] = [
    ['first', 1],
    ['middle', 3],
    ['last', 5],
  ];
  it.each(places.flatMap(([which, seq]) => changes.map(([what, change]) => ({ which, seq, what, change }))))(
    'the audit log shows that the $what of the $which entry was changed',
    async ({ seq, change }) => {
      await aTrail();
      await audit.updateOne({ _id: seq }, { $set: change });
      expect(await problem()).toBe(`Entry ${seq} was changed after it was written.`);
    },
  );

  it.each([
    ['the first entry', [1], 'Entry 1 is missing at the beginning, and no sweep has cut that off.'],
    ['the first two', [1, 2], 'The entries 1 to 2 are missing at the beginning, and no sweep has cut that off.'],
    ['one in the middle', [3], 'Entry 3 is missing.'],
    ['several in the middle', [2, 3, 4], 'The entries 2 to 4 are missing.'],
    ['the last one', [5], 'Entry 5, the last one, was removed.'],
    ['the last two', [4, 5], 'The last entries, 4 to 5, were removed.'],
    ['all of them', [1, 2, 3, 4, 5], 'The last entries, 1 to 5, were removed.'],
  ])('the audit log shows that %s was removed, also when more was written after that', async (_which, seqs, expected) => {
    await aTrail();
    await audit.deleteMany({ _id: { $in: seqs } });
    expect(await problem()).toBe(expected);
    await act();
    expect(await problem()).toContain(/missing/.test(expected) ? expected : 'missing');
  });

  it.each([
    ['were swapped', ([one, two, ...others]: AuditDocument[]) => [{ ...two, _id: 1 }, { ...one, _id: 2 }, ...others]],
    [
      'were moved up after one was removed',
      (all: AuditDocument[]) => all.slice(1).map((entry) => ({ ...entry, _id: entry._id - 1 })),
    ],
    [
      'have one more among them',
      ([one, ...others]: AuditDocument[]) => [
        one,
        { ...one, _id: 2 },
        ...others.map((entry) => ({ ...entry, _id: entry._id + 1 })),
      ],
    ],
  ])('the audit log shows that its entries %s', async (_how, change) => {
    await replace(change(await aTrail()) as AuditDocument[]);
    expect(await problem()).toMatch(/^Entry [12] (was changed after it was written|does not follow the one before it)/);
  });

  it('the audit log shows that an entry was replaced by another one with a hash of its own', async () => {
    const all = await aTrail();
    const forge = ({ hash, previous, ...entry }: AuditDocument) => chained({ ...entry, source: 'elsewhere' }, previous);
    await replace(all.map((entry) => (entry._id === 3 ? forge(entry) : entry)));
    expect(await problem()).toBe('Entry 4 does not follow the one before it: one of the two was replaced.');
    await replace(all.map((entry) => (entry._id === 5 ? forge(entry) : entry)));
    expect(await problem()).toBe('Entry 5, the last one, was replaced.');
  });

  it('the audit log shows that the record of its end was removed', async () => {
    await aTrail();
    await auditStates.deleteMany({});
    expect(await problem()).toBe("The record of the log's end was removed.");
  });

  it('the audit log shows any change of any entry', async () => {
    const all = await aTrail(4);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 5 }),
        fc.option(fc.tuple(fc.integer({ min: 0, max: 3 }), nastyText)),
        async (order, detail) => {
          const entries = order.map((index, at) => ({ ...(all[index] as AuditDocument), _id: at + 1 }));
          const changed = detail ? entries[detail[0]] : undefined;
          if (changed) changed.details = { by: detail?.[1] ?? '' };
          const isWhole = order.join() === '0,1,2,3' && !changed;
          await replace(entries);
          expect((await problem()) === null).toBe(isWhole);
        },
      ),
      { numRuns: 100, examples: [[[0, 1, 2, 3], null]] },
    );
  });

  it('comparing the audit log with an earlier export shows that it was rewritten', async () => {
    const all = await aTrail();
    const kept: AuditEntry[] = [];
    for await (const entry of exportedEntries()) kept.push(entry);
    await act();
    expect((await verifyTrail(kept)).problem).toBeNull();

    let previous = '';
    const forged = all.map(({ hash: _hash, previous: _previous, ...entry }) => {
      const again = chained({ ...entry, source: entry._id === 2 ? 'elsewhere' : entry.source }, previous);
      previous = again.hash;
      return again;
    });
    await replace(forged);
    await auditStates.updateOne({ _id: 'head' }, { $set: { seq: 5, hash: previous } });
    expect(await problem()).toBeNull();
    expect((await verifyTrail(kept)).problem).toBe('Entry 2 is not what the export has.');

    await Promise.all([audit.deleteMany({}), auditStates.deleteMany({})]);
    expect((await verifyTrail(kept)).problem).toBe('The log ends with entry 0, and the export with entry 5.');
  });

  it('the audit log is cut off at its beginning when it is a year old, and whole after that', async () => {
    const [first] = await aTrail();
    const inAYear = (first as AuditDocument).at.getTime() + 365 * day;
    expect(await sweepAudit({ now: inAYear })).toBe(0);
    const now = (await audit.findOne({ _id: 3 }))?.at.getTime() ?? 0;
    const old = await audit.countDocuments({ at: { $lt: new Date(now) } });
    expect(await sweepAudit({ now: now + 365 * day })).toBe(old);
    expect(await verifyTrail()).toEqual({ entries: 5 - old, first: old < 5 ? old + 1 : null, last: 5, problem: null });

    expect(await sweepAudit({ now: Date.now() + 366 * day })).toBe(5 - old);
    expect(await verifyTrail()).toEqual({ entries: 0, first: null, last: null, problem: null });
    await act();
    expect(await verifyTrail()).toEqual({ entries: 1, first: 6, last: 6, problem: null });
  });

  it('the audit log shows that more is missing at its beginning than was cut off', async () => {
    await aTrail();
    await auditStates.insertOne({ _id: 'cut', seq: 2, hash: (await audit.findOne({ _id: 2 }))?.hash ?? '' });
    // An interrupted sweep has recorded the entries that it is about to remove.
    expect(await verifyTrail()).toEqual({ entries: 3, first: 3, last: 5, problem: null });
    await audit.deleteMany({ _id: { $lte: 3 } });
    expect(await problem()).toBe('Entry 3 is missing at the beginning, and no sweep has cut that off.');
  });

  it('the audit log is exported by a command, the oldest entry first, and verified by another', async () => {
    await aTrail();
    const exported = await command(['audit', 'export']);
    const lines = exported.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ seq, action }) => [seq, action])).toEqual([
      ...[1, 2, 3, 4, 5].map((seq) => [seq, 'user.promoted']),
      [6, 'audit.exported'],
    ]);
    expect(exported).toMatchObject({ code: 0, stderr: 'Exported 6 entries.\n' });
    expect(await command(['audit', 'verify'])).toEqual({
      code: 0,
      stdout: 'The audit log is complete: entries 1 to 6.\n',
      stderr: '',
    });
    await audit.updateOne({ _id: 2 }, { $set: { source: 'elsewhere' } });
    expect(await command(['audit', 'verify'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The audit log is not complete. Entry 2 was changed after it was written.\n',
    });
  });
});
