import { ObjectId } from 'bson';
import type { Context } from '../context.ts';
import { type Operation, present } from '../operation.ts';
import { Row } from '../plan/execute.ts';
import { type FindQuery, prepareFind } from '../plan/find.ts';
import type { Database } from '../protocol/command.ts';
import { maxDocumentBytes } from '../protocol/limits.ts';
import type { Collection } from '../storage/collection.ts';
import { compileUpdate, type Update } from '../update/update.ts';
import { checkUpsertFilter, upsertDocument } from '../update/upsert.ts';
import { decode, encode } from '../values/bson.ts';
import { DatabaseError } from '../values/errors.ts';
import { checkId, idFirst } from '../values/identity.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';

/** The collection that a statement writes to. It is created with its first document. */
export type Target = {
  readonly database: Database;
  readonly db: string;
  readonly name: string;
  readonly context: Context;
};

/** An update statement of any command. */
type UpdateStatement = {
  readonly filter: Doc;
  readonly update: Doc | readonly Value[];
  readonly multi: boolean;
  readonly upsert: boolean;
  readonly sort?: Doc | undefined;
  readonly arrayFilters?: readonly Value[] | undefined;
};

/** The result of an update. */
type UpdateResult = {
  readonly matched: number;
  readonly modified: number;
  readonly upsertedId?: Value;
  /** The last matched or inserted document, before and after the update. */
  readonly before?: Row;
  readonly after?: Row;
};

/** A delete statement of any command. */
type DeleteStatement = {
  readonly filter: Doc;
  readonly multi: boolean;
  readonly sort?: Doc | undefined;
};

/** Inserts a document unchanged, unless its `_id` is missing or not the first field. */
export function insertDocument(target: Target, bytes: Buffer, doc = decode(bytes)): Value {
  if (doc.keys().next().value === '_id') return store(target, doc, bytes);
  return insertDoc(target, doc);
}

/** Inserts a document that must be encoded first. */
function insertDoc(target: Target, doc: Doc): Value {
  const complete = doc.has('_id') ? idFirst(doc) : new Map([['_id', new ObjectId() as Value], ...doc]);
  return store(target, complete, encode(complete));
}

/**
 * Updates the first or all matching documents. If none matches and `upsert` is set, inserts a
 * document.
 */
export function updateDocuments(target: Target, statement: UpdateStatement): UpdateResult {
  const { filter, arrayFilters, upsert, multi } = statement;
  const update = compileUpdate(statement.update, { ...target.context, arrayFilters });
  if (multi && update.kind === 'replacement')
    throw new DatabaseError(9, 'multi update is not supported for replacement-style update');
  if (upsert) checkUpsertFilter(filter);
  const collection = collectionOf(target);
  const found =
    collection && prepareFind(target.database.file, collection, { ...statement, ...looking(statement) }, target.context);
  let result: UpdateResult = { matched: 0, modified: 0 };
  if (collection !== undefined && found !== undefined) {
    for (const row of stable(collection, present(found.rows()), multi, target.context.operation)) {
      const after = changeRow(collection, row, update);
      result = { matched: result.matched + 1, modified: result.modified + Number(after !== row), before: row, after };
    }
  }
  if (result.matched > 0 || !upsert) return result;
  const inserted = upsertDocument(filter, update, () => new ObjectId());
  const document = encode(inserted);
  const upsertedId = store(target, inserted, document);
  return { matched: 0, modified: 0, upsertedId, after: new Row({ rid: 0, document }) };
}

/**
 * Removes the first or all matching documents; `last` is the last removed one, if only one was
 * wanted.
 */
export function deleteDocuments(target: Target, statement: DeleteStatement): { removed: number; last: Row | undefined } {
  const collection = collectionOf(target);
  let removed = 0;
  let last: Row | undefined;
  if (collection === undefined) return { removed, last };
  const query = { ...statement, ...looking(statement) };
  const { rows } = prepareFind(target.database.file, collection, query, target.context);
  for (const row of stable(collection, present(rows()), statement.multi, target.context.operation)) {
    collection.remove(row.rid, row.document, () => row.whole);
    removed++;
    last = statement.multi ? undefined : row;
  }
  return { removed, last };
}

/** The limit of a statement's query. Documents are decoded only when they are changed. */
function looking(statement: UpdateStatement | DeleteStatement): Pick<FindQuery, 'limit' | 'shown'> {
  return { limit: statement.multi ? undefined : 1, shown: [] };
}

/**
 * The rows from before the first change. Changes move index entries, so the index must be read
 * first.
 */
function* stable(collection: Collection, rows: Generator<Row>, multi: boolean, operation: Operation | undefined): Generator<Row> {
  if (!multi) {
    const row = rows.next();
    if (!row.done) yield row.value;
    rows.return(undefined);
    return;
  }
  const rids = Array.from(rows, ({ rid }) => rid);
  for (const rid of rids) {
    operation?.isDue();
    const document = collection.get(rid);
    if (document !== undefined) yield new Row({ rid, document });
  }
}

/** Updates a row. Returns the same object if it does not change. */
function changeRow(collection: Collection, row: Row, update: Update): Row {
  const document = update.applyRaw?.(row.document) ?? changedDocument(row, update);
  if (document === row.document) return row;
  const after = new Row({ rid: row.rid, document });
  collection.replace(
    row.rid,
    row.document,
    document,
    () => row.whole,
    () => after.doc,
  );
  return after;
}

function changedDocument(row: Row, update: Update): Buffer {
  const { doc, modified } = update.apply(row.whole);
  if (!modified) return row.document;
  const bytes = encode(doc);
  checkSize(bytes);
  return bytes;
}

function store(target: Target, doc: Doc, bytes: Buffer): Value {
  const { database, db, name } = target;
  const id = doc.get('_id') as Value;
  checkId(id);
  if (isDoc(id) && [...id.keys()].some((field) => field.startsWith('$')))
    throw new DatabaseError(52, `_id fields may not contain '$'-prefixed fields: ${[...id.keys()][0]} is not valid for storage.`);
  checkSize(bytes);
  const collection = collectionOf(target) ?? database.catalog.create(db, name);
  collection.insert(bytes, () => doc);
  return id;
}

function collectionOf({ database, db, name }: Target): Collection | undefined {
  return database.catalog.get(db, name);
}

function checkSize(bytes: Uint8Array): void {
  if (bytes.length <= maxDocumentBytes) return;
  throw new DatabaseError(10334, `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${maxDocumentBytes}`);
}
