import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../lib/api/schema.ts';
import { anyCharacter } from './characters.ts';

/** Valid values of a schema, as far as this service's schemas need. */
export function valid(schema: JsonSchema, ids: Arbitrary<string>): Arbitrary<unknown> {
  const {
    type,
    anyOf,
    pattern,
    minLength = 0,
    maxLength = 40,
    minimum = 0,
    maximum = 1000,
    properties,
  } = schema as DescribedSchema;
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (anyOf) return fc.oneof(...anyOf.map((one) => valid(one, ids)));
  if (typeof schema.$ref === 'string' && /\/(Sent)?Id$/.test(schema.$ref)) return ids.map(($oid) => ({ $oid }));
  if (pattern?.includes('@')) return fc.emailAddress();
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  if (pattern?.includes('{24}')) return ids;
  if (pattern?.startsWith('^')) return fc.stringMatching(new RegExp(pattern));
  if (type === 'string') return textOf(minLength, Math.min(maxLength, minLength + 200));
  if (type === 'integer')
    return fc.oneof(fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) }), fc.constantFrom(minimum, maximum));
  if (type === 'object' && properties)
    return fc.record(Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valid(inner, ids)])));
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return fc.array(valid((schema.items ?? {}) as JsonSchema, ids), { maxLength: 4 });
  return fc.jsonValue();
}

type DescribedSchema = {
  type?: string;
  anyOf?: JsonSchema[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
};

/** Unsuitable values that people, programs and attackers send. */
export const nasty: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 53,
      1e308,
      '',
      ' ',
      '\t\n',
      'null',
      'undefined',
      'constructor',
      '__proto__',
      'toString',
      '-1',
      '1e3',
      'NaN',
    ],
    ...[
      '$where',
      '../../etc/passwd',
      "' OR 1=1 --",
      '<script>alert(1)</script>',
      '%00',
      '{{7*7}}',
      '🦉',
      'e\u0301',
      '\u202e',
      'a'.repeat(300),
    ],
    ...[
      [],
      [[]],
      {},
      { $gt: '' },
      { $ne: null },
      { $regex: '.*' },
      { $oid: 'x' },
      { $oid: { $oid: 'x' } },
      { $date: 'x' },
      { $where: 'sleep(1)' },
    ],
    ...['0'.repeat(24), { $oid: '0'.repeat(24) }, '9999-12-31T23:59:59Z', { length: 3 }, { toString: 1 }],
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: anyCharacter }),
);

/** Unsuitable values as text for a URL. */
export const nastyText = nasty.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));

const textOf = (least: number, most: number) =>
  fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'é', '🦉', ' ', '\n', '@ann', '"'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    minLength: least,
    maxLength: Math.min(most, 60),
  });
