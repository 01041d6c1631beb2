import { parseArgs } from 'node:util';
import { portOf } from '../src/protocol/address.ts';
import { startDatabase } from '../src/server.ts';
import type { DatabaseStartError } from '../src/storage/file/start-error.ts';

/*
 * Runs the database as a process:
 * `node packages/embedded-mongodb/bin/serve.ts --data-dir DIR [--port PORT]`.
 */

// Files are private to the owner.
process.umask(0o077);

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    port: { type: 'string' },
  },
});

try {
  const { 'data-dir': dataDir, port } = values;
  if (dataDir === undefined) throw new Error('The option --data-dir is missing.');
  const database = await startDatabase({ dataDir, port: portOf(port) });
  const stop = async () => {
    await database.close();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The parent has ended, perhaps killed.
  process.on('disconnect', stop);
  if (process.send === undefined) console.log(database.uri);
  else process.send({ ready: database.uri });
} catch (error) {
  const { message, code = 'FAILED' } = error as Partial<DatabaseStartError>;
  process.exitCode = 1;
  if (process.send === undefined) console.error(message);
  else process.send({ error: message, code }, () => process.disconnect());
}
