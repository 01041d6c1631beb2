import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { explainSystemError } from 'embedded-mongodb/system-errors';
import { makeDirectory } from '../../lib/base/durable-files.ts';

/**
 * Creates a directory of a setting, and throws unless this process can write to it. Otherwise the
 * first upload or backup would fail, long after the start. A full disk is not a reason to refuse:
 * people can still read, write and delete.
 */
export async function requireWritable(setting: string, directory: string): Promise<void> {
  const trial = join(directory, `.trial-${randomUUID()}`);
  try {
    await makeDirectory(directory);
    await (await open(trial, 'wx', 0o600)).close();
    await rm(trial);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') return;
    const why = explainSystemError({ code, path: directory }) ?? message;
    throw new Error(`Set ${setting} to a directory that the service can write to: ${why}.`);
  }
}
