import { DatabaseError } from '../query/errors.ts';
import { compilerFor } from '../query/expression.ts';
import type { Output } from '../query/output-stage.ts';
import type { Doc, Value } from '../query/value.ts';
import type { Collection } from '../storage/collection.ts';
import { checkNames } from '../storage/names.ts';
import { boolArg } from './args.ts';
import type { Command, Database } from './command.ts';
import { contextOf } from './context.ts';
import { insertDoc, type Target, updateDocuments } from './modify.ts';
import { refuseView } from './views.ts';

type Merge = Extract<Output, { kind: 'merge' }>;

/** Writes the documents of a pipeline where its `$out` or `$merge` says. */
export function writeOutput(database: Database, command: Command, output: Output, docs: readonly Doc[]): void {
  const db = output.db ?? command.db;
  checkNames(db, output.collection);
  const target: Target = {
    database,
    db,
    name: output.collection,
    context: contextOf(command),
    bypassValidation: boolArg(command.args, 'bypassDocumentValidation') === true,
  };
  refuseView(database.catalog.get(db, output.collection));
  if (output.kind === 'out') replaceCollection(target, docs);
  else mergeInto(target, output, docs);
}

/** Fills a collection aside and then puts it in the place of the old one, whose options and indexes it has. */
function replaceCollection(target: Target, docs: readonly Doc[]): void {
  const { catalog, commits } = target.database;
  const old = catalog.get(target.db, target.name);
  const aside = `tmp.agg_out.${target.name}`;
  commits.atomically(() => {
    const made = catalog.create(target.db, aside, old?.options);
    for (const index of old?.indexes ?? []) if (index.name !== '_id_') catalog.addIndex(made, index.spec);
    for (const doc of docs) insertDoc({ ...target, name: aside }, doc);
    if (old !== undefined) catalog.drop(old);
    catalog.rename(made, target.db, target.name);
  });
}

function mergeInto(target: Target, merge: Merge, docs: readonly Doc[]): void {
  const on = merge.on ?? ['_id'];
  checkUnique(target.database.catalog.get(target.db, target.name), on);
  const variables = compiledVariables(target, merge);
  for (const doc of docs) {
    const filter = keyOf(doc, on, merge.on !== undefined);
    const result = filter === undefined ? NOTHING : updateMatch({ ...target, context: variables(doc) }, merge, filter);
    if (result.matched > 0 || merge.whenNotMatched === 'discard') continue;
    if (merge.whenNotMatched === 'fail')
      throw new DatabaseError(
        13113,
        '$merge could not find a matching document in the target collection for at least one document in the source collection',
      );
    insertDoc(target, doc);
  }
}

const NOTHING = { matched: 0 };

/** The documents must be found by a unique index, or one might match many. */
function checkUnique(collection: Collection | undefined, on: readonly string[]): void {
  const isById = on.length === 1 && on[0] === '_id';
  const covers = collection?.indexes.some(
    ({ unique, pattern, partialFilter, sparse }) =>
      unique && partialFilter === undefined && !sparse && pattern.size === on.length && on.every((field) => pattern.has(field)),
  );
  if (!isById && covers !== true) throw new DatabaseError(51183, 'Cannot find index to verify that join fields will be unique');
}

/** The filter that finds a document's partner; `undefined` if it has no `_id` yet. */
function keyOf(doc: Doc, on: readonly string[], explicit: boolean): Doc | undefined {
  const filter: Doc = new Map();
  for (const field of on) {
    const value = field
      .split('.')
      .reduce<Value | undefined>((inner, part) => (inner instanceof Map ? inner.get(part) : undefined), doc);
    if (value === undefined && field === '_id') return undefined;
    if (value === undefined || value === null || (explicit && Array.isArray(value)))
      throw new DatabaseError(51132, `$merge write error: 'on' field '${field}' cannot be missing, null, undefined or an array`);
    filter.set(field, new Map([['$eq', value]]));
  }
  return filter;
}

/** What `$$new` and the variables of `let` stand for, for each document. */
function compiledVariables({ context }: Target, { variables }: Merge): (doc: Doc) => Target['context'] {
  const compiler = compilerFor(context);
  const compiled = [...(variables ?? [])].map(([name, value]) => [name, compiler.compile(value)] as const);
  return (doc) => {
    const values = compiled.map(([name, { evaluate }]) => [name, evaluate(doc) ?? null] as const);
    return { ...context, variables: new Map<string, Value>([...(context.variables ?? []), ['new', doc], ...values]) };
  };
}

function updateMatch(target: Target, { whenMatched }: Merge, filter: Doc): { readonly matched: number } {
  // A failure is the duplicate key that the insertion meets.
  if (whenMatched === 'fail') return NOTHING;
  const update = typeof whenMatched === 'string' ? CHANGES[whenMatched] : whenMatched;
  return updateDocuments(target, { filter, update, multi: false, upsert: false });
}

/** What happens to a document that is there, as an update pipeline. */
const CHANGES: Readonly<Record<'replace' | 'merge' | 'keepExisting', readonly Value[]>> = {
  replace: [replaceWithMerged(new Map([['_id', '$_id']]))],
  merge: [replaceWithMerged('$$ROOT')],
  keepExisting: [],
};

function replaceWithMerged(base: Value): Doc {
  return new Map([['$replaceWith', new Map([['$mergeObjects', [base, '$$new']]])]]);
}
