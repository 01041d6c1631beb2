import type { Filter, ObjectId } from 'mongodb';
import { deleteUser } from '../accounts/deletion.ts';
import { concurrently } from '../base/concurrently.ts';
import { HttpError } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { type ImportDocument, imports } from '../collections/service/imports.ts';
import { commandLine } from '../identity/caller.ts';
import { forgetDayCounts } from '../messages/daily-counts.ts';
import { deleteMessage } from '../messages/edit.ts';
import { deleteRoom } from '../rooms/deletion.ts';
import { forgetUnfinished } from './rooms.ts';

/*
 * Undoes an import: deletes its messages, its rooms in which nobody has written since, and its
 * unclaimed accounts. Messages that people have written since stay. An interrupted undo continues
 * when it runs again; until then, nothing can be imported for the workspace. An undo is refused
 * while a part of the import is on hold.
 */

/** The numbers that an undo deletes, and keeps because people have used them. */
export type UndoReport = Record<'rooms' | 'messages' | 'accounts', { deleted: number; kept: number }>;

type UndoOptions = { isDryRun: boolean; progress: (done: number, all: number) => void };

/** Undoes an import, or counts in a dry run. */
export async function undoImport({ _id, unfinished }: ImportDocument, { isDryRun, progress }: UndoOptions): Promise<UndoReport> {
  const report: UndoReport = {
    rooms: { deleted: 0, kept: 0 },
    messages: { deleted: 0, kept: 0 },
    accounts: { deleted: 0, kept: 0 },
  };
  const theirRooms = await rooms.unscoped.find<ImportedRoom>({ imports: _id }, { projection: roomFields }).toArray();
  const theirUsers = await users.find<ImportedUser>({ 'imported.import': _id }, { projection: userFields }).toArray();
  await refuseHeld(_id, theirRooms, theirUsers);
  if (!isDryRun) await imports.updateOne({ _id }, { $set: { undoing_since: new Date() } });
  const others = await roomsOfOthers(_id);
  const all = theirRooms.length + theirUsers.length;
  let done = 0;
  for (const room of theirRooms) {
    const { own, imported, isDeleted } = await undoRoom(room, { importId: _id, isDryRun });
    report.messages.deleted += imported;
    report.messages.kept += own;
    report.rooms[isDeleted ? 'deleted' : 'kept']++;
    progress(++done, all);
  }
  if (!isDryRun) for (const room of unfinished) await forgetUnfinished(room);
  for (const user of theirUsers) {
    report.accounts[(await undoAccount(user, { others, isDryRun })) ? 'deleted' : 'kept']++;
    progress(++done, all);
  }
  if (isDryRun) return report;
  await forgetDayCounts();
  await imports.updateOne(
    { _id },
    { $set: { undone_at: new Date(), unfinished: [] }, $unset: { undoing_since: '' }, $inc: { undone: 1 } },
  );
  return report;
}

type ImportedRoom = Pick<RoomDocument, '_id' | 'seq' | 'name' | 'is_held' | 'made_by_import'>;
const roomFields = { seq: 1, name: 1, is_held: 1, made_by_import: 1 };

/**
 * Throws an error that lists the rooms and accounts on hold whose messages an undo would delete.
 */
async function refuseHeld(importId: ObjectId, theirRooms: ImportedRoom[], theirUsers: ImportedUser[]): Promise<void> {
  const held = theirRooms.flatMap(({ is_held, name }) => (is_held ? `the room ${name}` : []));
  for (const { _id, username } of await users.find({ is_held: true }, { projection: { username: 1 } }).toArray()) {
    const isTheirs = theirUsers.some((user) => user._id.equals(_id));
    if (isTheirs || (await hasMessages(_id, theirRooms, { import: importId }))) held.push(`the account ${username}`);
  }
  if (held.length > 0) throw new Error(`On hold: ${held.join(', ')}. Release them before you undo the import.`);
}

/** Returns true if a user has matching messages in these rooms. */
async function hasMessages(
  user: ObjectId,
  some: Pick<RoomDocument, '_id'>[],
  matching: Filter<MessageDocument>,
): Promise<boolean> {
  for (const { _id: room } of some) {
    const found = await messages.findOne({ ...matching, room, user, deleted_at: null }, { projection: { _id: 1 } });
    if (found) return true;
  }
  return false;
}

/**
 * The rooms with messages of other imports, whose people may be mapped to accounts of this import.
 */
async function roomsOfOthers(importId: ObjectId): Promise<Pick<RoomDocument, '_id'>[]> {
  const imported = await rooms.find({ imports: { $exists: true } }, { projection: { imports: 1 } }).toArray();
  return imported.filter(({ imports: all = [] }) => all.some((one) => !one.equals(importId)));
}

type UndoneRoom = { own: number; imported: number; isDeleted: boolean };

