import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { log } from '../../lib/base/log.ts';
import { refreshFileState } from '../../lib/database/file-state.ts';
import { askWorker } from './ask-worker.ts';
import { type Snapshot, snapshot } from './counters.ts';
import { closePendingConnections } from './pending-connections.ts';
import { relayBetween } from './push/relay.ts';
import { onEnd } from './signals.ts';

/** The workers that are ready. */
const listening = new Set<Worker>();

/** The pause before a worker is replaced that ended before it was ready. */
const restartDelayMs = 1_000;

/**
 * Runs `count` workers until a signal ends them, and replaces each one that fails. Resolves to
 * their port when all are listening.
 */
export async function runWorkers(count: number): Promise<number> {
  let ending = false;
  let isStarted = false;
  let status = 0;

  const end = () => {
    ending = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  };
  onEnd(end);
  cluster.on('exit', (worker, code, signal) => {
    if (!ending) {
      log('error', 'worker ended', { process: worker.process.pid, code, signal });
      if (listening.delete(worker)) fork();
      // It was killed while it started, or the others still run. The pause prevents a worker that
      // cannot start from using all processor time.
      else if (isStarted && (signal !== null || listening.size > 0)) setTimeout(() => ending || fork(), restartDelayMs);
      else {
        // It has reported why it could not start. A replacement would fail as well.
        status = 1;
        end();
      }
    }
    // The exit event may come before the worker is removed from the list.
    if (ending && Object.values(cluster.workers ?? {}).every((one) => one?.isDead())) process.exit(status);
  });
  cluster.on('listening', (worker) => listening.add(worker));
  relayBetween(listening);

  const ports = Array.from({ length: count }, async () => {
    const [address] = await once(fork(), 'listening');
    return address.port as number;
  });
  const [port] = await Promise.all(ports);
  isStarted = true;
  return port as number;
}

function fork(): Worker {
  const worker = cluster.fork();
  closePendingConnections(worker);
  return worker;
}

/** The counters of all workers, except those that end meanwhile. */
export async function metricsOfWorkers(): Promise<Snapshot[]> {
  const asked = [...listening].map((worker) => askWorker<CountsMessage>(worker, { kind: 'metrics' }, 'metrics'));
  return (await Promise.all(asked)).flatMap((answer) => answer?.counted ?? []);
}

type CountsMessage = { kind: string; counted: Snapshot };

/** Responds to requests for counters, in a worker. */
export function answerMetrics(): void {
  process.on('message', async ({ kind }: { kind: string }) => {
    if (kind !== 'metrics') return;
    await refreshFileState();
    process.send?.({ kind, counted: snapshot() } satisfies CountsMessage);
  });
}
