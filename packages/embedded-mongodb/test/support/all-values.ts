import { Binary, Double, Int32, Long, ObjectId } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import type { Doc, Value } from '../../src/values/value.ts';

/** Number of cases per property: `CASES`, or a default that fits into a run of the whole suite. */
export const runs = (usual: number) => Number(process.env.CASES ?? usual);

/** Numbers of all types, especially close ones and those at the limits of the types. */
const numbers: Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map((n) => new Int32(n)),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((n) => new Int32(n)),
  fc.double().map((n) => new Double(n)),
  fc.constantFrom(-0, 0.1, 0.5, 5e-324, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 2 ** 63, 1e308).map((n) => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map((n) => Long.fromBigInt(n)),
  fc.bigInt({ min: 2n ** 63n - 2050n, max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
);

const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\u0001', 'ü', '\uffff', '\ud83d\ude00', '\ue000'), maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const bytes = fc.uint8Array({ maxLength: 4 });
const objectIds = fc
  .oneof(fc.uint8Array({ minLength: 12, maxLength: 12 }), fc.constant(new Uint8Array(12)))
  .map((id) => new ObjectId(id));

/** Single values of all supported BSON types. */
const scalars: Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: numbers },
  { weight: 4, arbitrary: texts },
  fc.constantFrom<Value>(null, true, false),
  objectIds,
  fc.date({ noInvalidDate: true }),
  fc.tuple(bytes, fc.constantFrom(0, 3, 4, 5, 128)).map(([content, subtype]) => new Binary(content, subtype)),
);

/** Values of all supported types, nested up to three levels. */
export const allValues: Arbitrary<Value> = fc.letrec<{ value: Value; document: Doc; array: Value[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 7, arbitrary: scalars },
    { weight: 2, arbitrary: tie('document') },
    { weight: 2, arbitrary: tie('array') },
  ),
  document: fc
    .uniqueArray(fc.tuple(fc.constantFrom('', 'a', 'b', 'ab', 'ü'), tie('value')), { selector: ([name]) => name, maxLength: 3 })
    .map((fields) => new Map(fields)),
  array: fc.array(tie('value'), { maxLength: 3 }),
})).value;
