import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { launchDatabase } from '../launch.ts';
import { readHolder } from '../src/storage/file/holder.ts';
import { DatabaseStartError } from '../src/storage/file/start-error.ts';

/*
 * Runs a command with MONGODB_URI set:
 * `node packages/embedded-mongodb/bin/exec.ts COMMAND [ARGUMENT...]`. If MONGODB_URI is not set, it
 * uses the database that runs in DATA_DIR (default ./data), or starts one for the duration of the
 * command.
 */

const [command, ...args] = process.argv.slice(2);
const dataDir = process.env.DATA_DIR || './data';

try {
  if (command === undefined) throw new Error('Usage: node packages/embedded-mongodb/bin/exec.ts COMMAND [ARGUMENT...]');
  const uri = process.env.MONGODB_URI || readHolder(dataDir)?.uri;
  const database = uri === undefined ? await startOrJoin() : { uri };
  process.exitCode = await run(command, args, database.uri);
  await database.close?.();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/** Starts the database, or joins one that another command has started at the same time. */
async function startOrJoin(): Promise<{ readonly uri: string; close?(): Promise<void> }> {
  try {
    return await launchDatabase({ dataDir });
  } catch (error) {
    const holder = error instanceof DatabaseStartError && error.code === 'HELD' ? readHolder(dataDir) : undefined;
    if (holder === undefined) throw error;
    return holder;
  }
}

/**
 * Returns the command's exit code. If a signal ended it, that is 128 plus the signal's number, as
 * in shells.
 */
function run(command: string, args: readonly string[], uri: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, MONGODB_URI: uri } });
    const forward = (signal: NodeJS.Signals) => child.kill(signal);
    process.on('SIGTERM', forward);
    // The terminal sends Ctrl-C to the command as well. This process must wait for it to end.
    process.on('SIGINT', () => {});
    child.once('error', (error) => reject(new Error(`${command} could not be run: ${error.message}.`)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
