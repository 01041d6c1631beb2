import { fieldParts } from '../../expressions/expression.ts';
import { isOperatorDoc } from '../../match/fields.ts';
import { DatabaseError, failedToParse } from '../../values/errors.ts';
import { hashKey } from '../../values/hash-key.ts';
import { valuesAt, visitPath } from '../../values/path.ts';
import { sizeOf } from '../../values/size.ts';
import type { Doc, Value } from '../../values/value.ts';
import { withNested } from './shaping.ts';
import { type Docs, docOf, type StageCompiler, type StageContext } from './stage.ts';

/** `$lookup` by equality of two fields. */
export const lookup: StageCompiler = (spec, context) => {
  const options = docOf(spec, '$lookup', 9);
  for (const name of options.keys()) if (!names.includes(name)) throw failedToParse(`$lookup does not support '${name}'`);
  const [from, local, foreign, as] = names.map((name) => textOption(options, name)) as [string, string, string, string];
  const [localParts, foreignParts, asParts] = [fieldParts(local), fieldParts(foreign), fieldParts(as)];
  const partners: Partners = { ...context, from, path: foreign, parts: foreignParts };
  const isIndexed = context.isIndexed?.(from, foreign) === true;
  return (input) => joined(input, localParts, asParts, partners, isIndexed);
};

/** The collection that is joined, and the field that must match. */
type Partners = StageContext & { readonly from: string; readonly path: string; readonly parts: readonly string[] };

function* joined(
  input: Docs,
  local: readonly string[],
  as: readonly string[],
  partners: Partners,
  isIndexed: boolean,
): Generator<Doc | undefined> {
  const known = new Map<string, Doc[]>();
  let table: Table | undefined;
  for (const doc of input) {
    if (doc === undefined) {
      yield undefined;
      continue;
    }
    const own = valuesAt(doc, local);
    const values = own.length === 0 ? [null] : own;
    if (!isIndexed) table ??= yield* tableOf(partners);
    yield withNested(doc, as, table ? inTable(table, values, partners.from) : yield* byIndex(partners, values, known));
  }
}

const names = ['from', 'localField', 'foreignField', 'as'];

function textOption(options: Doc, name: string): string {
  const value = options.get(name);
  if (typeof value === 'string') return value;
  throw failedToParse(
    value === undefined ? `must specify '${name}' field for a $lookup` : `$lookup argument '${name}' must be a string`,
  );
}

/** Bounds of the cache of partners, so that memory does not grow with the data. */
const mostKnown = 200;
const mostKnownBytes = 50_000;

/**
 * Finds the documents that have one of the values, and yields so that other commands can run. Many
 * documents share a few partners, e.g. the messages of a page share their authors: `known` caches
 * them.
 */
function* byIndex(
  { from, path, parts, collection }: Partners,
  values: readonly Value[],
  known: Map<string, Doc[]>,
): Generator<undefined, Doc[]> {
  const keys = new Set(values.map(hashKey));
  const [key = ''] = keys.size === 1 ? keys : [];
  const before = known.get(key);
  if (before !== undefined) return before;
  const wanted = values.length === 1 ? (values[0] as Value) : new Map([['$in', [...values]]]);
  // In a filter, a document of operators would not be compared as a value.
  const filter = values.some(isOperatorDoc) ? undefined : new Map([[path, wanted]]);
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
  if (keys.size === 1 && known.size < mostKnown && bytes < mostKnownBytes) known.set(key, found);
  return found;
}

/**
 * The documents of a collection by join key. It replaces a missing index, and takes one pass over
 * the collection.
 */
type Table = Map<string, { doc: Doc; place: number; bytes: number }[]>;

function* tableOf({ from, parts, collection, operation }: Partners): Generator<undefined, Table> {
  const table: Table = new Map();
  let place = 0;
  for (const doc of collection(from)) {
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

/** The partners in the order of their collection, without duplicates. */
function inTable(table: Table, values: readonly Value[], from: string): Doc[] {
  const found = new Set(values.flatMap((value) => table.get(hashKey(value)) ?? []));
  const partners = [...found].sort((a, b) => a.place - b.place);
  if (partners.reduce((sum, { bytes }) => sum + bytes, 0) > mostPartnerBytes) throw tooManyPartners(from);
  return partners.map(({ doc }) => doc);
}

/** A document takes several times its BSON size in memory. BSON documents are limited to 16 MB. */
const mostPartnerBytes = 64 * 1024 * 1024;

function tooManyPartners(from: string): DatabaseError {
  return new DatabaseError(
    4568,
    `Total size of documents in ${from} matching pipeline's $lookup stage exceeds the maximum document size`,
  );
}

/** The keys of all values for which an equality filter on this path would find the document. */
function keysOf(doc: Doc, parts: readonly string[]): string[] {
  const keys: string[] = [];
  visitPath(doc, parts, false, (value) => {
    keys.push(hashKey(value ?? null));
    return false;
  });
  return keys;
}
