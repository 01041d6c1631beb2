import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BSON, type Document, ObjectId } from 'mongodb';
import type { Random } from '../../../packages/embedded-mongodb/test/support/random.ts';
import type { DamageKind } from './file-damage.ts';

/*
 * Damage within rows, on pages that are valid for SQLite. It simulates faults in memory, or in a
 * program that writes to the file.
 */

type Row = Record<string, unknown>;

/**
 * A kind of damage that changes rows by SQL. Usually the checksums are removed, because they would
 * reveal it.
 */
const onRows =
  (change: (db: DatabaseSync, random: Random) => string): DamageKind =>
  (directory, random) => {
    const db = new DatabaseSync(join(directory, 'database.sqlite'));
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    let what: string;
    try {
      what = change(db, random);
    } catch (error) {
      what = `refused: ${(error as Error).message}`;
    } finally {
      db.close();
    }
    if (random.below(10) < 7) rmSync(join(directory, 'database.sums'), { force: true });
    return { what };
  };

const rowsOf = (db: DatabaseSync, sql: string, ...values: (string | number)[]): Row[] => db.prepare(sql).all(...values) as Row[];

/** The collections with documents. */
const collections = (db: DatabaseSync): { id: number; name: string }[] =>
  (rowsOf(db, 'SELECT id, name FROM collections') as { id: number; name: string }[]).filter(
    ({ id }) => rowsOf(db, `SELECT 1 FROM c${id} LIMIT 1`).length > 0,
  );

/** Changes the bytes of some documents in a collection. */
function changeDocuments(db: DatabaseSync, random: Random, change: (bytes: Buffer) => unknown): string {
  const { id, name } = random.pick(collections(db));
  const rids = rowsOf(db, `SELECT rid FROM c${id} ORDER BY rid`).map(({ rid }) => rid as number);
  const changed: number[] = [];
  for (let times = 1 + random.below(3); times > 0; times--) {
    const rid = random.pick(rids);
    const [row] = rowsOf(db, `SELECT doc FROM c${id} WHERE rid = ?`, rid);
    if (!(row?.doc instanceof Uint8Array)) continue;
    db.prepare(`UPDATE c${id} SET doc = ? WHERE rid = ?`).run(change(Buffer.from(row.doc)) as Buffer, rid);
    changed.push(rid);
  }
  return `${name} ${changed.join(', ')}`;
}

const lengths = [-(2 ** 31), -8, -5, -1, 0, 1, 4, 5, 100_000, 2 ** 31 - 1];

