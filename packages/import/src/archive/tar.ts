import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Parser, type ReadEntry } from 'tar';
import { type Archive, ArchiveError, broken, isTooDense, mostBytes, mostEntries } from './archive.ts';
import { Entries } from './entries.ts';
import { entryName, faultOfName, isDesktopFile } from './names.ts';
import { type Place, Spool } from './spool.ts';

/**
 * Opens a tar archive, with or without gzip. It can only be read from beginning to end, so the
 * wanted files are copied to a spool.
 */
export async function openTar(path: string, isWanted: (name: string) => boolean): Promise<Archive> {
  const { size: packed } = await stat(path);
  const spool = await Spool.create();
  const files = new Entries<Place>();
  try {
    await readEntries(path, { isWanted, packed, files, spool });
  } catch (error) {
    await spool.close();
    if (error instanceof ArchiveError) throw error;
    throw broken(path, `can't be read as a tar archive: ${error instanceof Error ? error.message : String(error)}`);
  }
  const find = (name: string): Place => {
    const place = files.open(name);
    if (!place) throw broken(path, `has no ${name}`);
    return place;
  };
  return {
    names: files.names,
    size: (name) => files.size(name),
    readings: () => [],
    unread: () => files.unread(),
    stream: async (name) => spool.stream(find(name)),
    read: async (name, most) => {
      const place = find(name);
      if (place.length > most) throw broken(path, `has more than ${most} bytes in ${name}`);
      return buffer(spool.stream(place));
    },
    close: () => spool.close(),
  };
}

type ReadOptions = { isWanted: (name: string) => boolean; packed: number; files: Entries<Place>; spool: Spool };

async function readEntries(path: string, { isWanted, packed, files, spool }: ReadOptions): Promise<void> {
  let [entries, unpacked] = [0, 0];
  let failure: Error | undefined;
  const refuse = (what: string) => {
    failure ??= broken(path, what);
  };
  // The parser keeps long names and other metadata of an entry in memory, up to a megabyte. Its own
  // limit of the ratio would reject small archives.
  const parser = new Parser({ strict: true, maxDecompressionRatio: Number.POSITIVE_INFINITY });
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  ended.catch((error: Error) => {
    failure ??= error;
  });
  parser.on('entry', (entry: ReadEntry) => {
    const name = entryName(entry.path);
    if (++entries > mostEntries) refuse(`has more than ${mostEntries} entries`);
    if (faultOfName(entry.path) !== undefined) refuse(`has a path that leaves it: ${name}`);
    // Links are skipped: only the archive's own bytes are read.
    const isPart = isFile.has(entry.type) && !isDesktopFile(name);
    const isKept = isPart && isWanted(name);
    const place = { offset: spool.end, length: 0 };
    if (isKept && !files.add(entry.path.replace(/^(\.\/+)+/, ''), entry.size, place)) refuse(`has ${name} twice`);
    if (isPart && !isKept) files.skip(name, entry.size);
    entry.on('data', (chunk) => {
      unpacked += chunk.length;
      if (unpacked > mostBytes || isTooDense(packed, unpacked)) refuse('unpacks to too much');
      if (isKept && !failure) place.length += spool.append(chunk).length;
    });
  });
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    parser.write(chunk);
    if (failure) throw failure;
  }
  parser.end();
  await ended;
  if (failure) throw failure;
}

const isFile: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile']);
