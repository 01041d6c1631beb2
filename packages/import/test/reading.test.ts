import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/characters.ts';
import { bsonOf } from '../../../test/support/rocketchat-dump.ts';
import { documentsOf } from '../src/archive/bson.ts';
import { recordsOf } from '../src/archive/json-tables.ts';
import { Spool } from '../src/archive/spool.ts';

/** The bytes in chunks of the given sizes, repeated in turn, like from a stream. */
async function* inPieces(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  for (let [from, at] = [0, 0]; from < bytes.length; at++) {
    const size = sizes[at % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const anObject = fc.dictionary(fc.string({ unit: anyCharacter, maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

describe('the streams that an import reads', () => {
  it('an import reads the records of the requested tables, wherever the stream is cut', async () => {
    const tables = fc.dictionary(fc.constantFrom('one', 'two', 'three', '[{"'), fc.array(anObject, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(tables, sizes, fc.constantFrom(0, 4), async (all, pieces, indent) => {
        const bytes = Buffer.from(JSON.stringify({ first: 7, ...all }, null, indent));
        const found = await allOf(recordsOf(inPieces(bytes, pieces), ['one', 'two']));
        // Compared after a round trip: JSON does not have -0.
        const parsed = JSON.parse(bytes.toString()) as typeof all;
        const expected = Object.entries(parsed).flatMap(([table, list]) =>
          table === 'one' || table === 'two' ? list.map((record) => ({ table, record })) : [],
        );
        expect(found).toEqual(expected);
      }),
    );
  });

  it('an import of tables that are cut off ends with a record that cannot be read, and never fails', async () => {
    const bytes = Buffer.from(JSON.stringify({ one: [{ a: '"}]' }, { b: [1] }], two: [{}] }));
    for (let length = 0; length < bytes.length - 2; length++) {
      const found = await allOf(recordsOf(inPieces(bytes.subarray(0, length), [3]), ['one', 'two']));
      expect(found.at(-1)).toEqual({ table: '', record: undefined });
    }
  });

  it('an import reads the documents of a collection, wherever the stream is cut', async () => {
    const aDocument = fc.record({ text: fc.string({ unit: anyCharacter, maxLength: 60 }), count: fc.integer() });
    await fc.assert(
      fc.asyncProperty(fc.array(aDocument, { maxLength: 6 }), sizes, async (documents, pieces) => {
        const found = await allOf(documentsOf(inPieces(bsonOf(documents), pieces)));
        expect(found.map(({ document }) => document)).toEqual(
          documents.map((one) => ({ ...one, text: one.text.toWellFormed() })),
        );
        expect(Buffer.concat(found.map(({ bytes }) => bytes))).toEqual(bsonOf(documents));
      }),
    );
  });

  it('an import reads a spool while more is added', async () => {
    const spool = await Spool.create();
    try {
      const pieces = [0, 1, 700_000, 70_000, 1_200_000, 3].map((size, at) => Buffer.alloc(size, at + 1));
      const places = pieces.map((piece) => spool.append(piece));
      expect(spool.end).toBe(1_970_004);
      for (const [at, place] of places.entries()) {
        expect((await spool.read(place)).equals(pieces[at] ?? Buffer.alloc(0))).toBe(true);
        spool.append(Buffer.from('more'));
        expect((await buffer(spool.stream(place))).equals(pieces[at] ?? Buffer.alloc(0))).toBe(true);
      }
    } finally {
      await spool.close();
    }
  });
});
