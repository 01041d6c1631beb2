import type { Filter } from '../match/filter.ts';
import type { KeyRange } from '../storage/index/key.ts';
import { findByKey, type Scan, type StoredDocument, scanIndex, scanTable } from '../storage/scan.ts';
import { decodeFields, decodeStored } from '../values/bson.ts';
import type { Fields } from '../values/bson-reader.ts';
import type { Doc } from '../values/value.ts';
import type { Counts, Plan } from './plan.ts';
import { scanText } from './text-scan.ts';

/**
 * A stored document. It is decoded on first access, and only the requested fields if `fields` is
 * set.
 */
export class Row {
  readonly rid: number;
  readonly document: Buffer;
  readonly fields: Fields | undefined;
  #doc: Doc | undefined;
  #whole: Doc | undefined;

  constructor({ rid, document }: StoredDocument, fields?: Fields) {
    this.rid = rid;
    this.document = document;
    this.fields = fields;
  }

  get doc(): Doc {
    this.#doc ??= this.fields === undefined ? decodeStored(this.document) : decodeFields(this.document, this.fields);
    return this.#doc;
  }

  /** The document with all of its fields. */
  get whole(): Doc {
    if (this.fields === undefined) return this.doc;
    this.#whole ??= decodeStored(this.document);
    return this.#whole;
  }
}

/**
 * Yields the matching documents in the plan's order, and `undefined` at points at which other
 * commands may run.
 */
export function* execute(
  plan: Plan,
  filter: Filter,
  scan: Omit<Scan, 'backward'>,
  fields: Fields | undefined,
  counts: Counts = { keys: 0, documents: 0 },
): Generator<Row | undefined> {
  const isTold = plan.residual.size === 0;
  for (const stored of scanPlanned(plan, { ...scan, backward: plan.backward }, counts)) {
    const row = stored && new Row(stored, fields);
    if (row !== undefined && plan.text === undefined) counts.documents++;
    if (row === undefined || isTold || filter.matches(row.doc)) yield row;
  }
}

function scanPlanned(plan: Plan, scan: Scan, counts: Counts): Iterable<StoredDocument | undefined> {
  if (plan.text !== undefined) return scanText(plan.text, scan, counts);
  return plan.index === undefined ? scanTable(scan) : foundByIndex(plan, scan, counts);
}

function* foundByIndex(plan: Plan, scan: Scan, counts: Counts): Generator<StoredDocument | undefined> {
  const { index, ranges, isUnique = false } = plan.index as NonNullable<Plan['index']>;
  if (isUnique) {
    const stored = findByKey(index, ranges[0] as KeyRange, scan);
    if (stored === undefined) return;
    counts.keys++;
    yield stored;
    return;
  }
  // An index has a document once per element of an array.
  const seen = index.multikey === 0 ? undefined : new Set<number>();
  for (const range of ranges) {
    for (const stored of scanIndex(index, range, scan)) {
      if (stored !== undefined) {
        counts.keys++;
        if (seen?.has(stored.rid)) continue;
        seen?.add(stored.rid);
      }
      yield stored;
    }
  }
}
