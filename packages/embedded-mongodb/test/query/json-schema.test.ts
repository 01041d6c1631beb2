import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../src/query/match.ts';
import { codeOf, d } from './notation.ts';

const valid = (schema: object, document: object) => compileFilter(d({ $jsonSchema: schema })).matches(d(document));

/** A sentence, a schema, a document that is valid beside one that is not. */
const ROWS: [string, object, object, object][] = [
  ['required names fields that must be there', { required: ['a'] }, { a: null }, {}],
  ['properties says what fields must be, if they are there', { properties: { a: { bsonType: 'string' } } }, { a: 'x' }, { a: 1 }],
  ['bsonType takes several types', { properties: { a: { bsonType: ['int', 'null'] } } }, { a: null }, { a: 'x' }],
  ['type takes the names of JSON', { properties: { a: { type: 'number' } } }, { a: 1.5 }, { a: '1' }],
  ['additionalProperties may forbid others', { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { a: 1, b: 1 }],
  ['additionalProperties may say what others are', { additionalProperties: { bsonType: 'int' } }, { b: 1 }, { b: 'x' }],
  ['patternProperties goes by name', { patternProperties: { '^n_': { bsonType: 'int' } } }, { n_a: 1, x: 'x' }, { n_a: 'x' }],
  ['minimum and maximum bound numbers', { properties: { a: { minimum: 1, maximum: 3 } } }, { a: 3 }, { a: 4 }],
  ['exclusiveMinimum shuts the bound out', { properties: { a: { minimum: 1, exclusiveMinimum: true } } }, { a: 2 }, { a: 1 }],
  ['minimum says nothing of what is no number', { properties: { a: { minimum: 1 } } }, { a: 'x' }, { a: 0 }],
  ['multipleOf divides without rest, in decimals', { properties: { a: { multipleOf: 0.1 } } }, { a: 0.3 }, { a: 0.35 }],
  ['minLength and maxLength count characters', { properties: { a: { minLength: 1, maxLength: 2 } } }, { a: '😀😀' }, { a: '' }],
  ['pattern is a regular expression', { properties: { a: { pattern: '^x' } } }, { a: 'xy' }, { a: 'yx' }],
  ['enum lists what may be', { properties: { a: { enum: [1, 'x'] } } }, { a: 'x' }, { a: 'y' }],
  ['items says what elements are', { properties: { a: { items: { bsonType: 'int' } } } }, { a: [1, 2] }, { a: [1, 'x'] }],
  [
    'items by place leaves the rest to additionalItems',
    { properties: { a: { items: [{ bsonType: 'int' }], additionalItems: false } } },
    { a: [1] },
    { a: [1, 2] },
  ],
  ['minItems and maxItems count elements', { properties: { a: { minItems: 1, maxItems: 2 } } }, { a: [1] }, { a: [1, 2, 3] }],
  ['uniqueItems allows each value once', { properties: { a: { uniqueItems: true } } }, { a: [1, 2] }, { a: [1, 1.0] }],
  ['minProperties and maxProperties count fields', { minProperties: 1, maxProperties: 2 }, { a: 1 }, { a: 1, b: 2, c: 3 }],
  ['dependencies asks for fields beside others', { dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
  ['dependencies may be a schema', { dependencies: { a: { required: ['b'] } } }, { c: 1 }, { a: 1 }],
  ['allOf needs all', { allOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 }, { a: 1 }],
  ['anyOf needs one', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { b: 1 }, { c: 1 }],
  ['oneOf needs just one', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }, { a: 1, b: 1 }],
  ['not turns', { not: { required: ['a'] } }, { b: 1 }, { a: 1 }],
  [
    'schemas nest',
    { properties: { a: { bsonType: 'object', required: ['b'], properties: { b: { bsonType: 'int' } } } } },
    { a: { b: 1 } },
    { a: {} },
  ],
  ['title and description say nothing', { title: 'T', description: 'D', required: ['a'] }, { a: 1 }, {}],
];

describe('$jsonSchema', () => {
  it.each(ROWS)('%s', (_story, schema, right, wrong) => {
    expect(valid(schema, right)).toBe(true);
    expect(valid(schema, wrong)).toBe(false);
  });

  it.each<[string, object, number]>([
    ['an unknown keyword', { foo: 1 }, 9],
    ['a keyword that MongoDB does not support', { $ref: '#/a' }, 9],
    ['type and bsonType together', { type: 'object', bsonType: 'object' }, 9],
    ['the type integer', { properties: { a: { type: 'integer' } } }, 9],
    ['required of nothing', { required: [] }, 9],
    ['required of what are no names', { required: [1] }, 14],
    ['a minimum that is no number', { properties: { a: { minimum: 'x' } } }, 14],
    ['exclusiveMinimum without minimum', { properties: { a: { exclusiveMinimum: true } } }, 9],
    ['a negative length', { properties: { a: { minLength: -1 } } }, 9],
    ['multipleOf 0', { properties: { a: { multipleOf: 0 } } }, 9],
    ['properties that are no document', { properties: 1 }, 14],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, 51091],
  ])('refuses %s', (_story, schema, code) => {
    expect(codeOf(() => valid(schema, {}))).toBe(code);
  });
});
