import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { launchDatabase } from 'embedded-mongodb/launch';
import { type Document, MongoClient, ObjectId } from 'mongodb';
import { fillSample } from '../../../tools/gallery/sample.ts';
import { commands, startService } from '../../../tools/harness/service.ts';

/**
 * Settings under which a service works on a data directory, and nothing limits how fast it is
 * filled.
 */
export const environmentOf = (dataDir: string): Record<string, string> => ({
  MONGODB_URI: '',
  MONGODB_DATABASE: 'chat',
  DATA_DIR: dataDir,
  FILES: join(dataDir, 'files'),
  AUDIT_LOG: '',
  BCRYPT_COST: '4',
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'error',
  SMTP_URL: '',
  PUBLIC_URL: '',
  SECRET_KEY: '',
});

/** A data directory to damage, and the token of an administrator of its service. */
export type Template = { readonly directory: string; readonly token: string };

/**
 * How a template is left: closed, or by a process that was killed while much was only in its log.
 */
export type TemplateEnd = 'closed' | 'killed';

const password = 'open sesame, please';

/**
 * Fills a data directory through the service with everything that people do, and more messages. It
 * leaves the directory in both states.
 */
export async function makeTemplates(place: string, messages: number): Promise<Record<TemplateEnd, Template>> {
  const directory = join(place, 'closed');
  const environment = environmentOf(directory);
  command(environment, `${password}\n`, 'user', 'create', 'ann', '--email', 'ann@example.org', '--admin', '--password-stdin');
  const token = command(environment, '', 'token', 'create', 'ann', '--name', 'harness').trim();
  const service = await startService(environment, commands.serve);
  const { room } = await fillSample(service.url, { username: 'ann', password, token });
  await service.stop();
  await addMessages(directory, room, messages);
  // So that the checksums of all pages are known.
  command(environment, '', 'database', 'check');
  const closed = { directory, token };
  const killed = { directory: join(place, 'killed'), token };
  copyTemplate(closed, killed.directory);
  await leaveLog(environmentOf(killed.directory), token, room);
  for (const { directory } of [closed, killed]) rmSync(join(directory, 'database.sock'), { force: true });
  return { closed, killed };
}

function command(environment: Record<string, string>, input: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('node', ['admin/main.ts', ...words], {
    env: { ...process.env, ...environment },
    input,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** Adds copies of the messages of a room at its end, each with places and an id of its own. */
async function addMessages(directory: string, roomId: string, count: number): Promise<void> {
  const { uri, close } = await launchDatabase({ dataDir: directory });
  const client = new MongoClient(uri);
  const db = client.db('chat');
  const room = new ObjectId(roomId);
  const { seq, message_count: counted } = (await db.collection('rooms').findOne({ _id: room })) as Document;
  const samples = await db
    .collection('messages')
    .find({ room, thread: null, deleted_at: null, files: { $exists: false } })
    .toArray();
  const copies = Array.from({ length: count }, (_, at): Document => {
    const { idempotency_key, request_hash, changed, ...sample } = samples[at % samples.length] as Document;
    return { ...sample, _id: new ObjectId(), seq: seq + at + 1, ordinal: counted + at + 1 };
  });
  for (let at = 0; at < count; at += 1_000) await db.collection('messages').insertMany(copies.slice(at, at + 1_000));
  await db.collection('rooms').updateOne({ _id: room }, { $inc: { seq: count, message_count: count } });
  await client.close();
  await close();
}

/** Sends messages through a server that is then killed, so that they are only in its log. */
async function leaveLog(environment: Record<string, string>, token: string, room: string): Promise<void> {
  const service = await startService(environment, commands.serve);
  for (let n = 0; n < 40; n++) {
    const body = JSON.stringify({ room, text: `The log has message ${n}. ${'x'.repeat(40 * n)}` });
    const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': token };
    const response = await fetch(`${service.url}/api/messages`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
  }
  service.signal('SIGKILL');
  await service.ended;
}

/** Puts a fresh copy of a template into a directory. */
export const copyTemplate = ({ directory }: Pick<Template, 'directory'>, target: string): void =>
  copyDirectory(directory, target);

/**
 * Replaces a directory with a copy of another one. Unlike `cpSync`, `cp` does not write the holes
 * of large files.
 */
export function copyDirectory(source: string, target: string): void {
  rmSync(target, { recursive: true, force: true });
  const { status, stderr } = spawnSync('cp', ['-a', source, target], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
