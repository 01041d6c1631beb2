import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRawProjection } from '../../src/project/raw.ts';
import { indexFields, indexKeys } from '../../src/storage/index/index-keys.ts';
import { isFramed } from '../../src/storage/stored-document.ts';
import { ValidatedDocuments } from '../../src/storage/validated-documents.ts';
import { compileUpdate } from '../../src/update/update.ts';
import { decodeFields, decodeStored, encode } from '../../src/values/bson.ts';
import { DatabaseError } from '../../src/values/errors.ts';
import { RawCursor, type RawValue, rawDocument, rawField } from '../../src/values/raw.ts';
import { validate } from '../../src/values/validate.ts';
import { bsonType, type Doc } from '../../src/values/value.ts';
import { documents } from './arbitraries.ts';
import { d } from './notation.ts';

const name = Buffer.from('a');

/** Functions that walk over an encoded document. */
const walks: Record<string, (bytes: Buffer) => unknown> = {
  'a look for a field': (bytes) => rawField(rawDocument(bytes), name),
  'a walk into every field': (bytes) => walkAll(rawDocument(bytes)),
  'a projection that includes': (bytes) => compileRawProjection(d({ 'a.b': 1, c: 1 }))?.(bytes),
  'a projection that excludes': (bytes) => compileRawProjection(d({ 'a.b': 0, c: 0 }))?.(bytes),
  'keys of an index': (bytes) => indexKeys(indexFields(d({ 'a.b': 1, c: -1 })), bytes, false),
  'keys of whole values': (bytes) => indexKeys(indexFields(d({ a: 1, b: 1 })), bytes, false),
  'an update in place': (bytes) => compileUpdate(d({ $set: { 'a.b': 1 }, $inc: { c: 1 } })).applyRaw?.(bytes),
  'some fields': (bytes) =>
    decodeFields(
      bytes,
      new Map([
        ['a', undefined],
        ['c', undefined],
      ]),
    ),
  'some elements': (bytes) => decodeFields(bytes, new Map([['a', { field: name, ids: new Set([1]) }]])),
  'all fields': decodeStored,
  'a validation': validate,
};

function walkAll(value: RawValue): void {
  for (const field = new RawCursor(value); field.next(); )
    if (field.type === bsonType.object || field.type === bsonType.array) walkAll(field);
}

/** The error code of a step that throws. */
function codeOf(step: () => unknown): number | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError) return error.code;
    throw error;
  }
}

/**
 * Besides damage (366), indexes reject values of unsupported types (115) and parallel arrays (171),
 * also in undamaged documents.
 */
const usual = [undefined, 366, 115, 171];

const changes = fc.array(fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 2, 3, 4, 5, 127, 255))), {
  minLength: 1,
  maxLength: 6,
});

/** Encodes a document, changes some bytes and cuts off its end. */
function damagedBytes(doc: Doc, changed: [number, number][], cut: number): Buffer {
  const bytes = Buffer.from(encode(doc));
  for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
  return bytes.subarray(0, bytes.length - Math.min(cut, bytes.length));
}

/** Nested arrays. */
function nested(levels: number): Buffer {
  const bytes = Buffer.alloc(5 + 8 * levels);
  for (let level = 0; level < levels; level++) {
    bytes.writeInt32LE(bytes.length - 8 * level, 7 * level);
    bytes.set([bsonType.array, 0x61, 0], 7 * level + 4);
  }
  bytes.writeInt32LE(5, 7 * levels);
  return bytes;
}

describe('a damaged document', () => {
  it.each(Object.entries(walks))('%s ends, or is refused as damage, with any bytes changed', (_, walk) => {
    fc.assert(
      fc.property(documents, changes, fc.nat(8), (doc, changed, cut) => {
        expect(usual).toContain(codeOf(() => walk(damagedBytes(doc, changed, cut))));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, number[]]>([
    ['no name ends', [11, 0, 0, 0, 0x10, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]],
    ['a length leads back', [17, 0, 0, 0, 2, 0x61, 0, 0xf0, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0]],
    ['a length leads beyond the end', [17, 0, 0, 0, 5, 0x61, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0]],
    ['a document within is shorter than a length', [13, 0, 0, 0, 3, 0x61, 0, 4, 0, 0, 0, 0, 0]],
    ['a type is unknown', [9, 0, 0, 0, 0x33, 0x61, 0, 1, 0]],
  ])('a walk over a document ends where %s', (_, bytes) => {
    expect(codeOf(() => walkAll(rawDocument(Buffer.from(bytes))))).toBe(366);
  });

  it.each(Object.entries(walks))('%s does not exhaust the stack, however deep the document is', (_, walk) => {
    expect(usual).toContain(codeOf(() => walk(nested(100_000))));
  });

  it('an error of a damaged document names its _id', () => {
    const bytes = aDocument();
    bytes.writeInt32LE(1_000, bytes.indexOf('text') + 5);
    expect(() => decodeStored(bytes)).toThrow(
      'The database file is damaged: the document with the _id "ann" is not valid BSON: a value runs over the end of its document.',
    );
    expect(() => rawField(rawDocument(bytes), Buffer.from('more'))).toThrow('with the _id "ann" is not valid BSON');
  });
});

const aDocument = () => Buffer.from(encode(d({ _id: 'ann', text: 'hello' })));

describe('the validation of a document that is sent as it is stored', () => {
  it('a document passes if it can be decoded, and otherwise only because of its names', () => {
    fc.assert(
      fc.property(documents, changes, (doc, changed) => {
        const bytes = damagedBytes(doc, changed, 0);
        if (!isFramed(bytes)) return;
        const decoded = codeOf(() => decodeStored(bytes));
        if (codeOf(() => validate(bytes)) === 366) expect(decoded).toBe(366);
        else if (decoded === 366) expect(() => decodeStored(bytes)).toThrow(/names a field twice|is not UTF-8/);
      }),
      { numRuns: 5_000 },
    );
  });

  it('a document is validated once, and its other fields are still returned if one is damaged', () => {
    const [whole, damaged] = [aDocument(), aDocument()];
    damaged.writeInt32LE(1_000, damaged.indexOf('text') + 5);
    const validated = new ValidatedDocuments();
    const id = Buffer.from(encode(d({ _id: 'ann' })));
    expect(validated.whole(7, whole)).toBe(whole);
    expect(validated.part(8, damaged, id)).toBe(id);
    expect(codeOf(() => validated.part(8, damaged, damaged))).toBe(366);
    for (const rid of [6, 8, 39, 7 + 1024]) expect([rid, codeOf(() => validated.whole(rid, damaged))]).toEqual([rid, 366]);
    expect(validated.whole(7, damaged)).toBe(damaged);
  });
});
