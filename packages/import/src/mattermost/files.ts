import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Archive, broken } from '../archive/archive.ts';
import { isTree, openTree } from '../archive/tree.ts';
import { textOf } from '../json.ts';
import { parseLine } from './post-lines.ts';

/**
 * The lines of an export as a file. If they are in an archive, also the archive with the files of
 * messages.
 */
export type MattermostFiles = { path: string; archive?: Archive; prefix: string; close: () => Promise<void> };

/**
 * Opens an export of Mattermost: a file with lines, or an archive or directory that also has the
 * files of messages.
 */
export async function openMattermostFiles(path: string): Promise<MattermostFiles> {
  if (!(await isTree(path))) {
    if (!isExport(await beginningOf(path))) throw notExport(path);
    return { path, prefix: '', close: async () => {} };
  }
  const archive = await openTree(path, () => true);
  let directory: string | undefined;
  const close = async () => {
    await archive.close();
    if (directory !== undefined) await rm(directory, { recursive: true });
  };
  try {
    const name = await findLines(archive, path);
    // A separate file, because the lines are read in another order than they are packed.
    directory = await mkdtemp(join(tmpdir(), 'chat-import-'));
    const unpacked = join(directory, 'import.jsonl');
    await pipeline(await archive.stream(name), createWriteStream(unpacked, { mode: 0o600, flags: 'wx' }));
    return { path: unpacked, archive, prefix: name.replace(/[^/]+$/, ''), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The file with the lines of an export. Repacking may have renamed it, or added others. */
async function findLines(archive: Archive, path: string): Promise<string> {
  const candidates = archive.names.filter((name) => /\.jsonl$/i.test(name)).slice(0, mostCandidates);
  if (candidates.length === 0) throw broken(path, 'is not an export of Mattermost: it has no import.jsonl');
  const exports: string[] = [];
  for (const name of candidates) if (isExport(await firstOf(archive, name))) exports.push(name);
  const [name, another] = exports;
  if (name === undefined) throw notExport(path);
  if (another !== undefined)
    throw broken(path, `has more than one export: ${exports.join(', ')}. Import each of them by itself, with --workspace`);
  return name;
}

const mostCandidates = 100;

async function firstOf(archive: Archive, name: string): Promise<string> {
  const stream = await archive.stream(name);
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length >= longestFirst || bytes.includes('\n')) break;
    }
  } finally {
    stream.destroy();
  }
  return bytes.subarray(0, longestFirst).toString('utf8');
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(longestFirst), 0, longestFirst, 0).finally(() => file.close());
  return buffer.toString('utf8', 0, bytesRead);
}

/** The most bytes of the first line. */
const longestFirst = 64 * 1024;

/** True if a file begins like an export, with a line that states its version. */
function isExport(beginning: string): boolean {
  const line = parseLine(beginning.split('\n')[0] ?? '');
  return textOf(line?.type) === 'version' && line?.version !== undefined;
}

const notExport = (path: string) => broken(path, 'is not an export of Mattermost: its first line has no version');
