import cluster from 'node:cluster';
import { closeDatabase, prepareDatabase } from '../../lib/prepare.ts';
import { snapshot } from './counters.ts';
import { serveMetrics } from './metrics.ts';
import { relayOfWorker } from './push/relay.ts';
import { type Server, startServer } from './server.ts';
import type { Settings } from './settings.ts';
import { onEnd } from './signals.ts';
import { answerMetrics, metricsOfWorkers, runWorkers } from './workers.ts';

/** Prepares the database and serves until a signal ends it: in this process, or in as many as were asked for. */
export async function serve(settings: Settings): Promise<void> {
  if (cluster.isWorker) {
    answerMetrics();
    closeOnSignal(await start({ ...settings, relay: relayOfWorker() }));
    return;
  }
  await prepareDatabase();
  if (settings.workers > 1) {
    await closeDatabase();
    const port = await runWorkers(settings.workers);
    if (settings.metricsPort !== undefined) await serveMetrics(settings.host, settings.metricsPort, metricsOfWorkers);
    announce(settings.host, port);
    return;
  }
  const server = await start(settings);
  closeOnSignal(server);
  if (settings.metricsPort !== undefined) await serveMetrics(settings.host, settings.metricsPort, async () => [snapshot()]);
  announce(settings.host, server.port);
}

async function start(settings: Parameters<typeof startServer>[0]): Promise<Server> {
  try {
    return await startServer(settings);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${settings.port} is taken: end what uses it, or set --port or HTTP_PORT to another.`);
  }
}

/** Ends when the running requests are answered, or have had their time: a request takes 10 seconds at most. */
function closeOnSignal(server: Server): void {
  onEnd(async () => {
    setTimeout(() => process.exit(1), 15_000).unref();
    await server.close();
    await closeDatabase();
    process.exit(0);
  });
}

function announce(host: string, port: number): void {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  process.stderr.write(
    `The web client is at http://${authority}/. The API is at http://${authority}/api. Stop both with Ctrl-C.\n`,
  );
}
