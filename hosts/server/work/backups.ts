import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Background, inBackground } from '../../../lib/base/background.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import { backUpAll } from '../../../lib/files/copies.ts';
import { backupName, backupPattern, listBackups, namesIn } from '../../../lib/files/regular-backups.ts';

/** The directory of the backups, the milliseconds between them, and how many are kept. */
type BackupSettings = { directory: string; every: number; keep: number };

/**
 * When this process completed its last backup, in milliseconds since 1970, and how many have failed
 * since.
 */
export type BackupState = { madeAt?: number; failed: number };

export const backupState: BackupState = { failed: 0 };

/** Slightly longer than a start takes. */
const firstAfterMs = 60_000;
/** Longest wait before a failed backup is retried. */
const againAfterMs = 3_600_000;

/**
 * Backs up the embedded database regularly. The interval starts at the newest existing backup, so
 * restarts do not change it. `end` resolves when a running backup is done.
 */
export const scheduleBackups = (settings: BackupSettings): Background =>
  inBackground(async ({ pause }) => {
    await pause(Math.min(firstAfterMs, settings.every));
    for (;;) await pause(await backUpIfDue(settings));
  });

/**
 * Makes a backup if one is due. Returns the milliseconds until the next check. An unreadable
 * directory, e.g. on a disk that is temporarily absent, counts as a failed backup and does not stop
 * later ones.
 */
async function backUpIfDue(settings: BackupSettings): Promise<number> {
  const again = Math.min(settings.every, againAfterMs);
  try {
    const due = await dueIn(settings, Date.now());
    if (due > 0) return due;
  } catch (error) {
    noteFailure(resolve(settings.directory), error);
    return again;
  }
  return (await makeBackup(settings)) ? 0 : again;
}

/**
 * Milliseconds until the next backup. Ignores backups with a date in the future, from a wrong
 * clock.
 */
async function dueIn({ directory, every }: BackupSettings, now: number): Promise<number> {
  const newest = (await listBackups(directory)).filter(({ at }) => at <= now).at(-1);
  return newest === undefined ? 0 : newest.at + every - now;
}

/**
 * Makes a backup, which the database checks, then removes the oldest ones beyond the limit. If it
 * fails, all earlier backups stay.
 */
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

/** Removes the incomplete backup of a process that was killed. */
async function removeUnfinished(directory: string): Promise<void> {
  for (const name of await namesIn(directory)) {
    const [, made, rest] = /^(.*)(\.[0-9a-f]{12}\.partial)$/.exec(name) ?? [];
    if (rest !== undefined && backupPattern.test(made ?? '')) await rm(join(directory, name), { recursive: true });
  }
}
