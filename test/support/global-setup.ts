// For the processes that tests start.
import '../../hosts/server/compile-cache.js';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../../packages/web/build.ts';
import { servicesFile } from './services-file.ts';

/**
 * Prepares the things that workers share: the page, a directory and the name of a database. Workers
 * start the rest on first use.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await buildIfStale();
  const temporary = await mkdtemp(join(await temporaryDirectory(), 'chat-test-'));
  process.env.TMPDIR = temporary;
  // Also after Ctrl-C: files in memory would remain until the machine restarts.
  process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
  process.env.MONGODB_DATABASE = `chat_test_${randomBytes(6).toString('hex')}`;

  return async () => {
    endServices();
    if (process.env.MONGODB_URI) await dropDatabases(process.env.MONGODB_URI, process.env.MONGODB_DATABASE ?? '');
  };
}

/** Ends the services that workers have started, because a killed worker cannot end them. */
function endServices(): void {
  if (!existsSync(servicesFile())) return;
  for (const pid of readFileSync(servicesFile(), 'utf8').split('\n').filter(Boolean)) {
    try {
      // Each of them leads a process group.
      process.kill(-Number(pid), 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

/**
 * Drops the database of the run, and those of single test files, whose names begin with its name.
 */
async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(uri);
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
  await client.close();
}

/**
 * A directory in memory if that is large enough, otherwise on disk. Each write that is synced to a
 * disk takes milliseconds.
 */
async function temporaryDirectory(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= enough ? memory : tmpdir();
}

const memory = '/dev/shm';
const enough = 8 * 2 ** 30;
