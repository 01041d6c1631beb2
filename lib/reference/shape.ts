import type { JsonSchema } from '../api/schema.ts';

/** A schema as a TypeScript type, which readers understand. Components are shown by name. */
export function shapeOf(schema: JsonSchema, indent = ''): string {
  const { $ref, type, properties, items, anyOf, required = [] } = schema as DescribedSchema;
  if ($ref) return $ref.split('/').at(-1) ?? '';
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if (anyOf && !properties) return [...new Set(anyOf.map((one) => shapeOf(one, indent)))].join(' | ');
  if (type === 'array') return listOf(shapeOf(items ?? {}, indent));
  if (properties) {
    const inner = `${indent}  `;
    const fields = Object.entries(properties).map(([name, field]) => {
      const comment = typeof field.description === 'string' ? `${inner}/** ${field.description} */\n` : '';
      return `${comment}${inner}${nameOf(name)}${required.includes(name) ? '' : '?'}: ${shapeOf(field, inner)};\n`;
    });
    return fields.length > 0 ? `{\n${fields.join('')}${indent}}` : 'Record<string, never>';
  }
  return type === undefined ? 'unknown' : (types[type] ?? 'unknown');
}

type DescribedSchema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  required?: string[];
};

const types: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Record<string, unknown>',
};

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value));
const nameOf = (name: string) => (/^[\w$]+$/.test(name) ? name : `'${name}'`);
const listOf = (inner: string) => (inner.includes(' | ') && !inner.startsWith('{') ? `(${inner})[]` : `${inner}[]`);
