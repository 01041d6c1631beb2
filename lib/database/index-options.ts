import { BSON, type Document, type IndexDescription } from 'mongodb';

/** The options of an index that decide about documents or about which queries can use it. */
const options = ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', 'collation', 'hidden'] as const;

/** How an existing index differs from the one of its name that the service needs, in words; undefined if it does not. */
export function differenceOf(existing: Document, wanted: IndexDescription): string | undefined {
  const differing = options.filter((option) => show(existing[option]) !== show(wanted[option]));
  const found = [
    ...(fieldsOf(existing.key) === fieldsOf(wanted.key) ? [] : [`key: ${show(existing.key)} instead of ${show(wanted.key)}`]),
    ...differing.map((option) => `${option}: ${show(existing[option])} instead of ${show(wanted[option])}`),
  ];
  return found.length > 0 ? found.join(', ') : undefined;
}

/** The fields of an index in order. A text index does not show the fields of its texts among them. */
function fieldsOf(key: Document | Map<string, unknown> = {}): string {
  const fields = [...(key instanceof Map ? key : Object.entries(key))].filter(([name]) => name !== '_ftsx');
  return JSON.stringify(fields.map(([name, direction]) => (direction === 'text' ? 'text' : [name, Number(direction)])));
}

/** Absent and false are the same, and so are numbers of all types. */
const show = (value: unknown): string =>
  value === undefined || value === false ? 'none' : BSON.EJSON.stringify(value, { relaxed: true });
