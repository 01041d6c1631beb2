import type { SourceRoom } from 'chat-service-import/source';
import { firstCharacters } from 'chat-service-rules/shortened';
import { storable } from 'chat-service-rules/texts';
import type { ObjectId } from 'mongodb';
import { textUpTo } from '../api/parameters.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { readMarkers } from '../collections/rooms/read-markers.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { retryContended } from '../database/engines.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { daysKept } from '../rooms/details.ts';
import { roomKey, roomName } from '../rooms/rooms.ts';
import { config } from '../settings/config.ts';
import { noteFinished, noteUnfinished } from './import-records.ts';
import type { Account } from './people.ts';
import type { Run, TargetRoom } from './writing.ts';

/** The room that receives messages. Call `finish` after the last message. */
export type Target = { room: TargetRoom; finish: () => Promise<void> };

/** A person in the room, with their account here. */
export type MemberHere = Account & { isOwner: boolean };

/** The time before which a room does not keep messages; undefined if it keeps all. */
export function keptSince(room: Pick<RoomDocument, 'retention_days' | 'is_held'>): Date | undefined {
  const days = room.is_held ? null : daysKept(room);
  return days === null ? undefined : new Date(Date.now() - days * 86_400_000);
}

/** Prepares a room that does not exist yet. */
export async function newTarget(source: SourceRoom, { members, key }: NewRoom, run: Run): Promise<Target> {
  const { ids, tally, isDryRun, importId } = run;
  const _id = ids('room', source.id);
  const kept = members.slice(0, config.roomMembers);
  const last = isDryRun ? null : await lastOf(_id);
  if (!isDryRun) await noteUnfinished(importId, _id);
  const room: TargetRoom = {
    _id,
    exists: false,
    seq: last?.seq ?? 0,
    ordinal: last?.ordinal ?? 0,
    lastAt: last?.created_at ?? null,
    keepsFrom: keptSince({}),
    named: byName(kept),
    roots: new Map(),
  };
  const finish = async () => {
    if (source.kind === 'direct' && room.seq === 0) {
      tally.leaveOut('rooms', 'a conversation without messages', recordOf(source));
      if (!isDryRun) await noteFinished(importId, _id);
      return;
    }
    tally.written('rooms');
    tally.read('members', members.length);
    tally.written('members', kept.length);
    for (const { username } of members.slice(kept.length)) tally.leaveOut('members', full, { room: source.id, username });
    if (key === undefined && !kept.some(({ isOwner }) => isOwner))
      tally.note('rooms without an owner, until an administrator appoints one');
    if (!isDryRun) await insertRoom(source, { members: kept, key }, run, room);
  };
  return { room, finish };
}

type NewRoom = { members: MemberHere[]; key: string | undefined };

const lastOf = (room: ObjectId) =>
  messages.unscoped.findOne<Pick<MessageDocument, 'seq' | 'ordinal' | 'created_at'>>(
    { room },
    { projection: { seq: 1, ordinal: 1, created_at: 1 }, sort: { seq: -1 } },
  );

const topic = textUpTo(250);

async function insertRoom(
  source: SourceRoom,
  { members, key }: NewRoom,
  { ids, importId }: Run,
  room: TargetRoom,
): Promise<void> {
  const { _id, seq, ordinal, lastAt } = room;
  const now = new Date();
  const createdAt = source.createdAt ?? now;
  const [first] = members;
  const name = key === undefined ? nameOf(source, members) : '';
  await startReading(
    room,
    members.map((member) => member._id),
  );
  const document: RoomDocument = {
    _id,
    name,
    name_key: roomKey(name, _id),
    is_open: source.kind === 'public',
    is_visible: source.kind === 'public',
    members: members.map(({ _id: user, isOwner }) => ({
      _id: ids('member', `${source.id} ${user.toHexString()}`),
      user,
      role: isOwner && key === undefined ? 'owner' : 'member',
      joined_at: createdAt,
      is_added: true,
    })),
    banned: [],
    seq,
    message_count: ordinal,
    topic: key === undefined ? (topic.read(firstCharacters(storable(source.topic), 250)) ?? '') : '',
    created_at: createdAt,
    created_by: first?._id ?? ids('person', ''),
    changed_at: now,
    archived_at: source.isArchived && key === undefined ? now : null,
    last_message_at: lastAt,
    imports: [importId],
    made_by_import: importId,
    ...(key !== undefined && { is_direct: true as const, direct_key: key }),
  };
  try {
    await rooms.unscoped.insertOne(document);
    // The change time must come from the database's clock, because clients ask for changes by that
    // clock.
    await rooms.unscoped.updateOne({ _id }, { $currentDate: { changed_at: true } });
    await noteFinished(importId, _id);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new Error('These people started a conversation at the same time. Run the import again.', { cause: error });
  }
}

/** Marks the whole room as read for these members. */
export async function startReading({ _id: room, seq, ordinal }: TargetRoom, members: ObjectId[]): Promise<void> {
  const markers = members.map((user) => ({
    updateOne: { filter: { _id: { room, user } }, update: { $max: { seq, ordinal } }, upsert: true },
  }));
  if (markers.length > 0) await retryContended(() => readMarkers.bulkWrite(markers, { ordered: false }));
}

/** The name of a room: from the source, or from its people. */
function nameOf({ id, kind, name }: SourceRoom, members: MemberHere[]): string {
  const people = members.map(({ username }) => username).join(', ');
  const wanted = storable(kind === 'direct' ? people : name).trim();
  return roomName.read(firstCharacters(wanted, 100)) ?? firstCharacters(`room ${id}`, 100);
}

/** A room that is left out, as the report lists it. */
export const recordOf = ({ id, kind, name, topic }: SourceRoom) => ({ id, kind, name, topic });

/** The members that a message can mention, by username. */
export const byName = (members: MemberHere[]) =>
  new Map(members.flatMap(({ username, _id }) => (username === undefined ? [] : [[username, _id] as const])));

/** The reason why a person is not a member. */
export const full = 'of a room that has as many members as it can have';
