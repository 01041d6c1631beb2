import { parseArgs } from 'node:util';
import { startDatabase } from '../src/server.ts';
import type { DatabaseStartError } from '../src/storage/start-error.ts';

/* The database as a process of its own: `node packages/embedded-mongodb/bin/serve.ts --data-dir DIR --port PORT [--host HOST]`. */

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    port: { type: 'string', default: '27027' },
    host: { type: 'string', default: '127.0.0.1' },
  },
});

try {
  const { 'data-dir': dataDir, port, host } = values;
  if (dataDir === undefined) throw new Error('The option --data-dir is missing.');
  const database = await startDatabase({ dataDir, port: Number(port), host });
  const stop = async () => {
    await database.close();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The parent is gone, also if it was killed.
  process.on('disconnect', stop);
  if (process.send === undefined) console.log(database.uri);
  else process.send({ ready: database.uri });
} catch (error) {
  const { message, code = 'FAILED' } = error as Partial<DatabaseStartError>;
  process.exitCode = 1;
  if (process.send === undefined) console.error(message);
  else process.send({ error: message, code }, () => process.disconnect());
}
