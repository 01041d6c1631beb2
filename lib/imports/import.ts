import type { LeftOut, Source, SourceMessage, SourceRoom, UsernameOf } from 'chat-service-import/source';
import { forgetDayCounts } from '../messages/daily-counts.ts';
import { writeBatch } from './batches.ts';
import { idsOf } from './ids.ts';
import { recordOf } from './new-rooms.ts';
import { People } from './people.ts';
import { openTarget } from './rooms.ts';
import { type LeaveOut, type Report, Tally } from './tally.ts';
import type { Run } from './writing.ts';

/*
 * Brings another chat over: first its people, then room by room with its messages in the order of their times. What is
 * there already, by an id that follows from the source, stays as it is. A room appears when all its messages are there.
 */

type ImportOptions = {
  /** What tells this archive's ids from those of another workspace. */
  workspace: string;
  isDryRun: boolean;
  /** Whether somebody with the e-mail address of an account is the same person. */
  mapsByEmail: boolean;
  leaveOut: LeaveOut;
  /** Called after each batch. */
  progress: (done: number, all: number) => void;
};

/** Imports all that a source has, or counts what would come over. */
export async function importFromSource(source: Source, options: ImportOptions): Promise<Report> {
  const { workspace, isDryRun, mapsByEmail, leaveOut, progress } = options;
  const tally = new Tally(leaveOut);
  const ids = idsOf(source.name, workspace);
  const people = new People({ source: source.name, ids, tally, isDryRun, mapsByEmail });
  for await (const person of source.people()) await people.add(person);
  const run: Reading = {
    ...{ ids, people, tally, isDryRun },
    usernameOf: (id) => people.get(id)?.username,
    progress: () => progress(source.progress().done, source.progress().all),
  };
  for await (const room of source.rooms()) {
    await importRoom(room, run);
    run.progress();
  }
  for (const item of source.unreadable?.() ?? []) leaveOutItem(item, run);
  return tally.report();
}

type Reading = Run & { usernameOf: UsernameOf; progress: () => void };

/** How many messages are written together: few enough for others not to wait for them. */
const batchSize = 250;

async function importRoom(room: SourceRoom, run: Reading): Promise<void> {
  const { tally } = run;
  tally.read('rooms');
  const target = room.leftOut === undefined ? await openTarget(room, run) : { refusal: room.leftOut };
  if ('refusal' in target) {
    tally.leaveOut('rooms', target.refusal, recordOf(room));
    await leaveOutMessages(room, target.refusal, run);
    return;
  }
  if (room.note !== undefined) tally.note(room.note);
  let batch: SourceMessage[] = [];
  const flush = async () => {
    await writeBatch(batch, { ...run, room: target.room });
    batch = [];
    run.progress();
  };
  for await (const item of room.messages(run.usernameOf)) {
    if ('leftOut' in item) leaveOutItem(item, run);
    else if (batch.push(item) === batchSize) await flush();
  }
  if (batch.length > 0) await flush();
  await target.finish();
  // The room has messages of days that are counted already.
  if (!run.isDryRun) await forgetDayCounts();
}

function leaveOutItem({ kind = 'messages', leftOut, raw }: LeftOut, { tally }: Reading): void {
  tally.read(kind);
  tally.leaveOut(kind, leftOut, raw);
}

async function leaveOutMessages(room: SourceRoom, reason: string, run: Reading): Promise<void> {
  const { tally, usernameOf } = run;
  for await (const item of room.messages(usernameOf)) {
    if ('leftOut' in item) {
      leaveOutItem(item, run);
      continue;
    }
    tally.read('messages');
    tally.leaveOut('messages', `of a room that is left out: ${reason}`, item.raw);
    tally.read('reactions', item.reactions.length);
    for (const reaction of item.reactions) tally.leaveOut('reactions', 'of a message that is left out', reaction);
    tally.read('files', item.files.length);
    for (const { id, name } of item.files) tally.leaveOut('files', 'of a message that is left out', { id, name });
  }
}
