import type { ObjectId } from 'mongodb';
import manifest from '../../package.json' with { type: 'json' };
import { dateSchema, showDate } from '../api/extended-json.ts';
import { aCount, aText, aWord, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { describeError, log } from '../base/log.ts';
import { activities, activityDays } from '../collections/accounts/activities.ts';
import { users } from '../collections/accounts/users.ts';
import { fileQuotas } from '../collections/rooms/file-quotas.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { isEmbeddedDatabase, readFileState } from '../database/file-state.ts';
import { listBackups } from '../files/regular-backups.ts';
import { findStore } from '../files/store.ts';
import { countOff } from '../members/all-made.ts';
import { type CountedRoom, countDays, countedRoomFields, dayOf, readGeneration, startOfDay } from '../messages/daily-counts.ts';
import { messageCount } from '../rooms/counters.ts';
import { config, isOnLambda } from '../settings/config.ts';

/** Problems for the operator, the most urgent first. */
const concerns = [
  'database_read_only',
  'database_damaged',
  'database_incomplete',
  'backup_missing',
  'backup_late',
  'webhooks_off',
  'public_url_missing',
  'mail_off',
  'files_off',
] as const;
type Concern = (typeof concerns)[number];

/** The most items of a kind that are counted. */
const most = 10_000;

/** The number of days whose messages and active users are counted. */
const mostDays = activityDays;

/** The state of the service. */
export const overviewSchema = record('Overview', {
  version: described('The version of the service.', aText),
  started_at: described('Since when the process that answers runs; null on AWS.', orNull(dateSchema)),
  people: described('The number of accounts that are not deleted, at most 10,000.', aCount),
  rooms: described('The number of rooms, among at most 5,000 rooms and conversations.', aCount),
  conversations: described('The number of direct conversations, among at most 5,000 rooms and conversations.', aCount),
  messages: described(
    'The number of messages in them, including deleted ones, without replies that are only in threads.',
    aCount,
  ),
  today: described('The current day in UTC, such as `2026-11-21`.', aText),
  messages_by_day: described(
    'The messages of each of the last 30 days (UTC), today last; null for a day that is not counted yet. The number of a past day never changes, even if a room is deleted.',
    listOf(orNull(aCount)),
  ),
  active_today: described(
    'The number of people who used the service in a session today, by UTC and to the hour, at most 10,000.',
    aCount,
  ),
  active_7_days: described('The number of people who did so today or in the 6 days before.', aCount),
  active_30_days: described('The number of people who did so today or in the 29 days before.', aCount),
  file_bytes: described('The size of all files, in bytes.', aCount),
  file_bytes_limit: described('How large all files may be together, in bytes.', aCount),
  webhooks_off: described('The number of outgoing webhooks, also of bots, that are switched off, at most 10,000.', aCount),
  backup_at: described(
    'The start of the last regular backup; null without one, or if backups are made elsewhere.',
    orNull(dateSchema),
  ),
  database_problem: described('The problem of the database file or its log; null without a problem.', orNull(aText)),
  attention: described('The things that need attention, most urgent first.', listOf(aWord(...concerns))),
});

/** Counts the service's contents and finds problems. Each count is bounded. */
export async function readOverview(): Promise<Shown<typeof overviewSchema>> {
  const now = Date.now();
  const countActive = (days: number) => activities.countDocuments({ at: { $gte: startOfDay(now, days - 1) } }, { limit: most });
  // The generation must be read before the rooms.
  const generation = await readGeneration();
  const [{ damage, dropped, isIncomplete, readOnly }, people, { active, ...counted }, files, webhooksOff, ...activeIn] =
    await Promise.all([
      readFileState(),
      users.countDocuments({ username: { $gt: '' }, is_bot: { $exists: false } }, { limit: most }),
      countRooms(startOfDay(now, mostDays - 1)),
      fileQuotas.findOne({ _id: 'service' }, { projection: { bytes: 1 } }),
      countOff(most),
      countActive(1),
      countActive(7),
      countActive(mostDays),
    ]);
  const days = await countDays(active, mostDays, generation, { now, until: performance.now() + enoughMs });
  const backupAt = await findBackup();
  const isTrue: Record<Concern, boolean> = {
    database_read_only: readOnly !== undefined,
    database_damaged: damage !== undefined,
    database_incomplete: isIncomplete === true,
    backup_missing: isEmbeddedDatabase() && config.backups.directory === '',
    backup_late: isLate(backupAt),
    webhooks_off: webhooksOff > 0,
    public_url_missing: config.publicUrl === '',
    mail_off: config.smtpUrl === '',
    files_off: findStore() === undefined,
  };
  return {
    version: manifest.version,
    started_at: isOnLambda ? null : showDate(new Date(performance.timeOrigin)),
    people,
    ...counted,
    today: dayOf(new Date(now)),
    messages_by_day: days.map(({ messages }) => messages),
    active_today: activeIn[0],
    active_7_days: activeIn[1],
    active_30_days: activeIn[2],
    file_bytes: files?.bytes ?? 0,
    file_bytes_limit: config.files.inAll,
    webhooks_off: webhooksOff,
    backup_at: backupAt === undefined ? null : showDate(new Date(backupAt)),
    database_problem: readOnly ?? damage ?? (isIncomplete ? dropped : undefined) ?? null,
    attention: concerns.filter((concern) => isTrue[concern]),
  };
}

/** The most rooms that are read, and the number per read, so that other requests do not wait. */
const mostRooms = 5_000;
const chunkSize = 500;

/** Milliseconds until counting stops. The next call counts the remaining days. */
const enoughMs = 2_000;

type ListedRoom = CountedRoom & Pick<RoomDocument, 'is_direct'>;

/** Counts the rooms and their messages. `active` are the rooms with messages since a time. */
async function countRooms(since: Date) {
  const counted = { rooms: 0, conversations: 0, messages: 0, active: [] as CountedRoom[] };
  const options = {
    projection: { ...countedRoomFields, is_direct: 1 },
    sort: { _id: 1 as const },
    limit: chunkSize,
    batchSize: chunkSize + 1,
  };
  let last: ObjectId | undefined;
  for (let lookedAt = 0; lookedAt < mostRooms; lookedAt += chunkSize) {
    const chunk = await rooms.find<ListedRoom>(last ? { _id: { $gt: last } } : {}, options).toArray();
    for (const room of chunk) {
      counted[room.is_direct ? 'conversations' : 'rooms']++;
      counted.messages += messageCount(room);
      if (room.last_message_at !== null && room.last_message_at >= since) counted.active.push(room);
    }
    if (chunk.length < chunkSize) break;
    last = chunk.at(-1)?._id;
  }
  return counted;
}

/** The time when the last regular backup started, in milliseconds since 1970. */
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

/**
 * A backup takes time, and a failed one is retried. So it is late only when the next one is due as
 * well.
 */
function isLate(backupAt: number | undefined): boolean {
  const { directory, every } = config.backups;
  const since = backupAt ?? performance.timeOrigin;
  return directory !== '' && Date.now() - since > 2 * every;
}
