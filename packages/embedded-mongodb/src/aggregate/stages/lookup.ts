import { isOperatorDoc } from '../../match/fields.ts';
import { failedToParse } from '../../values/errors.ts';
import { hashKey } from '../../values/hash-key.ts';
import { valuesAt, visitPath } from '../../values/path.ts';
import type { Doc, Value } from '../../values/value.ts';
import { fieldParts } from '../expression.ts';
import { withNested } from './shaping.ts';
import { docOf, type StageCompiler, type StageContext } from './stage.ts';

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
      const values = valuesAt(doc, localParts);
      yield withNested(doc, asParts, find(values.length === 0 ? [null] : values));
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

/** Finds the documents that have one of some values. */
type Finder = (values: readonly Value[]) => Doc[];

/** So many partners are remembered during one run, so that memory does not grow with the data. */
const mostKnown = 200;

function byIndex(from: string, foreign: string, parts: readonly string[], { collection }: StageContext): Finder {
  const find = (values: readonly Value[], keys: ReadonlySet<string>) => {
    // A document of operators would mean something else in a filter than it does as a value.
    const filter = values.some(isOperatorDoc) ? undefined : new Map([[foreign, new Map([['$in', [...values]]])]]);
    return Array.from(collection(from, filter)).filter((partner) => keysOf(partner, parts).some((key) => keys.has(key)));
  };
  // Many documents have the same few partners, such as the messages of a page their authors.
  const known = new Map<string, Doc[]>();
  return (values) => {
    const keys = new Set(values.map(hashKey));
    const [key] = keys;
    if (key === undefined || keys.size > 1) return find(values, keys);
    const found = known.get(key) ?? find(values, keys);
    if (known.size < mostKnown) known.set(key, found);
    return found;
  };
}

/** Without an index, through a table made of one pass over the collection. */
function byTable(from: string, parts: readonly string[], { collection }: StageContext): Finder {
  let table: Map<string, { doc: Doc; place: number }[]> | undefined;
  return (values) => {
    table ??= tableOf(collection(from), parts);
    const found = new Set(values.flatMap((value) => table?.get(hashKey(value)) ?? []));
    // Partners come in the order of their collection, each once.
    return [...found].sort((a, b) => a.place - b.place).map(({ doc }) => doc);
  };
}

function tableOf(docs: Iterable<Doc>, parts: readonly string[]): Map<string, { doc: Doc; place: number }[]> {
  const table = new Map<string, { doc: Doc; place: number }[]>();
  let place = 0;
  for (const doc of docs) {
    const entry = { doc, place: place++ };
    for (const key of new Set(keysOf(doc, parts))) {
      const entries = table.get(key);
      if (entries === undefined) table.set(key, [entry]);
      else entries.push(entry);
    }
  }
  return table;
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
