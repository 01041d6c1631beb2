import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Binary, BSON, ObjectId } from 'mongodb';

/** The collections of a dump, by name. Bytes are written unchanged. */
export type Dump = Record<string, object[] | Buffer>;

export const bsonOf = (documents: object[]): Buffer =>
  Buffer.concat(documents.map((document) => BSON.serialize(document, { ignoreUndefined: true })));

/** Writes a dump like mongodump, with a file for each collection in the database's directory. */
export async function writeDump(directory: string, dump: Dump, isPacked = false): Promise<void> {
  const database = join(directory, 'rocketchat');
  await mkdir(database, { recursive: true });
  for (const [collection, documents] of Object.entries(dump)) {
    const bytes = Buffer.isBuffer(documents) ? documents : bsonOf(documents);
    const file = join(database, `${collection}.bson`);
    if (isPacked) await writeFile(`${file}.gz`, gzipSync(bytes));
    else await writeFile(file, bytes);
    await writeFile(join(database, `${collection}.metadata.json`), '{"indexes":[]}');
  }
}

export const rocketUser = (id: string, username: string, more: object = {}) => ({
  _id: id,
  username,
  name: `Person ${id}`,
  emails: [{ address: `${username}@example.com`, verified: true }],
  type: 'user',
  active: true,
  services: { password: { bcrypt: 'secret' } },
  ...more,
});

/** A message; its time is this many seconds after the beginning of 2020. */
export const rocketMessage = (user: { _id: string; username: string }, second: number, msg: string, more: object = {}) => ({
  _id: `m${second}`,
  rid: 'GENERAL',
  msg,
  ts: rocketTime(second),
  u: { _id: user._id, username: user.username, name: `Person ${user._id}` },
  _updatedAt: rocketTime(second),
  urls: [],
  ...more,
});

export const rocketTime = (second: number) => new Date(1_577_836_800_000 + second * 1_000);

/** The chunks of a file in GridFS. */
export const chunksOf = (file: string, ...pieces: (string | Buffer)[]) =>
  pieces.map((piece, n) => ({ _id: new ObjectId(), files_id: file, n, data: new Binary(Buffer.from(piece)) }));
