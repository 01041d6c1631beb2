import { Agent, request } from 'node:http';
import { Writable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { type RunningDatabase, startDatabase } from 'embedded-mongodb';
import type { Command, Options } from '../../../admin/command.ts';
import { run } from '../../../admin/run.ts';

/*
 * Runs the service and its commands on many data directories, one after the other, in one process.
 * All directories have the same path. The database is within the process, as in `npm run serve`.
 * The parent process kills this one after a limit.
 */

/**
 * A command of the command line, a short run of the server, or an export of the readable documents
 * into a file.
 */
export type Job =
  | { readonly run: readonly string[] }
  | { readonly serve: { readonly token: string } }
  | { readonly rescue: string };

/** How it ended, and what it said. */
export type JobResult = { readonly code: number; readonly said: string; readonly crash?: string };

const dataDir = process.env.DATA_DIR ?? '';
let running: RunningDatabase | undefined;
let within: ReturnType<RunningDatabase['connect']> | undefined;
// Nothing that is remembered of one database may be taken for the state of the next one.
let round = 0;

const { callDirectly } = await import('../../../lib/database/direct-calls.ts');

async function open(): Promise<void> {
  running = await startDatabase({ dataDir });
  within = running.connect();
  round += 1e9;
}

async function close(): Promise<void> {
  const { storeNotes } = await import('../../../lib/rooms/notes.ts');
  await storeNotes().catch(() => {});
  await running?.close();
  running = undefined;
  within = undefined;
}

/** Does some work with the database open, which is closed in any case. */
async function withDatabase<T>(command: Pick<Command, 'takesDamaged'>, work: () => Promise<T>): Promise<T> {
  await open();
  try {
    if (!command.takesDamaged) await (await import('../../../lib/operating/prepare.ts')).prepareDatabase();
    return await work();
  } finally {
    await close();
  }
}

async function runCommand(words: readonly string[]): Promise<JobResult> {
  let said = '';
  const collect = () =>
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        said += chunk;
        done();
      },
    });
  const streams = { stdin: process.stdin, stdout: collect(), stderr: collect() };
  const code = await run([...words], streams as never, (command, work, _options: Options) => withDatabase(command, work));
  return { code, said };
}

/** Asks a server for what people see, and has it store something. */
async function serve(token: string): Promise<JobResult> {
  return withDatabase({}, async () => {
    const { startServer } = await import('../../../hosts/server/server.ts');
    const { countAdministrators } = await import('../../../lib/accounts/last-admin.ts');
    await countAdministrators();
    const server = await startServer({ host: '127.0.0.1', port: 0, maxConnections: 100, trustProxy: 0, presence: false });
    const statuses: string[] = [];
    // A server waits two seconds for a connection that is kept alive.
    const agent = new Agent({ keepAlive: true });
    const ask = async (path: string, body?: object) => {
      const { status, text } = await call(`http://127.0.0.1:${server.port}${path}`, token, agent, body);
      statuses.push(`${path.replaceAll(/[0-9a-f]{24}/g, '<id>')} ${status}${status >= 500 ? ` ${text}` : ''}`);
      return status < 300 ? JSON.parse(text) : undefined;
    };
    try {
      await ask('/api/health');
      const rooms = ((await ask('/api/rooms')) ?? []) as { _id: { $oid: string } }[];
      for (const path of [
        '/api/users',
        '/api/users/me',
        '/api/overview',
        '/api/threads',
        '/api/notifications',
        '/api/saved',
        '/api/audit',
        '/api/bots',
      ])
        await ask(path);
      for (const { _id } of rooms.slice(0, 6))
        for (const path of ['messages', 'events', 'members']) await ask(`/api/${path}?room=${_id.$oid}`);
      await ask('/api/messages?q=tomatoes');
      if (rooms[0]) await ask('/api/messages', { room: rooms[0]._id.$oid, text: 'Is anybody there?' });
      return { code: 0, said: statuses.join('\n') };
    } finally {
      agent.destroy();
      await server.close();
    }
  });
}

function call(url: string, token: string, agent: Agent, body?: object): Promise<{ status: number; text: string }> {
  const headers = { 'X-Auth-Token': token, Accept: 'application/json', 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body ? 'POST' : 'GET', headers, agent }, async (response) =>
      resolve({ status: response.statusCode ?? 0, text: await readText(response) }),
    );
    sent.once('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function rescue(file: string): Promise<JobResult> {
  const { openRescue } = await import('embedded-mongodb/rescue');
  const { leftoversOf } = await import('../../../lib/database/leftovers.ts');
  const { exportTo } = await import('../../../lib/database/export-import.ts');
  const { collectionNames, expectedIndexes } = await import('../../../lib/operating/prepare.ts');
  const leftovers = leftoversOf(openRescue(dataDir, { db: 'chat', indexes: expectedIndexes }), 'chat');
  try {
    await exportTo(file, { collections: collectionNames, progress: () => {}, source: leftovers });
    return { code: 0, said: leftovers.losses().join('\n') };
  } finally {
    leftovers.close();
  }
}

function carryOut(job: Job): Promise<JobResult> {
  if ('run' in job) return runCommand(job.run);
  return 'serve' in job ? serve(job.serve.token) : rescue(job.rescue);
}

process.on('message', async (job: Job) => {
  try {
    process.send?.(await carryOut(job));
  } catch (error) {
    process.send?.({ code: 1, said: (error as Error).message } satisfies JobResult);
  }
});
process.on('disconnect', () => process.exit(0));
const crash = (error: unknown) => {
  const text = error instanceof Error ? error.stack : String(error);
  process.send?.({ code: -1, said: '', crash: text ?? '' } satisfies JobResult, () => process.exit(1));
};
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

// The driver connects once; from then on its operations go to the database that is open.
await open();
const { client } = await import('../../../lib/database/client.ts');
await client.connect();
callDirectly({
  address: (running as unknown as RunningDatabase).connect().address,
  call: (message) => {
    if (within === undefined) throw new Error('The database is not open.');
    return within.call(message);
  },
  lastChange: (db, collection) => {
    const change = within?.lastChange(db, collection);
    return change === undefined ? undefined : change + round;
  },
});
await import('../../../hosts/server/server.ts');
await close();
process.send?.({ code: 0, said: 'ready' } satisfies JobResult);
