import { readdir } from 'node:fs/promises';

/** The name of a regular backup from a time, in milliseconds since 1970. */
export const backupName = (at: number) => `chat-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
export const backupPattern = /^chat-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;

/** The backups in a directory, oldest first. Other files there are ignored. */
export async function listBackups(directory: string): Promise<{ name: string; at: number }[]> {
  const found = (await namesIn(directory)).flatMap((name) => {
    const [, day, hours, minutes, seconds] = backupPattern.exec(name) ?? [];
    return day === undefined ? [] : [{ name, at: Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) }];
  });
  return found.sort((one, other) => one.at - other.at);
}

/** The names in a directory; empty if it does not exist. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    // The first backup creates it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
