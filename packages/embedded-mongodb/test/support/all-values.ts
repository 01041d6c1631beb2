import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import { CodeWithScope, DBPointer, type Doc, dateFromMillis, UNDEFINED, type Value } from '../../src/query/value.ts';

/** How many cases a property is tried with: `CASES`, or what a run of the whole suite has time for. */
export const runs = (usual: number) => Number(process.env.CASES ?? usual);

/** Numbers of all four types that lie close to each other, or where the types' ranges end. */
const numbers: Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map((n) => new Int32(n)),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((n) => new Int32(n)),
  fc.double().map((n) => new Double(n)),
  fc.constantFrom(-0, 0.1, 0.5, 5e-324, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 2 ** 63, 1e308).map((n) => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map((n) => Long.fromBigInt(n)),
  fc.bigInt({ min: 2n ** 63n - 2050n, max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
    .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`)),
  fc
    .tuple(fc.bigInt({ min: -20n, max: 20n }), fc.integer({ min: -2, max: 2 }))
    .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`)),
  fc
    .constantFrom('0.1', '9007199254740993', '9223372036854775807.5', '1E-400', '1E400', '-1E400', 'NaN', 'Infinity', '-Infinity')
    .map((text) => Decimal128.fromString(text)),
);

const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\u0001', 'ü', '\uffff', '\ud83d\ude00', '\ue000'), maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const withoutNul = texts.map((text) => text.replaceAll('\0', ''));
const bytes = fc.uint8Array({ maxLength: 4 });
const objectIds = fc
  .oneof(fc.uint8Array({ minLength: 12, maxLength: 12 }), fc.constant(new Uint8Array(12)))
  .map((id) => new ObjectId(id));

/** Single values of every BSON type. */
const scalars: Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: numbers },
  { weight: 4, arbitrary: texts },
  fc.constantFrom<Value>(null, true, false, UNDEFINED, new MinKey(), new MaxKey()),
  objectIds,
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((millis) => dateFromMillis(millis)),
  fc.date({ noInvalidDate: true }),
  fc.tuple(fc.nat(3), fc.maxSafeNat()).map(([t, i]) => new Timestamp({ t, i: i % 2 ** 32 })),
  fc.tuple(bytes, fc.constantFrom(0, 3, 4, 5, 128)).map(([content, subtype]) => new Binary(content, subtype)),
  fc.tuple(withoutNul, fc.constantFrom('', 'i', 'im')).map(([pattern, options]) => new BSONRegExp(pattern, options)),
  texts.map((text) => new BSONSymbol(text)),
  texts.map((text) => new Code(text)),
  fc.tuple(texts, objectIds).map(([namespace, id]) => new DBPointer(namespace, id)),
);

/** Values of every BSON type, nested up to three levels. */
export const allValues: Arbitrary<Value> = fc.letrec<{ value: Value; document: Doc; array: Value[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 7, arbitrary: scalars },
    { weight: 2, arbitrary: tie('document') },
    { weight: 2, arbitrary: tie('array') },
    { weight: 1, arbitrary: fc.tuple(texts, tie('document')).map(([code, scope]) => new CodeWithScope(code, scope)) },
  ),
  document: fc
    .uniqueArray(fc.tuple(fc.constantFrom('', 'a', 'b', 'ab', 'ü'), tie('value')), { selector: ([name]) => name, maxLength: 3 })
    .map((fields) => new Map(fields)),
  array: fc.array(tie('value'), { maxLength: 3 }),
})).value;
