import { readHolder } from 'embedded-mongodb/holder';
import { commands, type Service, startService } from '../harness/service.ts';
import { withDirectory } from './database.ts';
import { type Worker, withWorker } from './workers.ts';

/** Settings with which neither hashing passwords nor the limits are measured. */
export const unlimited = { BCRYPT_COST: '4', RATE_LIMITS: 'off' };

/** Runs `use` with the production server, which has its own database, and with a way to ask workers for tasks on that. */
export const withServer = <T>(
  settings: Record<string, string>,
  use: (service: Service, ask: Worker['ask']) => Promise<T>,
): Promise<T> =>
  withDirectory(async (directory) => {
    const database = { MONGODB_URI: '', MONGODB_DATABASE: 'chat', DATA_DIR: directory };
    // One line per request is logged, as always, but discarded.
    const command = ['sh', '-c', `exec ${commands.serve.join(' ')} > /dev/null`];
    const service = await startService({ ...database, LOG_LEVEL: 'info', ...settings }, command);
    try {
      return await use(service, (task, ...input) =>
        withWorker(readHolder(directory)?.uri ?? '', (worker) => worker.ask(task, ...input), {
          MONGODB_DATABASE: 'chat',
          KEEP_DATABASE: '1',
        }),
      );
    } finally {
      await service.stop();
    }
  });