/** Mutations of a document's bytes. */
const mutations: readonly ((bytes: Buffer, random: Random) => unknown)[] = [
  (bytes, random) => withByte(bytes, random, (byte) => byte ^ (1 << random.below(8))),
  (bytes, random) => withByte(bytes, random, () => random.pick([0, 1, 2, 3, 4, 5, 7, 8, 0x0b, 0x0d, 0x0f, 0x13, 0x7f, 0xff])),
  (bytes, random) => {
    bytes.writeInt32LE(random.pick(lengths), random.below(Math.max(1, bytes.length - 3)));
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => Buffer.concat([bytes, Buffer.alloc(random.below(100), random.below(256))]),
  // Names without an end.
  (bytes, random) => bytes.map((byte, at) => (byte === 0 && at > 4 && random.below(3) === 0 ? 65 : byte)),
  (bytes, random) => {
    const start = random.below(bytes.length);
    return bytes.map((byte, at) => (at >= start && at < start + 60 ? random.below(256) : byte));
  },
  (_, random) => random.pick(['a text', 5, 1.5, -1, Buffer.alloc(0), Buffer.alloc(4), Buffer.from([5, 0, 0, 0, 0])]),
  (_, random) => nested(random.pick([90, 150, 300, 3_000, 100_000])),
];

function withByte(bytes: Buffer, random: Random, change: (byte: number) => number): Buffer {
  const at = random.below(bytes.length);
  bytes[at] = change(bytes[at] as number);
  return bytes;
}

function nested(levels: number): Buffer {
  const bytes = Buffer.alloc(5 + 8 * levels);
  for (let level = 0; level < levels; level++) {
    bytes.writeInt32LE(bytes.length - 8 * level, 7 * level);
    bytes.set([3, 0x61, 0], 7 * level + 4);
  }
  bytes.writeInt32LE(5, 7 * levels);
  return bytes;
}

const strangeValues = (random: Random): unknown =>
  random.pick([
    null,
    true,
    -1,
    0,
    1.5,
    2 ** 53,
    Number.NaN,
    '',
    'x',
    'x'.repeat(20_000),
    '\u0000',
    [],
    [null],
    [[]],
    {},
    { $gt: '' },
    { a: [] },
    new Date(0),
    new Date(8.64e15),
    new ObjectId(),
    new BSON.Binary(Buffer.alloc(3)),
    new BSON.BSONRegExp('.'),
    new BSON.Long(7),
  ]);

/** Renames or removes fields of a document, or changes their types. The result is valid BSON. */
function withStrangeFields(bytes: Buffer, random: Random): Buffer {
  const document = BSON.deserialize(bytes, { promoteValues: false });
  for (let times = 1 + random.below(3); times > 0; times--) {
    let place: Document = document;
    // Sometimes the fields of a nested document.
    while (random.below(2) === 0) {
      const inner = Object.values(place).filter(
        (value) => (typeof value === 'object' && value !== null && value.constructor === Object) || Array.isArray(value),
      );
      if (inner.length === 0) break;
      place = random.pick(inner) as Document;
    }
    const names = Object.keys(place).filter((name) => name !== '_id' || random.below(5) === 0);
    if (names.length === 0) continue;
    const name = random.pick(names);
    const change = random.below(4);
    if (change === 0) delete place[name];
    else if (change === 1 && !Array.isArray(place)) {
      place[`${name}x`] = place[name];
      delete place[name];
    } else (place as Document)[name] = strangeValues(random);
  }
  return Buffer.from(BSON.serialize(document));
}

const indexTables = (db: DatabaseSync): string[] =>
  rowsOf(db, "SELECT name FROM sqlite_schema WHERE name GLOB 'i[0-9]*' AND name NOT GLOB '*_*' AND sql LIKE '%WITHOUT ROWID%'")
    .map(({ name }) => name as string)
    .filter((name) => rowsOf(db, `SELECT 1 FROM ${name} LIMIT 1`).length > 0);

const indexChanges = [
  'DELETE FROM T WHERE rid % 3 = 0',
  'UPDATE T SET rid = rid + 100000',
  "INSERT INTO T VALUES ('text', 5), (NULL, 6), (x'', 7), (7, 8)",
  "UPDATE OR IGNORE T SET rid = 'abc' WHERE rid = 1",
  "INSERT INTO T VALUES (x'50', 9223372036854775807)",
  'INSERT INTO T VALUES (zeroblob(5000000), 1)',
  'DELETE FROM T',
];

const catalogValues = (random: Random): unknown =>
  random.pick([null, '', 5, -1, 2 ** 40, 1.5, Buffer.alloc(3), 'x'.repeat(300), Buffer.from([5, 0, 0, 0, 0])]);

export const rowKinds: Readonly<Record<string, DamageKind>> = {
  documents: onRows(
    (db, random) => `documents of ${changeDocuments(db, random, (bytes) => random.pick(mutations)(bytes, random))}`,
  ),
  values: onRows((db, random) => `values in ${changeDocuments(db, random, (bytes) => withStrangeFields(bytes, random))}`),
  numbers: onRows((db, random) => {
    const { id, name } = random.pick(collections(db));
    const number = random.pick(['9223372036854775807', '9007199254740993', '-5', '0', '1000000000000']);
    db.exec(`UPDATE c${id} SET rid = ${number} WHERE rid = (SELECT max(rid) FROM c${id})`);
    return `the number of the last document of ${name}: ${number}`;
  }),
  indexes: onRows((db, random) => {
    const [table, change] = [random.pick(indexTables(db)), random.pick(indexChanges)];
    db.exec(change.replace('T', table));
    return `${change} in ${table}`;
  }),
  catalog: onRows((db, random) => {
    const table = random.pick(['collections', 'indexes', 'indexes', 'retryable_writes', 'file_id']);
    const columns = rowsOf(db, `PRAGMA table_info(${table})`).map(({ name }) => name as string);
    const column = random.pick(columns);
    const row = rowsOf(db, `SELECT ${column} AS value FROM ${table}`).at(random.below(30));
    let value = catalogValues(random);
    if (row?.value instanceof Uint8Array && random.below(2) === 0) value = random.pick(mutations)(Buffer.from(row.value), random);
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} IS (SELECT ${column} FROM ${table} LIMIT 1 OFFSET ?)`).run(
      value as string,
      random.below(30),
    );
    return `${table}.${column}`;
  }),
  texts: onRows((db, random) => {
    const [found] = rowsOf(db, "SELECT name FROM sqlite_schema WHERE name GLOB 'i*_data'");
    const table = String(found?.name).replace('_data', '');
    const part = random.pick(['data', 'data', 'data', 'idx', 'docsize', 'config']);
    if (part === 'idx') db.exec(`UPDATE ${table}_idx SET pgno = pgno + ${random.below(1_000)}`);
    else if (part === 'config') db.exec(`UPDATE ${table}_config SET v = ${random.pick(['0', '99', "'x'"])}`);
    else if (part === 'docsize') db.exec(`DELETE FROM ${table}_docsize WHERE id % 7 = 0`);
    else {
      const row = random.pick(rowsOf(db, `SELECT id, block FROM ${table}_data`));
      const block = Buffer.from(row.block as Uint8Array);
      for (let times = 1 + random.below(6); times > 0 && block.length > 0; times--)
        block[random.below(block.length)] = random.below(256);
      db.prepare(`UPDATE ${table}_data SET block = ? WHERE id = ?`).run(
        random.below(8) === 0 ? Buffer.alloc(random.below(5)) : block,
        Number(row.id),
      );
    }
    return `the text index: ${part}`;
  }),
  schema: onRows((db, random) => {
    db.exec('PRAGMA writable_schema = ON');
    const change = random.pick([
      'DELETE FROM sqlite_schema WHERE rowid % 9 = 4',
      'UPDATE sqlite_schema SET rootpage = rootpage + 1 WHERE rowid % 9 = 4',
      "UPDATE sqlite_schema SET sql = replace(sql, 'rid', 'rad') WHERE rowid % 9 = 4",
      'UPDATE sqlite_schema SET rootpage = 2 WHERE rowid % 5 = 1',
      "UPDATE sqlite_schema SET name = 'c1' WHERE rowid = 9",
    ]);
    db.exec(change);
    return change;
  }),
};
