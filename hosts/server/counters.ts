import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type RequestEnded, requestEnded } from '../../lib/base/metrics.ts';
import { type FileState, lastFileState } from '../../lib/database/file-state.ts';
import { outcomes } from '../../lib/notifications/send.ts';
import { counts, type PushCounts } from './push/counts.ts';
import { type BackupState, backupState } from './work/backups.ts';

/** Upper bounds of the histogram of durations, in milliseconds. */
export const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/** How long the requests of one function took: how many were within each bound, how many there were, and their sum in milliseconds. */
export type Durations = { within: number[]; count: number; sum: number };

/** What one process has counted since it started. */
export type Snapshot = {
  /** By function, method and status, each separated by a space. */
  requests: Record<string, number>;
  durations: Record<string, Durations>;
  /** How many requests that would have changed something were refused, by the word for the error. */
  refusedWrites: Record<string, number>;
  memory: number;
  /** The p99 of the delay of the event loop, in milliseconds. */
  delay: number;
  push: PushCounts;
  /** What became of pushes to devices. */
  devices: typeof outcomes;
  /** What is wrong with the database's file. */
  file: FileState;
  backup: BackupState;
};

const requests: Record<string, number> = {};
const durations: Record<string, Durations> = {};
const refusedWrites: Record<string, number> = {};
const delay = monitorEventLoopDelay();

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Of requests that are right by themselves: what they would have stored is too much, or too soon. */
const refusedStatuses = new Set([409, 413, 429]);

/** The counts so far; counting begins with the first import. */
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
