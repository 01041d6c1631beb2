import type { HangingTown } from '../../harness/hanging-world/town.ts';
import { visitFor } from '../../harness/hanging-world/visit.ts';

/* A process that visits a service, so that the attackers do not delay its measurements. */

export type VisitJob = { url: string; town: HangingTown; durationMs: number; periodMs: number };

process.on('message', async ({ url, town, ...times }: VisitJob) => {
  process.send?.(await visitFor(url, town, times));
});
