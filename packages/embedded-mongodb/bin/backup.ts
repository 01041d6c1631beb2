import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Int32 } from 'bson';
import { ask } from '../src/protocol/ask.ts';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import { readHolder } from '../src/storage/file/holder.ts';
import type { Value } from '../src/values/value.ts';

/*
 * Copies a database consistently:
 * `node packages/embedded-mongodb/bin/backup.ts DATA_DIR|URI TARGET`. A running database makes the
 * copy itself and keeps working. The target directory must not exist; only its owner can read the
 * copy.
 */

process.umask(0o077);

const [source, target] = process.argv.slice(2);

try {
  if (source === undefined || target === undefined)
    throw new Error('Usage: node packages/embedded-mongodb/bin/backup.ts DATA_DIR|URI TARGET');
  const uri = source.startsWith('mongodb://') ? source : readHolder(source)?.uri;
  if (uri === undefined) await copyFiles(source, resolve(target));
  else await copyRunning(uri, resolve(target));
  console.log(`The database was copied into ${resolve(target)}.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function copyRunning(uri: string, directory: string): Promise<void> {
  const command = new Map<string, Value>([
    ['backup', new Int32(1)],
    ['directory', directory],
    ['$db', 'admin'],
  ]);
  const answer = await ask(uri, command);
  if (answer.has('errmsg')) throw new Error(String(answer.get('errmsg')));
}

async function copyFiles(dataDir: string, directory: string): Promise<void> {
  if (!existsSync(dataDir)) throw new Error(`No database found in ${dataDir}.`);
  const file = await openDatabaseFile(dataDir);
  try {
    await file.backup(directory);
  } finally {
    file.close();
  }
}
