import { readFileSync } from 'node:fs';

/** The kernel counts processor time in hundredths of a second. */
const millisPerTick = 10;

export const median = (values: readonly number[]): number => percentile(values, 50);

/** The percentile of some values: `share` percent of them are smaller. */
export function percentile(values: readonly number[], share: number): number {
  const at = Math.min(values.length - 1, Math.floor((values.length * share) / 100));
  return values.toSorted((a, b) => a - b)[at] as number;
}

/**
 * The processor time of a process in milliseconds; `undefined` if the system does not report it.
 */
export function processorMillis(pid: number): number | undefined {
  const fields = procFile(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * millisPerTick;
}

/**
 * The memory of a process in megabytes, including its share of memory shared with other processes,
 * such as Node.js itself.
 */
export function residentMegabytes(pid: number): number | undefined {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(procFile(pid, 'smaps_rollup') ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
