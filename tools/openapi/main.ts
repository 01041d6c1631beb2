import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailServer } from '../harness/mail-server.ts';

const directory = await mkdtemp(join(tmpdir(), 'chat-walkthrough-'));
const mail = await startMailServer(() => undefined);

// The walkthrough needs an empty database, which is dropped afterwards. These variables must be set
// before the service is imported, because it reads its settings once.
Object.assign(process.env, {
  MONGODB_DATABASE: `chat_walkthrough_${randomBytes(6).toString('hex')}`,
  LOG_LEVEL: 'silent',
  BCRYPT_COST: '4',
  RATE_LIMITS: 'off',
  SMTP_URL: mail.url,
  MAIL_FROM: 'Chat <chat@example.org>',
  PUBLIC_URL: 'https://chat.example.org',
  FILES: directory,
  // Otherwise the overview would warn about missing backups, but only with the embedded database.
  BACKUP_DIR: directory,
  SECRET_KEY: 'ab'.repeat(32),
});

const { client, database } = await import('../../lib/database/client.ts');
const { ensureIndexes } = await import('../../lib/operating/prepare.ts');
const { makeFiles } = await import('./files.ts');

try {
  await ensureIndexes();
  const files = await makeFiles();
  process.exitCode = process.argv.includes('--check') ? await check(files) : await write(files);
} finally {
  await database.dropDatabase();
  await client.close();
  await mail.close();
  await rm(directory, { recursive: true });
}

async function write(files: Map<URL, string>): Promise<number> {
  for (const [file, content] of files) await writeFile(file, content);
  return 0;
}

async function check(files: Map<URL, string>): Promise<number> {
  const current = await Promise.all(
    [...files].map(async ([file, content]) => ({ file, isCurrent: (await readFile(file, 'utf8')) === content })),
  );
  const stale = current.filter(({ isCurrent }) => !isCurrent);
  for (const { file } of stale)
    process.stderr.write(`${file.pathname.split('/').slice(-2).join('/')} is stale: run 'npm run openapi'.\n`);
  return stale.length > 0 ? 1 : 0;
}
