import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BSON, type Document } from 'mongodb';
import { database } from './client.ts';
import { epochCollection, renewEpoch } from './epoch.ts';

/** How many documents there are of each collection. */
export type Counts = Record<string, number>;

/** Receives how many documents are done, and of how many. */
export type Progress = (done: number, all: number) => void;

/** Whether an export to this path goes to standard output. */
export const isStandardOutput = (path: string): boolean => path === '-' || resolve(path) === '/dev/stdout';

/** Whether an export to this path would take the place of what has that name. */
export const replacesFile = async (path: string): Promise<boolean> =>
  !(isStandardOutput(path) || (await isStream(path))) && (await lstat(path).catch(() => undefined)) !== undefined;

/**
 * Writes every document of every collection: a line each, in canonical Extended JSON, so that every type survives. The first line says what
 * follows, the last one that nothing is missing. `-` is standard output; devices and pipes are written to; a file is written beside the one of
 * that name, and takes its place when it is complete. Only its owner can read it.
 */
export async function exportTo(path: string, progress: Progress): Promise<Counts> {
  const counts: Counts = {};
  const lines = Readable.from(linesOfAll(counts, progress));
  if (isStandardOutput(path)) await pipeline(lines, process.stdout as Writable, { end: false });
  else if (await isStream(path)) await pipeline(lines, (await open(path, 'w')).createWriteStream());
  else await writeFile(path, lines);
  return counts;
}

/** Devices, also the file that /dev/fd/3 stands for, and one's own pipes. */
async function isStream(path: string): Promise<boolean> {
  if (/^\/(dev|proc)\//.test(resolve(path))) return true;
  const found = await stat(path).catch(() => undefined);
  // In a directory that others write to, a pipe of theirs would read the hashes.
  return found !== undefined && (found.isCharacterDevice() || (found.isFIFO() && found.uid === process.getuid?.()));
}

async function writeFile(path: string, lines: Readable): Promise<void> {
  // It contains the hashes of passwords and tokens: nobody may have made the file before, or a link to one, to read them there.
  const partial = `${path}.${randomBytes(6).toString('hex')}.partial`;
  const file = await open(partial, 'wx', 0o600);
  try {
    await pipeline(lines, file.createWriteStream({ flush: true }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* linesOfAll(counts: Counts, progress: Progress): AsyncGenerator<string> {
  const found = await database.listCollections({}, { nameOnly: true }).toArray();
  const names = found
    .map(({ name }) => name)
    .filter((name) => name !== epochCollection && name !== ownCollection)
    .sort();
  const expected: Counts = {};
  for (const name of names) expected[name] = await database.collection(name).countDocuments();
  let done = 0;
  yield `${JSON.stringify({ format, version, expected })}\n`;
  for (const name of names) {
    counts[name] = 0;
    for await (const lines of linesOf(name)) {
      yield lines.join('');
      counts[name] += lines.length;
      done += lines.length;
      progress(done, Math.max(done, total(expected)));
    }
  }
  yield `${JSON.stringify({ end: counts })}\n`;
}

/**
 * Writes every document of such a file to the database, each in the place of the one with the same `_id`: an import that was cut off can be
 * repeated. The file is read to its end before anything is written, so that an incomplete file changes nothing.
 */
export async function importFrom(path: string, progress: Progress): Promise<Counts> {
  const expected = await check(path);
  // Before as well: an import that is cut off has changed the database, too.
  await renewEpoch();
  const counts: Counts = Object.fromEntries(Object.keys(expected).map((name) => [name, 0]));
  let done = 0;
  for await (const { collection, documents } of batchesOf(path)) {
    const writes = documents.map((document) => ({
      replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
    }));
    const { matchedCount, upsertedCount } = await database.collection(collection).bulkWrite(writes, { ordered: false });
    if (matchedCount + upsertedCount !== documents.length)
      throw new Error(`Of ${documents.length} documents for ${collection}, only ${matchedCount + upsertedCount} were stored.`);
    counts[collection] = (counts[collection] ?? 0) + documents.length;
    done += documents.length;
    progress(done, total(expected));
  }
  await renewEpoch();
  return counts;
}

// Tells what was done in this database, not in the one that reads the file.
const ownCollection = 'upgrades';

const format = 'chat-service';
const version = 1;
const batch = 500;

type Line = { collection: string; document: Document };

/** The documents of a collection as lines, as many at a time as one round trip brings. */
async function* linesOf(collection: string): AsyncGenerator<string[]> {
  const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };
  const cursor = database.collection(collection).find({}, { sort: { _id: 1 }, batchSize: batch, ...exact });
  while (await cursor.hasNext()) {
    yield cursor
      .readBufferedDocuments()
      .map((document) => `${BSON.EJSON.stringify({ collection, document }, { relaxed: false })}\n`);
  }
}

async function* batchesOf(path: string): AsyncGenerator<{ collection: string; documents: Document[] }> {
  let waiting: { collection: string; documents: Document[] } | undefined;
  for await (const line of documentLines(path)) {
    const { collection, document } = BSON.EJSON.parse(line, { relaxed: false }) as Line;
    if (waiting && (waiting.collection !== collection || waiting.documents.length === batch)) {
      yield waiting;
      waiting = undefined;
    }
    waiting ??= { collection, documents: [] };
    waiting.documents.push(document);
  }
  if (waiting) yield waiting;
}

/** Reads the whole file and compares its documents with the counts at its end. */
async function check(path: string): Promise<Counts> {
  const counts: Counts = {};
  let end: Counts | undefined;
  for await (const line of linesIn(path)) {
    if (end) throw broken(path, 'continues after its end');
    const parsed = parse(line, path);
    if ('end' in parsed) end = parsed.end as Counts;
    else if (parsed.format === format && parsed.version !== version) throw broken(path, `is of another version than ${version}`);
    else if (typeof parsed.collection === 'string') counts[parsed.collection] = (counts[parsed.collection] ?? 0) + 1;
    else if (parsed.format !== format) throw broken(path, 'is not an export');
  }
  if (!end) throw broken(path, 'has no end: it was cut off');
  for (const name of new Set([...Object.keys(end), ...Object.keys(counts)])) {
    if ((counts[name] ?? 0) !== (end[name] ?? 0))
      throw broken(path, `has ${counts[name] ?? 0} documents of ${name}, and should have ${end[name] ?? 0}`);
  }
  return end;
}

function parse(line: string, path: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    throw broken(path, 'has a line that is not JSON');
  }
}

async function* documentLines(path: string): AsyncGenerator<string> {
  for await (const line of linesIn(path)) if (line.startsWith('{"collection":')) yield line;
}

/** The lines of a file. Only `\n` ends one: `node:readline` also takes U+2028, which JSON has in texts as it is, for an end. */
async function* linesIn(path: string): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split('\n');
    begun.push(first);
    for (const start of others) {
      yield begun.join('');
      begun = [start];
    }
  }
  const last = begun.join('');
  if (last !== '') yield last;
}

const broken = (path: string, what: string) => new Error(`The file ${path} ${what}. Nothing was imported.`);

const total = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
