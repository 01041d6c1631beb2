import { BSONRegExp, Code, Decimal128, deserialize, Int32, MaxKey, MinKey, serialize, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/values/bson.ts';
import { DatabaseError } from '../../src/values/errors.ts';
import { documents } from './arbitraries.ts';
import { codeOf, d } from './notation.ts';

/** Properties return a boolean, because assertions would take longer than the tested code. */
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

describe('decode and encode', () => {
  it('decode and encode write the same bytes as the bson package, for any document', () => {
    fc.assert(
      fc.property(documents, (doc) => same(encode(doc), serialize(doc))),
      { numRuns: 2000 },
    );
  });

  it('decode and encode read their own output exactly', () => {
    fc.assert(
      fc.property(documents, (doc) => same(encode(decode(encode(doc))), encode(doc))),
      { numRuns: 2000 },
    );
  });

  it('decode and encode read everything that the bson package reads', () => {
    const read = (bytes: Uint8Array) => serialize(deserialize(bytes, { promoteValues: false }));
    fc.assert(fc.property(documents, (doc) => same(read(encode(doc)), read(serialize(doc)))));
  });

  it.each([
    ['fields that look like numbers', d({ b: 1 }).set('1', new Int32(2)).set('0', new Int32(3)), ['b', '1', '0']],
    ['a field named __proto__', new Map([['__proto__', new Int32(1)]]), ['__proto__']],
    ['a field without a name', new Map([['', new Int32(1)]]), ['']],
  ])('decode and encode keep the order and the names of %s', (_story, doc, names) => {
    expect([...decode(encode(doc)).keys()]).toEqual(names);
  });

  it.each([
    ['a decimal', Decimal128.fromString('1.10')],
    ['a timestamp', new Timestamp({ t: 1, i: 2 })],
    ['a regular expression', new BSONRegExp('a+', 'i')],
    ['code', new Code('f()')],
    ['code with scope', new Code('f()', { x: 1 })],
    ['the least key', new MinKey()],
    ['the greatest key', new MaxKey()],
  ])('decode and encode keep %s byte for byte, though nothing computes with it', (_story, value) => {
    const bytes = serialize({ before: 1, value, after: [value] });
    expect(same(encode(decode(bytes)), bytes)).toBe(true);
  });

  it('decode and encode support texts of any length and script', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '\0', 'é', '\u07ff', '€', '\uffff', '😀'), maxLength: 80 });
    fc.assert(fc.property(texts, (text) => decode(encode(new Map([['a', text]]))).get('a') === text));
  });
});

describe('bytes that decode refuses', () => {
  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
  it.each([
    ['nothing at all', ''],
    ['a length beyond the bytes', '06 00 00 00 00'],
    ['a length below the least', '04 00 00 00 00'],
    ['a negative length', 'ff ff ff ff 00'],
    ['bytes after the end', '05 00 00 00 00 00'],
    ['a missing end', '05 00 00 00 01'],
    ['an unknown type', '08 00 00 00 20 61 00 00'],
    ['a name without an end', '07 00 00 00 0a 61 62'],
    ['an int32 cut short', '0a 00 00 00 10 61 00 01 00 00'],
    ['a string of no bytes', '0c 00 00 00 02 61 00 00 00 00 00 00'],
    ['a string without its final zero', '0e 00 00 00 02 61 00 02 00 00 00 62 62 00'],
    ['a string longer than the document', '0e 00 00 00 02 61 00 ff 00 00 00 62 00 00'],
    ['a string that is not UTF-8', '0e 00 00 00 02 61 00 02 00 00 00 ff 00 00'],
    ['a boolean of 2', '09 00 00 00 08 61 00 02 00'],
    ['binary data of negative length', '0d 00 00 00 05 61 00 ff ff ff ff 00 00'],
    ['an inner document longer than the outer', '0d 00 00 00 03 61 00 ff 00 00 00 00 00'],
    ['a name given twice', '0b 00 00 00 0a 61 00 0a 61 00 00'],
  ])('decode refuses %s with 22 InvalidBSON', (_story, bytes) => {
    expect(codeOf(() => decode(hex(bytes)))).toBe(22);
  });

  it('decode refuses documents nested deeper than 100 levels with 15 Overflow, and accepts those of 100', () => {
    const nested = (levels: number) => {
      let doc = d({});
      for (let i = 1; i < levels; i++) doc = new Map([['a', doc]]);
      return encode(doc);
    };
    expect(decode(nested(100)).size).toBe(1);
    expect(codeOf(() => decode(nested(101)))).toBe(15);
  });

  it('decode refuses mutated bytes with a clean error, or reads them as another document', () => {
    const mutations = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(documents, mutations, fc.nat(3), (doc, changes, cut) => {
        const bytes = Buffer.from(encode(doc));
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const outcome = codeOf(() => encode(decode(bytes.subarray(0, bytes.length - cut))));
        return outcome instanceof Uint8Array || outcome === 22 || outcome === 15;
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('documents that encode refuses', () => {
  it('encode refuses a field name with a null byte, which BSON cannot hold', () => {
    expect(() => encode(new Map([['a\0b', null]]))).toThrow(DatabaseError);
  });
});
