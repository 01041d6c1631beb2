import { failedToParse } from '../errors.ts';
import { compilerFor, fieldParts } from '../expression.ts';
import { bindingsOf } from '../expressions/logic.ts';
import type { Cell } from '../expressions/operator.ts';
import { hasherFor, hashKey } from '../hash-key.ts';
import { valuesAt, visitPath } from '../path.ts';
import { type Doc, isDoc, type Value } from '../value.ts';
import { hintOfValues, hintsOf } from './lookup-hints.ts';
import { withNested } from './shaping.ts';
import { checkNames, docOf, type Stage, type StageContext, stagesOf } from './stage.ts';

const NAMES = ['from', 'localField', 'foreignField', 'as', 'let', 'pipeline'];

/** `$lookup`: by equality of fields, by a pipeline, or by both. */
export function lookup(spec: Value, context: StageContext): Stage {
  const options = docOf(spec, '$lookup', 9);
  checkNames(options, NAMES, '$lookup', 9);
  const as = textOption(options, 'as');
  if (as === undefined) throw failedToParse("must specify 'as' field for a $lookup");
  const asParts = fieldParts(as);
  const from = sourceOf(options);
  const find = options.has('pipeline') ? byPipeline(options, from, context) : byFields(options, from as string, context);
  return function* (input) {
    const findFor = find();
    for (const doc of input) yield withNested(doc, asParts, findFor(doc));
  };
}

/** Finds a document's partners; made anew for each run, so that a table kept by one run is not used by the next. */
type Finder = () => (doc: Doc) => Doc[];

function sourceOf(options: Doc): string | undefined {
  const from = options.get('from');
  if (typeof from === 'string') return from;
  if (from !== undefined) throw failedToParse('$lookup argument "from" must be a string, not another database');
  const stages = options.get('pipeline');
  const [first] = Array.isArray(stages) ? stages : [];
  if (!isDoc(first) || !first.has('$documents')) throw failedToParse("must specify 'pipeline' when 'from' is empty");
  return undefined;
}

function byFields(options: Doc, from: string, context: StageContext): Finder {
  const [local, foreign] = ['localField', 'foreignField'].map((name) => textOption(options, name));
  if (local === undefined || foreign === undefined) {
    throw failedToParse("$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  }
  if (options.has('let')) throw failedToParse("$lookup with a 'let' argument must also specify 'pipeline'");
  return equalityFinder(fieldParts(local), foreign, from, context);
}

function byPipeline(options: Doc, from: string | undefined, context: StageContext): Finder {
  const stages = stagesOf(options.get('pipeline'), '$lookup');
  const vars = options.get('let') ?? new Map();
  if (!isDoc(vars)) throw failedToParse("$lookup argument 'let' must be an object");
  const bindings = bindingsOf(vars, compilerFor(context));
  const cells: Record<string, Cell> = { ...context.cells };
  for (const { variable, cell } of bindings) cells[variable] = cell;
  const pipeline = context.pipeline(stages, { ...context, cells });
  const hints = context.texts === undefined ? hintsOf(stages, cells) : () => undefined;
  const [local, foreign] = ['localField', 'foreignField'].map((name) => textOption(options, name));
  if ((local === undefined) !== (foreign === undefined))
    throw failedToParse('$lookup requires both or neither of localField and foreignField');
  const joined =
    local === undefined || foreign === undefined
      ? undefined
      : equalityFinder(fieldParts(local), foreign, from as string, context);
  return () => {
    const partners = joined?.();
    return (doc) => {
      const values = bindings.map(({ value }) => value.evaluate(doc));
      bindings.forEach(({ cell }, i) => {
        cell.value = values[i];
      });
      const source = from === undefined ? [] : (partners?.(doc) ?? context.collection(from, hints()));
      return [...pipeline.run(source)];
    };
  };
}

function textOption(options: Doc, name: string): string | undefined {
  const value = options.get(name);
  if (value === undefined || typeof value === 'string') return value;
  throw failedToParse(`$lookup argument '${name}: ${String(value)}' must be a string`);
}

/** Joins by equality: through the collection's index if it has one, else through a table made of one pass over it. */
function equalityFinder(local: readonly string[], foreign: string, from: string, context: StageContext): Finder {
  const wanted = (doc: Doc): Value[] => {
    const values = valuesAt(doc, local);
    return values.length === 0 ? [null] : values;
  };
  // An index holds texts by their bytes, which a collation does not ask for.
  if (context.texts === undefined && context.isIndexed?.(from, foreign)) {
    const parts = foreign.split('.');
    const find = (values: readonly Value[], keys: ReadonlySet<string>) =>
      Array.from(context.collection(from, hintOfValues(foreign, values))).filter((partner) =>
        keysOf(partner, parts, hashKey).some((key) => keys.has(key)),
      );
    return () => {
      // Many documents have the same few partners, such as the messages of a page their authors.
      const known = new Map<string, Doc[]>();
      return (doc) => {
        const values = wanted(doc);
        const keys = new Set(values.map((value) => hashKey(value)));
        const [key] = keys;
        if (key === undefined || keys.size > 1) return find(values, keys);
        const found = known.get(key) ?? find(values, keys);
        if (known.size < MOST_KNOWN) known.set(key, found);
        return found;
      };
    };
  }
  return () => {
    const keyOf = hasherFor(context.texts);
    let table: Map<string, { doc: Doc; place: number }[]> | undefined;
    return (doc) => {
      table ??= tableOf(context.collection(from), foreign.split('.'), keyOf);
      const found = new Set(wanted(doc).flatMap((value) => table?.get(keyOf(value)) ?? []));
      // Partners come in the order of their collection, each once.
      return [...found].sort((a, b) => a.place - b.place).map((entry) => entry.doc);
    };
  };
}

/** So many partners are remembered during one run, so that memory does not grow with the data. */
const MOST_KNOWN = 200;

type KeyOf = (value: Value) => string;

function tableOf(docs: Iterable<Doc>, parts: readonly string[], keyOf: KeyOf): Map<string, { doc: Doc; place: number }[]> {
  const table = new Map<string, { doc: Doc; place: number }[]>();
  let place = 0;
  for (const doc of docs) {
    const entry = { doc, place: place++ };
    for (const key of new Set(keysOf(doc, parts, keyOf))) {
      const entries = table.get(key);
      if (entries === undefined) table.set(key, [entry]);
      else entries.push(entry);
    }
  }
  return table;
}

/** The keys of all values by which a filter of equality finds the document. */
function keysOf(doc: Doc, parts: readonly string[], keyOf: KeyOf): string[] {
  const keys: string[] = [];
  visitPath(doc, parts, false, (value) => {
    keys.push(keyOf(value ?? null));
    return false;
  });
  return keys;
}
