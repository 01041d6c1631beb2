import { readHolder } from 'embedded-mongodb/holder';
import { commandsIn, type Service, startService } from '../harness/service.ts';
import { withDirectory } from './database.ts';
import { project, type Worker, withWorker } from './workers.ts';

/** Settings that exclude password hashing and rate limits from the measurement. */
export const unlimited = { BCRYPT_COST: '4', RATE_LIMITS: 'off' };

/**
 * Runs `use` with the production server of a checkout, which has its own database. `ask` runs tasks
 * on that database in a worker.
 */
export const withServer = <T>(
  settings: Record<string, string>,
  use: (service: Service, ask: Worker['ask']) => Promise<T>,
  checkout = project,
): Promise<T> =>
  withDirectory(async (directory) => {
    const database = { MONGODB_URI: '', MONGODB_DATABASE: 'chat', DATA_DIR: directory };
    // Requests are logged as usual, but the output is discarded.
    const command = ['sh', '-c', `exec ${commandsIn(checkout).serve.join(' ')} > /dev/null`];
    const service = await startService({ ...database, LOG_LEVEL: 'info', ...settings }, command, checkout);
    try {
      return await use(service, (task, ...input) =>
        withWorker(
          readHolder(directory)?.uri ?? '',
          (worker) => worker.ask(task, ...input),
          { MONGODB_DATABASE: 'chat', KEEP_DATABASE: '1' },
          checkout,
        ),
      );
    } finally {
      await service.stop();
    }
  });
