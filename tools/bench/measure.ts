import { readFileSync } from 'node:fs';

/** The kernel counts processor time in hundredths of a second. */
const millisPerTick = 10;

/** The median time of one call in microseconds; calls are sequential. */
export async function medianMicros(repeats: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const since = performance.now();
    await call(i);
    times.push(performance.now() - since);
  }
  return median(times) * 1000;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** The value below which `share` percent of the values are. */
export function percentile(values: readonly number[], share: number): number {
  const at = Math.min(values.length - 1, Math.floor((values.length * share) / 100));
  return values.toSorted((a, b) => a - b)[at] as number;
}

/** Calls per second with `concurrency` calls at a time. */
export async function perSecond(total: number, concurrency: number, call: (i: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const since = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < total) await call(next++);
    }),
  );
  return total / ((performance.now() - since) / 1000);
}

/** The median rate of each of several calls, measured alternately. */
export async function medianRates<Name extends string>(
  rounds: number,
  perRound: number,
  concurrency: number,
  calls: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(calls) as Name[];
  const rates = names.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, name] of names.entries()) rates[at]?.push(await perSecond(perRound, concurrency, calls[name]));
  }
  return Object.fromEntries(names.map((name, at) => [name, median(rates[at] ?? [])])) as Record<Name, number>;
}

/** The processor time that a process has taken so far; undefined if the system does not report it. */
export function processorMillis(pid: number): number | undefined {
  const fields = procFile(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * millisPerTick;
}

/** The memory of a process in megabytes, with its share of what it shares with others, such as Node.js itself. */
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
