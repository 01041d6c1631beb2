import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Binary, BSON, type Document, Double, Int32, Long, ObjectId } from 'mongodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { exportTo, importFrom } from '../../../lib/database/export-import.ts';
import { collectionNames } from '../../../lib/operating/prepare.ts';
import { anyCharacter } from '../../support/characters.ts';
import { useOwnDatabase } from '../../support/config.ts';

useOwnDatabase();

/** `EXPORTED_STORES=10000` tries this many random stores, which takes minutes. */
const randomStores = Number(process.env.EXPORTED_STORES ?? 25);

const directory = await mkdtemp(join(tmpdir(), 'chat-export-'));
afterAll(() => rm(directory, { recursive: true }));
const file = join(directory, 'all.ndjson');

type Store = Record<string, Document[]>;

/** Collections without further indexes, which random documents would violate. */
const stored = ['rooms', 'messages', 'users'];
const clear = () => Promise.all(stored.map((name) => database.collection(name).deleteMany({})));
beforeEach(async () => {
  await Promise.all(collectionNames.map((name) => database.dropCollection(name)));
});

/** Exports a store, deletes and imports it, and returns the documents before and after. */
async function exportAndImport(store: Store): Promise<{ before: Store; after: Store }> {
  for (const [name, documents] of Object.entries(store))
    if (documents.length > 0) await database.collection(name).insertMany(documents);
  const before = await readStore();
  await exportTo(file, { collections: collectionNames, progress: () => {} });
  await clear();
  await importFrom(file, collectionNames, () => {});
  const after = await readStore();
  await clear();
  return { before, after };
}

/** Every document, byte for byte. */
async function readStore(): Promise<Store> {
  const found = stored.map(async (name) => {
    const documents = await database
      .collection(name)
      .find({}, { sort: { _id: 1 }, raw: true })
      .toArray();
    return [name, documents.map((document) => Buffer.from(document as unknown as Uint8Array).toString('base64'))] as const;
  });
  return Object.fromEntries(await Promise.all(found)) as unknown as Store;
}

describe('an export that is imported', () => {
  it('an export that is imported has every character of texts, names and topics', async () => {
    const blocks: string[] = [];
    for (let first = 0; first < 0x110000; first += 8_000) {
      const codes = Array.from({ length: 8_000 }, (_, index) => first + index);
      const isCharacter = (code: number) => code < 0x110000 && (code < 0xd800 || code > 0xdfff);
      blocks.push(String.fromCodePoint(...codes.filter(isCharacter)));
    }
    const store = {
      messages: blocks.map((text) => ({ _id: new ObjectId(), text })),
      rooms: blocks.map((name) => ({ _id: new ObjectId(), name, topic: name })),
      users: [],
    };
    const texts = store.messages.map(({ text }) => text);
    const { before, after } = await exportAndImport(store);
    expect(after).toEqual(before);
    expect(before.messages?.map((bytes) => BSON.deserialize(Buffer.from(bytes as unknown as string, 'base64')).text)).toEqual(
      texts,
    );
  });

  it('an export that is imported has no line that ends at U+2028 or U+2029', async () => {
    await database.collection('messages').insertOne({ text: 'one\u2028two\u2029three\\u2028' });
    await exportTo(file, { collections: collectionNames, progress: () => {} });
    await clear();
    const text = await readFile(file, 'utf8');
    expect(text).not.toMatch(/[\u2028\u2029]/);
    await importFrom(file, collectionNames, () => {});
    expect(await database.collection('messages').findOne()).toMatchObject({ text: 'one\u2028two\u2029three\\u2028' });
  });

  it(`importing an export gives the same data (${randomStores} random stores)`, async () => {
    await fc.assert(
      fc.asyncProperty(aStore, async (store) => {
        const { before, after } = await exportAndImport(store);
        expect(after).toEqual(before);
      }),
      { numRuns: randomStores },
    );
  });
});

const aText = fc.string({ unit: anyCharacter, maxLength: 40 });
/** Without `$`, which MongoDB reserves, and which Extended JSON uses for types. */
const aName = aText.map((text) => text.replaceAll(/[\0$.]/g, '-'));
const { value: aValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, '\u2028', '\ufeff', '\r\n'),
    aText,
    fc.date({ noInvalidDate: true, min: new Date(-6e13), max: new Date(2e14) }),
    fc.integer().map((value) => new Int32(value)),
    fc.double().map((value) => new Double(value)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => new Binary(bytes)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(aName, tie('value'), { maxKeys: 3 }),
  ),
}));
const aDocument = fc
  .dictionary(aName, aValue, { maxKeys: 4 })
  .map((document) => ({ ...document, _id: new ObjectId() }) as Document);
const aStore: fc.Arbitrary<Store> = fc.record({
  rooms: fc.array(aDocument, { maxLength: 3 }),
  messages: fc.array(aDocument, { maxLength: 3 }),
  users: fc.array(aDocument, { maxLength: 3 }),
});
