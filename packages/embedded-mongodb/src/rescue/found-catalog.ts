import { decode } from '../values/bson.ts';
import { type Doc, isDoc } from '../values/value.ts';
import type { TableRow, Trees } from './trees.ts';

/** An index, as far as its specification can be read. */
type FoundIndex = { readonly id: number; readonly name: string; readonly fields: readonly string[] };

/** A collection, with the first pages of its documents and of the index of their ids; undefined where that is not known. */
export type FoundCollection = {
  readonly db: string;
  readonly name: string;
  readonly documents: number | undefined;
  readonly ids: number | undefined;
  /** The fields at the top of documents that its indexes are made of. */
  readonly fields: ReadonlySet<string>;
};

/** What a database should have: by the name of each of its collections the names of the indexes. */
export type ExpectedCollections = { readonly db: string; readonly indexes: Readonly<Record<string, readonly string[]>> };

/** The collections of a database, as far as its catalog can be read. */
export function findCollections(trees: Trees, expected?: ExpectedCollections): FoundCollection[] {
  const roots = new Map<string, number>();
  const found = [...trees.rowsOf(1)].filter(isSchemaRow);
  const isWhole = ['collections', 'indexes'].every((name) => found.some(({ columns }) => columns[1] === name));
  for (const { columns } of isWhole ? found : [...found, ...strayRows(trees, isSchemaRow)])
    roots.set(columns[1] as string, columns[3] as number);
  const indexes = new Map<number, FoundIndex[]>();
  for (const { rid, columns } of rowsOfTable(trees, roots.get('indexes'), isIndexRow)) {
    const owner = columns[1] as number;
    indexes.set(owner, [...(indexes.get(owner) ?? []), { id: rid, ...readSpec(columns[2] as Buffer) }]);
  }
  const names = new Map<number, { db: string; name: string }>();
  for (const { rid, columns } of rowsOfTable(trees, roots.get('collections'), isCollectionRow))
    names.set(rid, { db: columns[1] as string, name: columns[2] as string });
  for (const id of [...roots.keys()].flatMap((table) => (table.startsWith('c') ? [Number(table.slice(1))] : [])))
    if (Number.isInteger(id) && !names.has(id)) names.set(id, guessedName(id, indexes.get(id) ?? [], expected));
  return [...names].map(([id, names]) => {
    const own = indexes.get(id) ?? [];
    const ids = own.find(({ name }) => name === '_id_')?.id;
    return {
      ...names,
      documents: roots.get(`c${id}`),
      ids: ids === undefined ? undefined : roots.get(`i${ids}`),
      fields: new Set(own.flatMap(({ fields }) => fields)),
    };
  });
}

/** The name of a collection whose own is lost: that of the expected one with the same indexes. */
function guessedName(id: number, own: readonly FoundIndex[], { db, indexes }: ExpectedCollections = { db: '', indexes: {} }) {
  const names = own.map(({ name }) => name).filter((name) => name !== '_id_');
  const alike = Object.entries(indexes).filter(
    ([, expected]) => expected.length > 0 && expected.filter((name) => names.includes(name)).length > expected.length / 2,
  );
  return { db, name: alike.length === 1 ? (alike[0] as [string, unknown])[0] : `without a name (${id})` };
}

type IsRow = (row: TableRow) => boolean;

const isSchemaRow: IsRow = ({ columns: [type, name, , root, sql] }) =>
  type === 'table' && typeof root === 'number' && typeof sql === 'string' && /^(collections|indexes|[ci]\d+)$/.test(String(name));
const isCollectionRow: IsRow = ({ columns: [id, db, name, options] }) =>
  id === null && typeof db === 'string' && typeof name === 'string' && Buffer.isBuffer(options);
const isIndexRow: IsRow = ({ columns: [id, collection, spec] }) =>
  id === null && typeof collection === 'number' && Buffer.isBuffer(spec);

/** The rows of a table of the catalog; all rows of their kind if it cannot be found. */
function rowsOfTable(trees: Trees, root: number | undefined, isRow: IsRow): TableRow[] {
  const rows = root === undefined ? [] : [...trees.rowsOf(root)].filter(isRow);
  return rows.length > 0 ? rows : [...strayRows(trees, isRow)];
}

function* strayRows(trees: Trees, isRow: IsRow): Generator<TableRow> {
  for (const page of trees.strayLeaves()) for (const row of trees.rowsOn(page)) if (isRow(row)) yield row;
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
