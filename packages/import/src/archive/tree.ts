import { createReadStream } from 'node:fs';
import { open, opendir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Archive, broken, mostEntries, openArchive } from './archive.ts';
import { Entries } from './entries.ts';
import { entryName, isDesktopFile } from './names.ts';
import { Spool } from './spool.ts';
import { openTar } from './tar.ts';

/**
 * Opens exported files: a directory, or one that is packed as tar, tar.gz or zip. Of a directory or
 * a tar archive, only the wanted files are read.
 */
export async function openTree(path: string, isWanted: (name: string) => boolean): Promise<Archive> {
  switch (await formOf(path)) {
    case 'directory':
      return openDirectory(path, isWanted);
    case 'zip':
      return openArchive(path);
    case 'tar':
      return openTar(path, isWanted);
    default:
      throw broken(path, 'is neither a directory nor a tar or zip archive');
  }
}

/** True if a path is a directory or a packed one. */
export const isTree = async (path: string): Promise<boolean> => (await formOf(path)) !== undefined;

async function formOf(path: string): Promise<'directory' | 'zip' | 'tar' | undefined> {
  if ((await stat(path)).isDirectory()) return 'directory';
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(262), 0, 262, 0).finally(() => file.close());
  const beginning = buffer.toString('latin1');
  if (beginning.startsWith('PK')) return 'zip';
  return beginning.startsWith('\x1f\x8b') || beginning.slice(257) === 'ustar' ? 'tar' : undefined;
}

/**
 * Opens an export and a spool for a source, which closes both. If the source cannot be created,
 * they are closed here.
 */
export async function openSpooled<S>(
  path: string,
  isWanted: (name: string) => boolean,
  make: (archive: Archive, spool: Spool) => Promise<S>,
): Promise<S> {
  const archive = await openTree(path, isWanted);
  let spool: Spool | undefined;
  try {
    spool = await Spool.create();
    return await make(archive, spool);
  } catch (error) {
    await spool?.close();
    await archive.close();
    throw error;
  }
}

/** The files of a directory. Links are not followed, because they could lead out of it. */
async function openDirectory(path: string, isWanted: (name: string) => boolean): Promise<Archive> {
  const files = new Entries<string>();
  for await (const entry of await opendir(path, { recursive: true })) {
    if (files.count >= mostEntries) throw broken(path, `has more than ${mostEntries} entries`);
    const full = join(entry.parentPath, entry.name);
    const name = relative(path, full).split(sep).join('/');
    if (!entry.isFile() || isDesktopFile(name)) continue;
    const { size } = await stat(full);
    if (isWanted(entryName(name))) files.add(name, size, full);
    else files.skip(name, size);
  }
  const find = (name: string): string => {
    const full = files.open(name);
    if (full === undefined) throw broken(path, `has no ${name}`);
    return full;
  };
  return {
    names: files.names,
    size: (name) => files.size(name),
    readings: () => [],
    unread: () => files.unread(),
    stream: async (name) => createReadStream(find(name)),
    read: async (name, most) => {
      const full = find(name);
      if ((files.size(name) ?? 0) > most) throw broken(path, `has more than ${most} bytes in ${name}`);
      return readFile(full);
    },
    close: () => {},
  };
}
