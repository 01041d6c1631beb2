import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Syncs the names in a directory: a created or renamed file survives a power cut only after that.
 * Windows neither needs nor allows it.
 */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Syncs the names in a directory and in its folders, and its own name. */
export async function syncTree(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) await syncDirectory(join(entry.parentPath, entry.name));
  await syncDirectory(root);
  await syncDirectory(dirname(root));
}

/** Creates a private directory and its parents, and syncs their names. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}
