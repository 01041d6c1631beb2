import type { ArchiveFile, LeftOut, Source, SourceMessage, SourceRoom, UsernameOf } from 'chat-service-import/source';
import { forgetDayCounts } from '../messages/daily-counts.ts';
import { writeBatch } from './batches.ts';
import { beginImport } from './import-records.ts';
import { recordOf } from './new-rooms.ts';
import { People } from './people.ts';
import { openTarget } from './rooms.ts';
import { type LeaveOut, type Report, Tally } from './tally.ts';
import type { UsernameMap } from './username-map.ts';
import type { Run } from './writing.ts';

/*
 * Imports another chat: first its people, then its rooms, each with its messages in order. Ids are
 * derived from the source, and a record that exists already stays unchanged. A room becomes visible
 * when all its messages are stored.
 */

export type ImportOptions = {
  /** Distinguishes the ids of this archive from those of another workspace. */
  workspace: string;
  isDryRun: boolean;
  /** If true, a person with the e-mail address of an account is mapped to it. */
  mapsByEmail: boolean;
  /** The usernames that the operator has chosen. */
  usernames?: UsernameMap | undefined;
  /** If true, an incomplete archive is imported as far as possible. */
  takesIncomplete?: boolean;
  leaveOut: LeaveOut;
  /** Called after each batch. */
  progress: (done: number, all: number) => void;
};

/** Imports everything from a source, or counts it in a dry run. */
export async function importFromSource(source: Source, options: ImportOptions): Promise<Report> {
  const { workspace, isDryRun, mapsByEmail, usernames, leaveOut, progress } = options;
  if (source.cutOff !== undefined && !options.takesIncomplete)
    throw new Error(`The archive is incomplete: ${source.cutOff}. Export it again, or pass --incomplete to import what it has.`);
  const tally = new Tally(leaveOut);
  const { _id: importId, ids, roomIds } = await beginImport(source.name, workspace, isDryRun);
  const people = new People({ source: source.name, importId, ids, tally, isDryRun, mapsByEmail, usernames });
  let count = 0;
  for await (const person of source.people()) {
    await people.add(person);
    count++;
  }
  if (count === 0 && source.progress().all > 0) throw new Error(nobody);
  const run: ReadingRun = {
    ...{ importId, ids, roomIds, people, tally, isDryRun },
    usernameOf: (id) => people.get(id)?.username,
    progress: () => progress(source.progress().done, source.progress().all),
  };
  for await (const room of source.rooms()) {
    await importRoom(room, run);
    run.progress();
  }
  for (const item of source.unreadable?.() ?? []) leaveOutItem(item, run);
  for (const part of source.unread?.() ?? []) leaveOutItem({ leftOut: groupOf(part), kind: 'parts', raw: part }, run);
  if (usernames && usernames.unused > 0) tally.note('lines of the file with usernames that name nobody', usernames.unused);
  return tally.report();
}

const nobody =
  'The archive contains messages but no people, so all authors would become accounts without names that nobody can use. Export it again, including its people.';

/** The reason why a file of the archive is left out: no reader handles its folder or its type. */
function groupOf({ name }: ArchiveFile): string {
  const [folder = '', ...rest] = name.split('/');
  const kind = rest.length === 0 ? folder : `${folder}/…${/\.[a-z]{1,8}$/i.exec(name)?.[0] ?? ''}`;
  return `not read: ${kind}`;
}

type ReadingRun = Run & { usernameOf: UsernameOf; progress: () => void };

/** How many messages are written together: few enough not to delay other calls. */
const batchSize = 250;

async function importRoom(room: SourceRoom, run: ReadingRun): Promise<void> {
  const { tally } = run;
  tally.read('rooms');
  const target = room.leftOut === undefined ? await openTarget(room, run) : { refusal: room.leftOut };
  if ('refusal' in target) {
    tally.leaveOut('rooms', target.refusal, recordOf(room));
    await leaveOutMessages(room, target.refusal, run);
    return;
  }
  if (room.note !== undefined) tally.note(room.note);
  const { keepsFrom } = target.room;
  let batch: SourceMessage[] = [];
  const flush = async () => {
    await writeBatch(batch, { ...run, room: target.room });
    batch = [];
    run.progress();
  };
  for await (const item of room.messages(run.usernameOf)) {
    if ('leftOut' in item) leaveOutItem(item, run);
    else if (keepsFrom && item.at < keepsFrom) leaveOutMessage(item, tooOld, run);
    else if (batch.push(item) === batchSize) await flush();
  }
  if (batch.length > 0) await flush();
  await target.finish();
  // The days of its messages may be counted already.
  if (!run.isDryRun) await forgetDayCounts();
}

function leaveOutItem({ kind = 'messages', leftOut, raw }: LeftOut, { tally }: ReadingRun): void {
  tally.read(kind);
  tally.leaveOut(kind, leftOut, raw);
}

async function leaveOutMessages(room: SourceRoom, reason: string, run: ReadingRun): Promise<void> {
  for await (const item of room.messages(run.usernameOf))
    if ('leftOut' in item) leaveOutItem(item, run);
    else leaveOutMessage(item, `of a room that is left out: ${reason}`, run);
}

function leaveOutMessage({ raw, reactions, files }: SourceMessage, reason: string, { tally }: ReadingRun): void {
  tally.read('messages');
  tally.leaveOut('messages', reason, raw);
  tally.read('reactions', reactions.length);
  for (const reaction of reactions) tally.leaveOut('reactions', 'of a message that is left out', reaction);
  tally.read('files', files.length);
  for (const { id, name } of files) tally.leaveOut('files', 'of a message that is left out', { id, name });
}

/** The reason for messages that the service would delete immediately because of their age. */
export const tooOld = 'older than the room keeps messages (RETENTION_DAYS)';
