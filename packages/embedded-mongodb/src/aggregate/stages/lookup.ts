import { isOperatorDoc } from '../../match/fields.ts';
import type { Operation } from '../../operation.ts';
import { DatabaseError, failedToParse } from '../../values/errors.ts';
import { hashKey } from '../../values/hash-key.ts';
import { valuesAt, visitPath } from '../../values/path.ts';
import { sizeOf } from '../../values/size.ts';
import type { Doc, Value } from '../../values/value.ts';
import { fieldParts } from '../expression.ts';
import { withNested } from './shaping.ts';
import { type Docs, docOf, type StageCompiler, type StageContext } from './stage.ts';

/** `$lookup` by equality of two fields. */
export const lookup: StageCompiler = (spec, context) => {
  const options = docOf(spec, '$lookup', 9);
  for (const name of options.keys()) if (!names.includes(name)) throw failedToParse(`$lookup does not support '${name}'`);
  const [from, local, foreign, as] = names.map((name) => textOption(options, name)) as [string, string, string, string];
  const [localParts, foreignParts, asParts] = [fieldParts(local), fieldParts(foreign), fieldParts(as)];
  const isIndexed = context.isIndexed?.(from, foreign) === true;
  return function* (input) {
    const find = isIndexed ? byIndex(from, foreign, foreignParts, context) : byTable(from, foreignParts, context);
    for (const doc of input) {
      if (doc === undefined) {
        yield undefined;
        continue;
      }
      const values = valuesAt(doc, localParts);
      yield withNested(doc, asParts, yield* find(values.length === 0 ? [null] : values));
    }
  };
};

const names = ['from', 'localField', 'foreignField', 'as'];

function textOption(options: Doc, name: string): string {
  const value = options.get(name);
  if (typeof value === 'string') return value;
  throw failedToParse(
    value === undefined ? `must specify '${name}' field for a $lookup` : `$lookup argument '${name}' must be a string`,
  );
}

/** Finds the documents that have one of some values; in between, others may have their turn. */
type Finder = (values: readonly Value[]) => Generator<undefined, Doc[]>;

/** So many partners are remembered during one run, if they are not larger than that, so that memory does not grow with the data. */
const mostKnown = 200;
const mostKnownBytes = 50_000;

function byIndex(from: string, foreign: string, parts: readonly string[], { collection }: StageContext): Finder {
  function* find(values: readonly Value[], keys: ReadonlySet<string>): Generator<undefined, { found: Doc[]; bytes: number }> {
    const wanted = values.length === 1 ? (values[0] as Value) : new Map([['$in', [...values]]]);
    // A document of operators would mean something else in a filter than it does as a value.
    const filter = values.some(isOperatorDoc) ? undefined : new Map([[foreign, wanted]]);
    const found: Doc[] = [];
    let bytes = 0;
    for (const partner of collection(from, filter)) {
      if (partner === undefined) yield undefined;
      else if (keysOf(partner, parts).some((key) => keys.has(key))) {
        found.push(partner);
        bytes += sizeOf(partner);
        if (bytes > mostPartnerBytes) throw tooManyPartners(from);
      }
    }
    return { found, bytes };
  }
  // Many documents have the same few partners, such as the messages of a page their authors.
  const known = new Map<string, Doc[]>();
  return function* (values) {
    const keys = new Set(values.map(hashKey));
    const [key = ''] = keys.size === 1 ? keys : [];
    const before = known.get(key);
    if (before !== undefined) return before;
    const { found, bytes } = yield* find(values, keys);
    if (keys.size === 1 && known.size < mostKnown && bytes < mostKnownBytes) known.set(key, found);
    return found;
  };
}

/** Without an index, through a table made of one pass over the collection. */
function byTable(from: string, parts: readonly string[], { collection, operation }: StageContext): Finder {
  let table: Table | undefined;
  return function* (values) {
    table ??= yield* tableOf(collection(from), parts, operation);
    const found = new Set(values.flatMap((value) => table?.get(hashKey(value)) ?? []));
    // Partners come in the order of their collection, each once.
    const partners = [...found].sort((a, b) => a.place - b.place);
    if (partners.reduce((sum, { bytes }) => sum + bytes, 0) > mostPartnerBytes) throw tooManyPartners(from);
    return partners.map(({ doc }) => doc);
  };
}

/** The documents of a collection by what they can be found by. */
type Table = Map<string, { doc: Doc; place: number; bytes: number }[]>;

function* tableOf(docs: Docs, parts: readonly string[], operation: Operation | undefined): Generator<undefined, Table> {
  const table: Table = new Map();
  let place = 0;
  for (const doc of docs) {
    if (doc === undefined) {
      yield undefined;
      continue;
    }
    const entry = { doc, place: place++, bytes: sizeOf(doc) };
    operation?.hold(entry.bytes, '$lookup');
    for (const key of new Set(keysOf(doc, parts))) {
      const entries = table.get(key);
      if (entries === undefined) table.set(key, [entry]);
      else entries.push(entry);
    }
  }
  return table;
}

/** In memory a document takes several times of what it takes as BSON, of which a result may have 16 MB. */
const mostPartnerBytes = 64 * 1024 * 1024;

function tooManyPartners(from: string): DatabaseError {
  return new DatabaseError(
    4568,
    `Total size of documents in ${from} matching pipeline's $lookup stage exceeds the maximum document size`,
  );
}

/** The keys of all values by which a filter of equality finds the document. */
function keysOf(doc: Doc, parts: readonly string[]): string[] {
  const keys: string[] = [];
  visitPath(doc, parts, false, (value) => {
    keys.push(hashKey(value ?? null));
    return false;
  });
  return keys;
}
