import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BSON, type Document } from 'mongodb';
import { syncDirectory } from '../base/durable-files.ts';
import { database } from './client.ts';
import { renewEpoch } from './epoch.ts';

/** The number of documents by collection. */
export type Counts = Record<string, number>;

/** Receives the number of finished documents, and of all. */
export type Progress = (done: number, all: number) => void;

/** Returns true if an export to this path goes to standard output. */
export const isStandardOutput = (path: string): boolean => path === '-' || resolve(path) === '/dev/stdout';

/** Returns true if an export to this path would replace an existing file. */
export const replacesFile = async (path: string): Promise<boolean> =>
  !(isStandardOutput(path) || (await isStream(path))) && (await lstat(path).catch(() => undefined)) !== undefined;

/**
 * The number of exported documents by collection, and the unknown collections that were left out.
 */
type ExportReport = { documents: Counts; leftOut: string[] };

/**
 * The source of an export: its collections, the expected numbers of documents, and the documents in
 * batches.
 */
export type ExportSource = {
  names: string[];
  expected: Counts;
  read: (name: string) => AsyncIterable<Document[]>;
};

/** Without a `source`, the database is exported. */
type ExportOptions = { collections: readonly string[]; progress: Progress; source?: ExportSource };

async function databaseSource(): Promise<ExportSource> {
  const names = (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const expected: Counts = {};
  for (const name of names) expected[name] = await database.collection(name).countDocuments();
  return { names, expected, read: documentsOf };
}

/**
 * Writes every document of these collections as one line of canonical Extended JSON, which
 * preserves all types. The first line has the expected counts; the last line proves that the export
 * is complete.
 *
 * `-` is standard output. Devices and pipes are written directly. A file is written under a
 * temporary name, and replaces the existing file when it is complete. Only its owner can read it.
 */
export async function exportTo(path: string, { collections, progress, ...options }: ExportOptions): Promise<ExportReport> {
  const source = options.source ?? (await databaseSource());
  const names = source.names.filter((name) => collections.includes(name)).sort();
  const documents: Counts = {};
  const expected = Object.fromEntries(names.map((name) => [name, source.expected[name] ?? 0]));
  const lines = Readable.from(linesOfAll({ ...source, names, expected }, documents, progress));
  if (isStandardOutput(path)) await pipeline(lines, process.stdout as Writable, { end: false });
  else if (await isStream(path)) await pipeline(lines, (await open(path, 'w')).createWriteStream());
  else await writeFile(path, lines);
  const leftOut = source.names.filter((name) => !names.includes(name) && !unexported.includes(name)).sort();
  return { documents, leftOut };
}

/**
 * Returns true for devices, for open files by their descriptor (`/dev/fd/3`), and for the user's
 * own pipes. Files in shared memory (`/dev/shm`) are ordinary files.
 */
async function isStream(path: string): Promise<boolean> {
  if (/^\/(dev(?!\/shm\/)|proc)\//.test(resolve(path))) return true;
  const found = await stat(path).catch(() => undefined);
  // In a directory that others can write to, their pipe would receive the password hashes.
  return found !== undefined && (found.isCharacterDevice() || (found.isFIFO() && found.uid === process.getuid?.()));
}

async function writeFile(path: string, lines: Readable): Promise<void> {
  // The export contains hashes of passwords and tokens, so the file must be new: an existing file
  // or link may belong to somebody else.
  const partial = `${path}.${randomBytes(6).toString('hex')}.partial`;
  const file = await open(partial, 'wx', 0o600);
  try {
    await pipeline(lines, file.createWriteStream({ flush: true }));
    await rename(partial, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* linesOfAll({ names, read, expected }: ExportSource, counts: Counts, progress: Progress): AsyncGenerator<string> {
  let done = 0;
  yield `${JSON.stringify({ format, version, expected })}\n`;
  for (const name of names) {
    counts[name] = 0;
    for await (const documents of read(name)) {
      yield documents.map((document) => lineOf(name, document)).join('');
      counts[name] += documents.length;
      done += documents.length;
      progress(done, Math.max(done, total(expected)));
    }
  }
  yield `${JSON.stringify({ end: counts })}\n`;
}

/**
 * Writes every document of an export to the database, replacing the document with the same `_id`.
 * So an interrupted import can be repeated. The whole file is checked before the first write: an
 * incomplete file, or one with unknown collections, changes nothing. Documents of the collections
 * in `skip` are counted and not written.
 */
export async function importFrom(
  path: string,
  collections: readonly string[],
  progress: Progress,
  { skip = [] }: { skip?: readonly string[] } = {},
): Promise<Counts> {
  const expected = await check(path, collections);
  // Before the import too: if it is interrupted, the database has already changed.
  await renewEpoch();
  const counts: Counts = Object.fromEntries(Object.keys(expected).map((name) => [name, 0]));
  let done = 0;
  for await (const { collection, documents } of batchesOf(path, collections)) {
    if (!skip.includes(collection)) await replaceAll(collection, documents);
    counts[collection] = (counts[collection] ?? 0) + documents.length;
    done += documents.length;
    progress(done, total(expected));
  }
  await renewEpoch();
  return counts;
}

async function replaceAll(collection: string, documents: Document[]): Promise<void> {
  const writes = documents.map((document) => ({
    replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
  }));
  const { matchedCount, upsertedCount } = await database.collection(collection).bulkWrite(writes, { ordered: false });
  if (matchedCount + upsertedCount !== documents.length)
    throw new Error(`Of ${documents.length} documents for ${collection}, only ${matchedCount + upsertedCount} were stored.`);
}

/** The audit entries of an export, which are at its beginning. */
export async function* entriesIn(path: string, collections: readonly string[]): AsyncGenerator<Document> {
  for await (const line of linesOf(path, collections)) {
    if (line.kind === 'begin') continue;
    if (line.kind === 'end' || line.collection !== 'audit') return;
    yield line.document;
  }
}

/**
 * Collections that describe this database rather than its data. After an import they are created
 * again: the epoch, the upgrades, the indexes and the message counts.
 */
const unexported = ['epochs', 'upgrades', 'day_counts', 'preparations'];

const format = 'chat-service';
const version = 1;
const batch = 500;

/** One line of an export: its first, a document, or its last. */
type Line = { kind: 'begin' } | { kind: 'document'; collection: string; document: Document } | { kind: 'end'; counts: Counts };

/** The documents of a collection, in the batches that the database sends. */
async function* documentsOf(collection: string): AsyncGenerator<Document[]> {
  const cursor = database.collection(collection).find({}, { sort: { _id: 1 }, batchSize: batch, ...exactTypes });
  while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
}

/** Driver options that preserve the exact type of each value. */
export const exactTypes = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

const lineOf = (collection: string, document: Document) =>
  `${escaped(BSON.EJSON.stringify({ collection, document }, { relaxed: false }))}\n`;

/** Escapes U+2028 and U+2029, which are valid in JSON but end a line for some programs. */
const escaped = (json: string) => json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

async function* batchesOf(
  path: string,
  collections: readonly string[],
): AsyncGenerator<{ collection: string; documents: Document[] }> {
  let waiting: { collection: string; documents: Document[] } | undefined;
  for await (const line of linesOf(path, collections)) {
    if (line.kind !== 'document') continue;
    const { collection, document } = line;
    if (waiting && (waiting.collection !== collection || waiting.documents.length === batch)) {
      yield waiting;
      waiting = undefined;
    }
    waiting ??= { collection, documents: [] };
    waiting.documents.push(document);
  }
  if (waiting) yield waiting;
}

/** Reads the whole file and compares the number of its documents with the counts at its end. */
async function check(path: string, collections: readonly string[]): Promise<Counts> {
  const counts: Counts = {};
  let end: Counts | undefined;
  for await (const line of linesOf(path, collections)) {
    if (line.kind === 'end') end = line.counts;
    else if (line.kind === 'document') counts[line.collection] = (counts[line.collection] ?? 0) + 1;
  }
  if (!end) throw broken(path, 'is incomplete: it was cut off');
  for (const name of new Set([...Object.keys(end), ...Object.keys(counts)])) {
    if ((counts[name] ?? 0) !== (end[name] ?? 0))
      throw broken(path, `has ${counts[name] ?? 0} documents of ${name}, and should have ${end[name] ?? 0}`);
  }
  return end;
}

/** The lines of an export. Throws if a line is not valid at its position. */
async function* linesOf(path: string, collections: readonly string[]): AsyncGenerator<Line> {
  let last: Line['kind'] | undefined;
  for await (const text of textLinesOf(path)) {
    if (last === 'end') throw broken(path, 'continues after its end');
    const line = parseLine(text, path);
    if ((line.kind === 'begin') !== (last === undefined)) throw broken(path, 'is not an export');
    if (line.kind === 'document' && !collections.includes(line.collection))
      throw broken(path, `has documents of '${line.collection}', which is not a collection of this version`);
    last = line.kind;
    yield line;
  }
  if (last === undefined) throw broken(path, 'is not an export');
}

function parseLine(text: string, path: string): Line {
  const parsed = parseJson(text, path);
  if (parsed.format === format) {
    if (Number(parsed.version) !== version) throw broken(path, `is of another version than ${version}`);
    return { kind: 'begin' };
  }
  if (isRecord(parsed.end))
    return { kind: 'end', counts: Object.fromEntries(Object.entries(parsed.end).map(([name, count]) => [name, Number(count)])) };
  const { collection, document } = parsed;
  if (typeof collection !== 'string' || !isRecord(document) || !('_id' in document)) throw broken(path, 'is not an export');
  return { kind: 'document', collection, document };
}

function parseJson(text: string, path: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = BSON.EJSON.parse(text, { relaxed: false });
  } catch {
    throw broken(path, 'has a line that is not Extended JSON');
  }
  if (!isRecord(parsed)) throw broken(path, 'is not an export');
  return parsed;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The lines of a file. Only `\n` ends a line: `node:readline` would also split at U+2028, which
 * earlier exports do not escape.
 */
async function* textLinesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw broken(path, 'is not valid UTF-8');
    }
  };
  let begun: string[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const [first = '', ...others] = decode(chunk).split('\n');
    begun.push(first);
    for (const start of others) {
      yield begun.join('');
      begun = [start];
    }
  }
  const last = begun.join('') + decode();
  if (last !== '') yield last;
}

const broken = (path: string, what: string) => new Error(`The file ${path} ${what}. Nothing was imported.`);

const total = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