/** Deletes a room; if people have written in it, only its imported messages. */
async function undoRoom(
  room: ImportedRoom,
  { importId, isDryRun }: { importId: ObjectId; isDryRun: boolean },
): Promise<UndoneRoom> {
  const { _id, seq } = room;
  const counted = await countMessages(_id, importId);
  const isDeleted = isMadeBy(room, importId) && counted.own === 0;
  if (isDryRun) return { ...counted, isDeleted };
  if (isDeleted) {
    try {
      await deleteRoom(_id, { seq });
      return { ...counted, isDeleted };
    } catch (error) {
      const changed = await rooms.findOne<ImportedRoom>({ _id }, { projection: roomFields });
      if (!(error instanceof HttpError) || !changed || changed.seq === seq) throw error;
      // Somebody has written in it meanwhile.
      return undoRoom(changed, { importId, isDryRun });
    }
  }
  for await (const some of pagesOf(_id)) {
    const due = some.filter((message) => isOf(message, importId) && !message.deleted_at);
    await concurrently(due, atOnce, (message) => deleteMessage(message._id, commandLine));
  }
  await rooms.updateOne(
    { _id },
    { $pull: { imports: importId }, ...(isMadeBy(room, importId) && { $unset: { made_by_import: '' } }) },
  );
  return { ...counted, isDeleted };
}

const isMadeBy = ({ made_by_import: maker }: ImportedRoom, importId: ObjectId) => maker?.equals(importId) === true;

type ImportedMessage = Pick<MessageDocument, '_id' | 'seq' | 'import' | 'deleted_at'>;

const isOf = (message: ImportedMessage, importId: ObjectId): boolean => message.import?.equals(importId) === true;

/**
 * Counts the messages of a room from an import, and the others. Deleted messages are not counted.
 */
async function countMessages(room: ObjectId, importId: ObjectId): Promise<{ own: number; imported: number }> {
  const counts = { own: 0, imported: 0 };
  for await (const some of pagesOf(room))
    for (const message of some) if (!message.deleted_at) counts[isOf(message, importId) ? 'imported' : 'own']++;
  return counts;
}

async function* pagesOf(room: ObjectId): AsyncGenerator<ImportedMessage[]> {
  let after = 0;
  for (;;) {
    const projection = { seq: 1, import: 1, deleted_at: 1 };
    const options = { projection, sort: { seq: 1 as const }, limit: pageSize, batchSize: pageSize + 1 };
    const some = await messages.find<ImportedMessage>({ room, seq: { $gt: after } }, options).toArray();
    if (some.length > 0) yield some;
    after = some.at(-1)?.seq ?? after;
    if (some.length < pageSize) return;
  }
}

const pageSize = 500;
/** How many messages are deleted concurrently. */
const atOnce = 4;

type ImportedUser = Pick<UserDocument, '_id' | 'imported' | 'is_admin'>;
const userFields = { imported: 1, is_admin: 1 };

type UndoneAccount = { others: Pick<RoomDocument, '_id'>[]; isDryRun: boolean };

/**
 * Deletes an unclaimed account without messages in other imports; returns false if the account
 * stays.
 */
async function undoAccount({ _id, imported, is_admin }: ImportedUser, { others, isDryRun }: UndoneAccount): Promise<boolean> {
  const isUsed = imported?.is_unclaimed !== true || is_admin;
  const stays = isUsed || (await hasMessages(_id, others, { import: { $ne: imported.import } }));
  if (isDryRun) return !stays;
  if (stays) {
    await users.updateOne({ _id }, { $unset: { imported: '' } });
    return false;
  }
  await deleteUser(_id);
  // Entirely, so that a later import can create it again.
  await users.unscoped.deleteOne({ _id, deleted_at: { $exists: true } });
  return true;
}

/** An import, as a list shows it. */
export type ListedImport = Omit<ImportDocument, 'unfinished'> & {
  name: string;
  accounts: number;
  unclaimed: number;
  rooms: number;
};

/** The name of an import: its workspace, or else its source. */
export const nameOfImport = ({ source, workspace }: Pick<ImportDocument, 'source' | 'workspace'>): string => workspace || source;

/** All imports, oldest first. */
export async function listImports(): Promise<ListedImport[]> {
  const found = await imports.find({}, { sort: { created_at: 1 } }).toArray();
  return Promise.all(
    found.map(async ({ unfinished: _, ...one }) => {
      const [accounts, unclaimed, theirRooms] = await Promise.all([
        users.countDocuments({ 'imported.import': one._id }),
        users.countDocuments({ 'imported.import': one._id, 'imported.is_unclaimed': true }),
        rooms.countDocuments({ imports: one._id }),
      ]);
      return { ...one, name: nameOfImport(one), accounts, unclaimed, rooms: theirRooms };
    }),
  );
}

/**
 * Finds an import by name, such as `acme`, `slack` or `slack/acme`. Throws unless exactly one
 * matches.
 */
export async function findImport(name: string): Promise<ImportDocument> {
  const all = await imports.find({}, { sort: { created_at: 1 } }).toArray();
  const found = all.filter((one) => nameOfImport(one) === name || `${one.source}/${one.workspace}` === name);
  const [only] = found;
  if (!only) throw new Error(`Unknown import ${name}: \`import list\` lists all of them.`);
  if (found.length === 1) return only;
  throw new Error(`Several imports are called ${name}: ${found.map((one) => `${one.source}/${one.workspace}`).join(', ')}.`);
}
