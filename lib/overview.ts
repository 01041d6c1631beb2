import type { ObjectId } from 'mongodb';
import manifest from '../package.json' with { type: 'json' };
import { dateSchema, showDate } from './api/extended-json.ts';
import { aCount, aText, aWord, described, listOf, orNull, record, type Shown } from './api/schema.ts';
import { fileQuotas } from './collections/file-quotas.ts';
import { type RoomDocument, rooms } from './collections/rooms.ts';
import { users } from './collections/users.ts';
import { webhookStates } from './collections/webhook-states.ts';
import { config, isOnLambda } from './config.ts';
import { isEmbeddedDatabase, readFileState } from './database/file-state.ts';
import { listBackups } from './files/regular-backups.ts';
import { store } from './files/store.ts';
import { describeError, log } from './log.ts';
import { counterFields, messageCount } from './rooms/counters.ts';

/** What an operator should look at, the most urgent first. */
const concerns = [
  'database_read_only',
  'database_damaged',
  'backup_missing',
  'backup_late',
  'webhooks_off',
  'public_url_missing',
  'mail_off',
  'files_off',
] as const;
type Concern = (typeof concerns)[number];

/** So many things of a kind are counted. */
const most = 10_000;

/** How the service is. */
export const overviewSchema = record('Overview', {
  version: described('The version of the service.', aText),
  started_at: described('Since when the process that answers runs; null on AWS.', orNull(dateSchema)),
  people: described('The number of accounts that are not deleted, at most 10,000.', aCount),
  rooms: described('The number of rooms, among at most 5,000 rooms and conversations.', aCount),
  conversations: described('The number of direct conversations, among at most 5,000 rooms and conversations.', aCount),
  messages: described('The number of messages in them, including deleted ones.', aCount),
  file_bytes: described('The size of all files, in bytes.', aCount),
  file_bytes_limit: described('How large all files may be together, in bytes.', aCount),
  webhooks_off: described('The number of outgoing webhooks that are switched off, at most 10,000.', aCount),
  backup_at: described(
    'When the last regular backup was begun; null if there is none, or they are made elsewhere.',
    orNull(dateSchema),
  ),
  database_problem: described('What is wrong with the file of the database; null if nothing is.', orNull(aText)),
  attention: described('What needs attention, the most urgent first.', listOf(aWord(...concerns))),
});

/** Counts what there is, and finds what needs attention; every count is bounded. */
export async function readOverview(): Promise<Shown<typeof overviewSchema>> {
  const [{ damage, readOnly }, people, counted, files, webhooksOff] = await Promise.all([
    readFileState(),
    users.countDocuments({ username: { $gt: '' }, is_bot: { $exists: false } }, { limit: most }),
    countRooms(),
    fileQuotas.findOne({ _id: 'service' }, { projection: { bytes: 1 } }),
    webhookStates.countDocuments({ disabled_at: { $gt: new Date(0) } }, { limit: most }),
  ]);
  const backupAt = await findBackup();
  const isTrue: Record<Concern, boolean> = {
    database_read_only: readOnly !== undefined,
    database_damaged: damage !== undefined,
    backup_missing: isEmbeddedDatabase() && config.backups.directory === '',
    backup_late: isLate(backupAt),
    webhooks_off: webhooksOff > 0,
    public_url_missing: config.publicUrl === '',
    mail_off: config.smtpUrl === '',
    files_off: store === undefined,
  };
  return {
    version: manifest.version,
    started_at: isOnLambda ? null : showDate(new Date(performance.timeOrigin)),
    people,
    ...counted,
    file_bytes: files?.bytes ?? 0,
    file_bytes_limit: config.files.inAll,
    webhooks_off: webhooksOff,
    backup_at: backupAt === undefined ? null : showDate(new Date(backupAt)),
    database_problem: readOnly ?? damage ?? null,
    attention: concerns.filter((concern) => isTrue[concern]),
  };
}

/** So many rooms are looked at, so many at a time, for others not to wait. */
const mostRooms = 5_000;
const chunkSize = 500;

type CountedRoom = Pick<RoomDocument, 'is_direct' | 'message_count' | 'lost_count'> & { _id: ObjectId };

async function countRooms(): Promise<{ rooms: number; conversations: number; messages: number }> {
  const counted = { rooms: 0, conversations: 0, messages: 0 };
  const options = {
    projection: { ...counterFields, is_direct: 1 },
    sort: { _id: 1 as const },
    limit: chunkSize,
    batchSize: chunkSize + 1,
  };
  let last: ObjectId | undefined;
  for (let lookedAt = 0; lookedAt < mostRooms; lookedAt += chunkSize) {
    const chunk = await rooms.find<CountedRoom>(last ? { _id: { $gt: last } } : {}, options).toArray();
    for (const room of chunk) {
      counted[room.is_direct ? 'conversations' : 'rooms']++;
      counted.messages += messageCount(room);
    }
    if (chunk.length < chunkSize) break;
    last = chunk.at(-1)?._id;
  }
  return counted;
}

/** When the last regular backup was begun, in milliseconds since 1970. */
async function findBackup(): Promise<number | undefined> {
  const { directory } = config.backups;
  if (directory === '') return undefined;
  try {
    return (await listBackups(directory)).filter(({ at }) => at <= Date.now()).at(-1)?.at;
  } catch (error) {
    log('error', 'backups could not be listed', { error: describeError(error) });
    return undefined;
  }
}

/** A backup takes its time, and one that failed is tried again: it is late when the next one is due as well. */
function isLate(backupAt: number | undefined): boolean {
  const { directory, every } = config.backups;
  const since = backupAt ?? performance.timeOrigin;
  return directory !== '' && Date.now() - since > 2 * every;
}
