import cluster from 'node:cluster';
import { fillBeginningsMeanwhile } from '../../lib/accounts/fill-beginnings.ts';
import { countAdministrators } from '../../lib/accounts/last-admin.ts';
import { createSetupCode } from '../../lib/accounts/setup-code.ts';
import { explainFailure } from '../../lib/base/errors.ts';
import { log } from '../../lib/base/log.ts';
import { serveAloneSince } from '../../lib/base/sole-server.ts';
import { readFileState, refreshFileState } from '../../lib/database/file-state.ts';
import { closeGapsAfter } from '../../lib/feed/feed.ts';
import { fillWordsMeanwhile } from '../../lib/messages/search/fill-words.ts';
import { storeLive } from '../../lib/messages/streaming/live.ts';
import { closeDatabase, prepareDatabase } from '../../lib/operating/prepare.ts';
import { config } from '../../lib/settings/config.ts';
import { misspelledSettings } from '../../lib/settings/settings.ts';
import manifest from '../../package.json' with { type: 'json' };
import { announcement, type Beginning } from './announcement.ts';
import { type Snapshot, snapshot } from './counters.ts';
import { loadRoutes } from './http/lazy-routes.ts';
import { serveMetrics } from './metrics.ts';
import { relayOfWorker } from './push/relay.ts';
import { type Server, startServer } from './server.ts';
import type { Settings } from './settings.ts';
import { onEnd } from './signals.ts';
import { scheduleBackups } from './work/backups.ts';
import { sendDigestsMeanwhile } from './work/digests.ts';
import { logState, watchFile } from './work/file-watch.ts';
import { pushMeanwhile } from './work/push-notifications.ts';
import { interruptStreamsMeanwhile } from './work/streams.ts';
import { sweepMeanwhile } from './work/sweep.ts';
import { deliverMeanwhile } from './work/webhook-deliveries.ts';
import { answerMetrics, metricsOfWorkers, runWorkers } from './workers.ts';
import { requireWritable } from './writable-places.ts';

/**
 * Milliseconds after which a feed skips a missing position. Functions use `FEED_PATIENCE`, but
 * servers are rarely frozen, unlike functions. A server with its own database stores a message in
 * the same turn in which it reserves the position.
 */
const gapPatience = 2_000;
const gapPatienceAlone = 1_000;

/**
 * Prepares the database and serves until a signal ends it, in this process or in several workers.
 */
export async function serve(settings: Settings & { server: string | undefined; aloneSince: Date | undefined }): Promise<void> {
  closeGapsAfter(settings.aloneSince ? gapPatienceAlone : gapPatience);
  serveAloneSince(settings.aloneSince);
  if (cluster.isWorker) {
    answerMetrics();
    closeOnSignal(await start({ ...settings, relay: relayOfWorker() }), settings);
    return;
  }
  for (const sentence of misspelledSettings(process.env)) process.stderr.write(`${sentence}\n`);
  await requirePlaces(settings);
  await prepareDatabase();
  logState(await readFileState());
  const beginning = await findBeginning();
  if (settings.workers > 1) {
    await closeDatabase();
    const port = await runWorkers(settings.workers);
    await startMetrics(settings, metricsOfWorkers);
    announce(settings.host, port, beginning);
    return;
  }
  const server = await start(settings);
  closeOnSignal(server, settings);
  await startMetrics(settings, async () => {
    await refreshFileState();
    return [snapshot()];
  });
  announce(settings.host, server.port, beginning);
}

/** Requires that the directories of files and backups can be written. */
async function requirePlaces({ backup }: Settings): Promise<void> {
  const { directory } = config.files;
  if (directory !== '') await requireWritable('FILES', directory);
  if (backup) await requireWritable('--backup-dir or BACKUP_DIR', backup.directory);
}

async function findBeginning(): Promise<Beginning> {
  const hasAdministrator = (await countAdministrators()) > 0;
  if (hasAdministrator) return { hasAdministrator, setupCode: undefined };
  try {
    return { hasAdministrator, setupCode: await createSetupCode() };
  } catch (error) {
    return { hasAdministrator, setupCode: undefined, setupRefusal: explainFailure(error) };
  }
}

const start = (settings: Parameters<typeof startServer>[0]): Promise<Server> =>
  explained(settings.host, settings.port, '--port or HTTP_PORT', () => startServer(settings, loadRoutes({ loadsOthers: true })));

async function startMetrics({ host, metricsPort }: Settings, gather: () => Promise<Snapshot[]>): Promise<void> {
  if (metricsPort === undefined) return;
  await explained(host, metricsPort, '--metrics-port or METRICS_PORT', () => serveMetrics(host, metricsPort, gather));
}

/** Listens. If that fails, the error names the setting to change. */
async function explained<T>(host: string, port: number, setting: string, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new Error(`Port ${port} is taken: end what uses it, or set ${setting} to another.`);
    if (code === 'EACCES') throw new Error(`Port ${port} is not open to this account: set ${setting} to one from 1024 on.`);
    if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL' || code === 'EAI_AGAIN')
      throw new Error(
        `'${host}' is not an address of this machine. Set --host or HTTP_HOST to one of its addresses, or to 0.0.0.0 for all.`,
      );
    throw error;
  }
}

/**
 * Closes the server on a signal: after the running requests have finished, or their 10 seconds are
 * over.
 */
function closeOnSignal(server: Server, { backup }: Settings): void {
  // One worker is enough for the background work.
  const isFirst = !cluster.isWorker || cluster.worker?.id === 1;
  const filling = isFirst ? [fillBeginningsMeanwhile(), fillWordsMeanwhile()] : [];
  const sweep = isFirst ? sweepMeanwhile() : undefined;
  const pushes = pushMeanwhile({ isFirst });
  const digests = isFirst ? sendDigestsMeanwhile() : undefined;
  const streams = isFirst ? interruptStreamsMeanwhile() : undefined;
  const deliveries = deliverMeanwhile({ isFirst });
  const watch = isFirst ? watchFile() : undefined;
  const backups = isFirst && backup ? scheduleBackups(backup) : undefined;
  onEnd(async () => {
    setTimeout(() => process.exit(1), 15_000).unref();
    sweep?.end();
    watch?.end();
    backups?.end();
    await server.close();
    await Promise.all(filling.map(({ end }) => end()));
    await Promise.all([pushes.end(), deliveries.end(), digests?.end(), streams?.end(), storeLive()]);
    await closeDatabase();
    process.exit(0);
  });
}

function announce(host: string, port: number, beginning: Beginning): void {
  log('info', 'started', { version: manifest.version, host, port, process: process.pid });
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const isOpen = config.registration === 'open';
  process.stderr.write(
    announcement(url, beginning) +
      (isOpen ? 'Anyone who reaches this address can sign up; REGISTRATION=invited or closed changes that.\n' : ''),
  );
}
