// For the processes that tests start.
import '../../hosts/server/compile-cache.js';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launchDatabase } from 'embedded-mongodb/launch';
import { MongoClient } from 'mongodb';
import type { TestProject } from 'vitest/node';
import { buildIfStale } from '../../packages/web/build.ts';
import { explainMissingBrowser } from '../../tools/harness/browser.ts';
import { startMailServer } from '../../tools/harness/mail-server.ts';
import { commands, startService } from '../../tools/harness/service.ts';
import { emptyDatabase } from './empty-database.ts';
import { mailFile } from './mail-file.ts';
import { isFastAlone } from './projects.ts';

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended from here
  interface ProvidedContext {
    environment: Record<string, string>;
    /** Where the service runs under serverless-offline; empty where the fast tests run alone. */
    baseUrl: string;
    /** Where the production server runs. */
    serveUrl: string;
    /** Whether the database is the embedded one. */
    isEmbedded: boolean;
    /** Where the embedded database keeps its data; empty for another database. */
    dataDir: string;
    /** A directory of the embedded database that has the indexes and no data. */
    emptyDataDir: string;
    /** Where the e-mails are that the service has sent. */
    mailDir: string;
    /** Why no browser can run here; empty if one can. */
    missingBrowser: string;
  }
}

/** Starts a database once for all tests, unless `MONGODB_URI` names one, and the service as `npm start` and `npm run serve` do. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildIfStale();
  // For all that tests, and the processes that they start, write.
  const temporary = await mkdtemp(join(await temporaryDirectory(), 'chat-test-'));
  process.env.TMPDIR = temporary;
  // Also after Ctrl-C: what is in memory stays there until the machine ends.
  process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
  const directory = join(temporary, 'data');
  const isEmbedded = !process.env.MONGODB_URI;
  const mailDir = join(directory, 'mail');
  await mkdir(mailDir, { recursive: true });
  const mail = await startMailServer(async (to, source) => {
    await writeFile(join(mailDir, `${mailFile(to.join())} ${randomBytes(6).toString('hex')}`), source);
  });
  const names = { MONGODB_DATABASE: `chat_test_${randomBytes(6).toString('hex')}` };
  const emptyDataDir = join(temporary, 'empty');
  const embedded = isEmbedded ? await launchDatabase({ dataDir: directory }) : undefined;
  const environment = {
    ...names,
    MONGODB_URI: embedded?.uri ?? process.env.MONGODB_URI ?? '',
    BCRYPT_COST: '4',
    // A test file sends many concurrent requests through one process.
    MONGODB_POOL_SIZE: '20',
    LOG_LEVEL: 'silent',
    FILES: join(directory, 'files'),
    AUDIT_LOG: join(directory, 'audit.log'),
    // A test file makes as many requests as it can; what limits them is tested by itself.
    RATE_LIMITS: 'off',
    SMTP_URL: mail.url,
    MAIL_FROM: 'Chat <chat@example.org>',
    SECRET_KEY: 'ab'.repeat(32),
    PUBLIC_URL: 'https://chat.example.org',
  };
  const [emulated, served, missingBrowser] = await Promise.all([
    isFastAlone(project.vitest) ? undefined : startService(environment),
    startService(environment, commands.serve),
    explainMissingBrowser(),
    prepareDirectory(emptyDataDir, names),
    // The embedded database plans the same whatever it holds.
    isEmbedded || createIndexes({ ...environment, MONGODB_DATABASE: emptyDatabase(environment) }),
  ]);
  if (missingBrowser && !process.env.CI) process.stderr.write(`The browser's tests are skipped: ${missingBrowser}\n`);
  project.provide('environment', environment);
  project.provide('baseUrl', emulated?.url ?? '');
  project.provide('serveUrl', served.url);
  project.provide('missingBrowser', missingBrowser ?? '');
  project.provide('isEmbedded', isEmbedded);
  project.provide('emptyDataDir', emptyDataDir);
  project.provide('mailDir', mailDir);
  project.provide('dataDir', embedded ? directory : '');

  return async () => {
    await Promise.all([emulated?.stop(), served.stop()]);
    await mail.close();
    const client = new MongoClient(environment.MONGODB_URI);
    await client.db(environment.MONGODB_DATABASE).dropDatabase();
    await client.db(emptyDatabase(environment)).dropDatabase();
    await client.close();
    await embedded?.close();
  };
}

/** Makes a directory of the embedded database with the indexes of the service. */
async function prepareDirectory(dataDir: string, names: Record<string, string>): Promise<void> {
  const { uri, close } = await launchDatabase({ dataDir });
  await createIndexes({ ...names, MONGODB_URI: uri });
  await close();
}

async function createIndexes(environment: Record<string, string>): Promise<void> {
  const env = { ...process.env, ...environment };
  await promisify(execFile)('node', ['admin/main.ts', 'database', 'check', '--json'], { env });
}

/** A directory in memory where there is enough of it, because to sync to a disk takes a test milliseconds with each write; or on a disk. */
async function temporaryDirectory(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= enough ? memory : tmpdir();
}

const memory = '/dev/shm';
const enough = 8 * 2 ** 30;
