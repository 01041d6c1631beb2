import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type RequestEnded, requestEnded } from '../../lib/base/metrics.ts';
import { type FileState, lastFileState } from '../../lib/database/file-state.ts';
import { outcomes } from '../../lib/notifications/send.ts';
import { counts, type PushCounts } from './push/counts.ts';
import { type BackupState, backupState } from './work/backups.ts';

/** Upper bounds of the histogram buckets, in milliseconds. */
export const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/**
 * The durations of one function's requests: the number within each bound, the number of all, and
 * their sum in milliseconds.
 */
export type Durations = { within: number[]; count: number; sum: number };

/** The counters of one process since its start. */
export type Snapshot = {
  /** By `<function> <method> <status>`. */
  requests: Record<string, number>;
  durations: Record<string, Durations>;
  /** The number of rejected writes by error code. */
  refusedWrites: Record<string, number>;
  memory: number;
  /** The 99th percentile of the event loop delay, in milliseconds. */
  delay: number;
  push: PushCounts;
  /** The outcomes of push notifications to devices. */
  devices: typeof outcomes;
  /** The state of the database file. */
  file: FileState;
  backup: BackupState;
};

const requests: Record<string, number> = {};
const durations: Record<string, Durations> = {};
const refusedWrites: Record<string, number> = {};
const delay = monitorEventLoopDelay();

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Statuses of valid requests that conflict with the stored data or a limit. */
const refusedStatuses = new Set([409, 413, 429]);

/** The current counters. Counting begins when this module is imported. */
export const snapshot = (): Snapshot => ({
  requests,
  durations,
  refusedWrites,
  memory: process.memoryUsage.rss(),
  delay: delay.percentile(99) / 1e6,
  push: counts,
  devices: outcomes,
  file: lastFileState(),
  backup: backupState,
});

delay.enable();
requestEnded.subscribe((message) => {
  const { function: name, method, status, milliseconds, refusal } = message as RequestEnded;
  const key = `${name} ${method} ${status}`;
  requests[key] = (requests[key] ?? 0) + 1;
  if (refusal && !readingMethods.has(method) && (refusedStatuses.has(status) || status >= 500))
    refusedWrites[refusal] = (refusedWrites[refusal] ?? 0) + 1;
  durations[name] ??= { within: bounds.map(() => 0), count: 0, sum: 0 };
  const { within } = durations[name];
  for (let at = bounds.length - 1; at >= 0 && milliseconds <= (bounds[at] as number); at--) within[at] = (within[at] ?? 0) + 1;
  durations[name].count++;
  durations[name].sum += milliseconds;
});
