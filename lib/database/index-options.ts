import { BSON, type Document, type IndexDescription } from 'mongodb';

/** The index options that affect documents, or which queries can use the index. */
const options = ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', 'collation', 'hidden'] as const;

/**
 * The differences between an existing index and the required one of the same name, in words;
 * undefined without differences.
 */
export function differenceOf(existing: Document, wanted: IndexDescription): string | undefined {
  const differing = options.filter((option) => show(existing[option]) !== show(wanted[option]));
  const found = [
    ...(fieldsOf(existing.key) === fieldsOf(wanted.key) ? [] : [`key: ${show(existing.key)} instead of ${show(wanted.key)}`]),
    ...differing.map((option) => `${option}: ${show(existing[option])} instead of ${show(wanted[option])}`),
  ];
  return found.length > 0 ? found.join(', ') : undefined;
}

/** The fields of an index in order. A text index does not list its text fields there. */
function fieldsOf(key: Document | Map<string, unknown> = {}): string {
  const fields = [...(key instanceof Map ? key : Object.entries(key))].filter(([name]) => name !== '_ftsx');
  return JSON.stringify(fields.map(([name, direction]) => (direction === 'text' ? 'text' : [name, Number(direction)])));
}

/** Absent equals false, and numeric types are ignored. */
const show = (value: unknown): string =>
  value === undefined || value === false ? 'none' : BSON.EJSON.stringify(value, { relaxed: true });
