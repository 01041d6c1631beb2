import { decode } from '../values/bson.ts';
import { type Doc, isDoc } from '../values/value.ts';
import { readCatalog } from './catalog-rows.ts';
import type { PageSource } from './page-source.ts';

/** An index, as far as its specification can be read. */
type FoundIndex = { readonly id: number; readonly name: string; readonly fields: readonly string[] };

/** A collection, with the first pages of its documents and of the index of their ids, if known. */
export type FoundCollection = {
  readonly db: string;
  readonly name: string;
  readonly documents: number | undefined;
  readonly ids: number | undefined;
  /** The fields at the top of documents that its indexes are made of. */
  readonly fields: ReadonlySet<string>;
};

/** The collections that a database should have: their names, with the names of their indexes. */
export type ExpectedCollections = { readonly db: string; readonly indexes: Readonly<Record<string, readonly string[]>> };

/** The collections of a database, as far as its catalog or the copy of it can be read. */
export function findCollections(pages: PageSource, expected?: ExpectedCollections): FoundCollection[] {
  const { roots, collections, indexes: rows, copy, isWhole } = readCatalog(pages);
  const indexes = new Map<number, FoundIndex[]>();
  for (const { rid, columns } of rows) {
    const owner = columns[1] as number;
    indexes.set(owner, [...(indexes.get(owner) ?? []), { id: rid, ...readSpec(columns[2] as Buffer) }]);
  }
  const fieldsOf = (id: number) => new Set((indexes.get(id) ?? []).flatMap(({ fields }) => fields));
  if (copy !== undefined)
    return copy.map(({ id, db, name, documents, ids }) => ({ db, name, documents, ids, fields: fieldsOf(id) }));
  const names = new Map<number, { db: string; name: string }>();
  for (const { rid, columns } of collections) names.set(rid, { db: columns[1] as string, name: columns[2] as string });
  for (const id of [...roots.keys()].flatMap((table) => (/^c\d+$/.test(table) ? [Number(table.slice(1))] : [])))
    if (!names.has(id)) names.set(id, guessedName(id, indexes.get(id) ?? [], expected));
  const found = [...names].map(([id, names]): FoundCollection => {
    const ids = indexes.get(id)?.find(({ name }) => name === '_id_')?.id;
    return {
      ...names,
      documents: roots.get(`c${id}`),
      ids: ids === undefined ? undefined : roots.get(`i${ids}`),
      fields: fieldsOf(id),
    };
  });
  return isWhole ? found : [...found, ...notFound(found, expected)];
}

/** Finds expected collections that a damaged catalog lacks. Their documents count as lost. */
function notFound(found: readonly FoundCollection[], { db, indexes } = noneExpected): FoundCollection[] {
  const names = new Set(found.filter((collection) => collection.db === db).map(({ name }) => name));
  return Object.keys(indexes)
    .filter((name) => !names.has(name))
    .map((name) => ({ db, name, documents: undefined, ids: undefined, fields: new Set() }));
}

const noneExpected: ExpectedCollections = { db: '', indexes: {} };

/**
 * The name of a collection that has lost its own: that of the expected collection with the same
 * indexes.
 */
function guessedName(id: number, own: readonly FoundIndex[], { db, indexes } = noneExpected) {
  const names = own.map(({ name }) => name).filter((name) => name !== '_id_');
  const alike = Object.entries(indexes).filter(
    ([, expected]) => expected.length > 0 && expected.filter((name) => names.includes(name)).length > expected.length / 2,
  );
  return { db, name: alike.length === 1 ? (alike[0] as [string, unknown])[0] : `without a name (${id})` };
}

/** The name of an index and the fields at the top of documents that it is made of. */
function readSpec(bytes: Buffer): Omit<FoundIndex, 'id'> {
  let spec: Doc = new Map();
  try {
    spec = decode(bytes);
  } catch {
    // Its name is not known.
  }
  const paths = ['key', 'weights'].flatMap((field) => {
    const value = spec.get(field);
    return isDoc(value) ? [...value.keys()] : [];
  });
  const fields = paths.map((path) => path.split('.', 1)[0] as string).filter((field) => !field.startsWith('_'));
  return { name: String(spec.get('name') ?? ''), fields };
}
