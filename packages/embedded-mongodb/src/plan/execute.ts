import type { Filter } from '../match/filter.ts';
import type { Collection } from '../storage/collection.ts';
import type { DatabaseFile } from '../storage/file.ts';
import { type Stored, scanIndex, scanTable } from '../storage/scan.ts';
import { decode, decodeFields } from '../values/bson.ts';
import type { Doc } from '../values/value.ts';
import type { Plan } from './planner.ts';
import type { TimeLimit } from './time-limit.ts';

/** A stored document that is decoded only if somebody looks into it, and only those of its fields that somebody asked for, if told. */
export class Row {
  readonly rid: number;
  readonly document: Buffer;
  readonly fields: ReadonlySet<string> | undefined;
  #doc: Doc | undefined;

  constructor({ rid, document }: Stored, fields?: ReadonlySet<string>) {
    this.rid = rid;
    this.document = document;
    this.fields = fields;
  }

  get doc(): Doc {
    this.#doc ??= this.fields === undefined ? decode(this.document) : decodeFields(this.document, this.fields);
    return this.#doc;
  }
}

/** What `explain` counts. */
export type Counts = {
  keys: number;
  documents: number;
};

/** So many documents are looked at between two looks at the clock. */
const looksPerCheck = 100;

/** The matching documents, in the plan's order. `expected` is how many will probably be taken. */
export function* execute(
  file: DatabaseFile,
  collection: Collection,
  plan: Plan,
  filter: Filter,
  expected: number | undefined,
  timeLimit: TimeLimit | undefined,
  counts?: Counts,
  fields?: ReadonlySet<string>,
): Generator<Row> {
  let looked = 0;
  for (const stored of scan(file, collection, plan, plan.exact ? expected : undefined, counts)) {
    if (++looked % looksPerCheck === 0) timeLimit?.check();
    const row = new Row(stored, fields);
    if (plan.exact || filter.matches(row.doc)) yield row;
  }
}

function* scan(
  file: DatabaseFile,
  collection: Collection,
  plan: Plan,
  expected: number | undefined,
  counts: Counts = { keys: 0, documents: 0 },
): Generator<Stored> {
  if (plan.index === undefined) {
    for (const stored of scanTable(file, collection, plan.backward, expected)) {
      counts.documents++;
      yield stored;
    }
    return;
  }
  const { index, ranges, backward } = plan.index;
  // A document stands once in an index for each element of an array.
  const seen = index.multikey === 0 ? undefined : new Set<number>();
  for (const range of ranges) {
    for (const stored of scanIndex(file, collection, index, range, backward, expected)) {
      counts.keys++;
      if (seen?.has(stored.rid)) continue;
      seen?.add(stored.rid);
      counts.documents++;
      yield stored;
    }
  }
}
