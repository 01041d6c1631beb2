import { readFileSync } from 'node:fs';

/** The kernel counts processor time in hundredths of a second. */
const MILLIS_PER_TICK = 10;

/** The median time of one call in microseconds; calls come one after the other. */
export async function medianMicros(repeats: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const since = performance.now();
    await call(i);
    times.push(performance.now() - since);
  }
  return median(times) * 1000;
}

/** The one in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Calls per second with so many at the same time. */
export async function perSecond(total: number, atOnce: number, call: (i: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const since = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < total) await call(next++);
    }),
  );
  return total / ((performance.now() - since) / 1000);
}

/** The processor time that a process has taken so far; `undefined` where the system does not tell. */
export function processorMillis(pid: number): number | undefined {
  const fields = procFile(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * MILLIS_PER_TICK;
}

/** The memory that a process has at the moment, in megabytes. */
export function residentMegabytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(procFile(pid, 'status') ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
