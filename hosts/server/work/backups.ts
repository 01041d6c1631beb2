import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Background, inBackground } from '../../../lib/base/background.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import { backUpAll } from '../../../lib/files/copies.ts';
import { backupName, backupPattern, listBackups, namesIn } from '../../../lib/files/regular-backups.ts';

/** Where backups go, how many milliseconds lie between two, and how many are kept. */
type BackupSettings = { directory: string; every: number; keep: number };

/** When the last backup of this process was complete, in milliseconds since 1970, and how many failed since. */
export type BackupState = { madeAt?: number; failed: number };

export const backupState: BackupState = { failed: 0 };

/** Not much longer than a start takes. */
const firstAfter = 60_000;
/** One that failed is tried again after so long, or after the time between two. */
const againAfter = 3_600_000;

/**
 * Backs the embedded database up again and again: the next one is due so long after the newest that is there, also
 * across restarts. `end` resolves when one that was being made is done.
 */
export const scheduleBackups = (settings: BackupSettings): Background =>
  inBackground(async ({ pause }) => {
    await pause(Math.min(firstAfter, settings.every));
    for (;;) await pause(await backUpIfDue(settings));
  });

/**
 * Makes a backup if one is due; returns after how many milliseconds to look again. That the directory could not be read,
 * as when its disk was away for a moment, is a failed backup as well, and ends none of those that follow.
 */
async function backUpIfDue(settings: BackupSettings): Promise<number> {
  const again = Math.min(settings.every, againAfter);
  try {
    const due = await dueIn(settings, Date.now());
    if (due > 0) return due;
  } catch (error) {
    noteFailure(resolve(settings.directory), error);
    return again;
  }
  return (await makeBackup(settings)) ? 0 : again;
}

/** In how many milliseconds the next backup is due. Those of a clock that was ahead do not count. */
async function dueIn({ directory, every }: BackupSettings, now: number): Promise<number> {
  const newest = (await listBackups(directory)).filter(({ at }) => at <= now).at(-1);
  return newest === undefined ? 0 : newest.at + every - now;
}

/** Makes a backup, which the database checks, and then removes the oldest of those that are too many. If it fails, all earlier ones stay. */
export async function makeBackup({ directory, keep }: BackupSettings, now = Date.now()): Promise<boolean> {
  const target = resolve(directory, backupName(now));
  try {
    await removeUnfinished(directory);
    const { documents, files } = await backUpAll(target);
    Object.assign(backupState, { madeAt: now, failed: 0 });
    log('info', 'backup made', { directory: target, documents, ...files });
    for (const { name } of (await listBackups(directory)).filter(({ at }) => at <= now).slice(0, -keep))
      await rm(join(directory, name), { recursive: true });
    return true;
  } catch (error) {
    noteFailure(target, error);
    return false;
  }
}

function noteFailure(directory: string, error: unknown): void {
  backupState.failed++;
  log('error', 'backup failed', { directory, error: describeError(error) });
}

/** What a process that was killed in the middle of a backup left. */
async function removeUnfinished(directory: string): Promise<void> {
  for (const name of await namesIn(directory)) {
    const [, made, rest] = /^(.*)(\.[0-9a-f]{12}\.partial)$/.exec(name) ?? [];
    if (rest !== undefined && backupPattern.test(made ?? '')) await rm(join(directory, name), { recursive: true });
  }
}
