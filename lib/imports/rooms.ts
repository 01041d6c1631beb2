import type { ObjectId } from 'mongodb';
import { textUpTo } from '../api/parameters.ts';
import { type MessageDocument, messages } from '../collections/messages.ts';
import { readMarkers } from '../collections/read-markers.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms.ts';
import { followedThreads } from '../collections/threads.ts';
import { config } from '../config.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { inBatches, retryContended } from '../database/writes.ts';
import { joinInvited } from '../members/join.ts';
import { roomKey, roomName } from '../rooms/rooms.ts';
import type { Account } from './people.ts';
import type { SourceRoom } from './source.ts';
import { storable } from './texts.ts';
import type { Run, TargetRoom } from './writing.ts';

/** Where the messages of a room go; `finish` comes after the last of them. */
export type Target = { room: TargetRoom; finish: () => Promise<void> };

/** A person in the room, as its member here. */
type MemberHere = Account & { isOwner: boolean };

/** Finds the room of some messages, or prepares one; why nothing can go there, if so. */
export async function openTarget(room: SourceRoom, run: Run): Promise<Target | { refusal: string }> {
  const { ids, tally } = run;
  const members = await membersOf(room, run);
  const key = directKey(room, members);
  const found =
    (await findRoom({ _id: ids('room', room.id) })) ?? (key === undefined ? null : await findRoom({ direct_key: key }));
  if (found?.deleting_at) {
    tally.read('members', members.length);
    for (const { username } of members) tally.leaveOut('members', 'of a room that is left out', { room: room.id, username });
    return { refusal: 'it is being deleted here' };
  }
  if (!found) return newTarget(room, { members, key }, run);
  if (!found._id.equals(ids('room', room.id)) && !run.isDryRun) await forgetUnfinished(ids('room', room.id));
  return existingTarget(found, members, run);
}

/** Forgets what a run that was cut off wrote for a conversation that its people have begun since. */
async function forgetUnfinished(room: ObjectId): Promise<void> {
  await inBatches(messages.unscoped, { room }, (some) => messages.unscoped.deleteMany(some));
  await inBatches(followedThreads, { room }, (some) => followedThreads.deleteMany(some));
  await inBatches(readMarkers, { '_id.room': room }, (some) => readMarkers.deleteMany(some));
}

const findRoom = (filter: { _id: ObjectId } | { direct_key: string }) =>
  rooms.unscoped.findOne<FoundRoom>(filter, {
    projection: {
      seq: 1,
      message_count: 1,
      last_message_at: 1,
      'members.user': 1,
      banned: 1,
      is_direct: 1,
      archived_at: 1,
      deleting_at: 1,
    },
  });

type FoundRoom = Pick<RoomDocument, '_id' | 'seq' | 'message_count' | 'last_message_at' | 'banned' | 'is_direct'> &
  Pick<RoomDocument, 'archived_at' | 'deleting_at'> & {
    members: Pick<MemberDocument, 'user'>[];
  };

/** The members whose accounts were not deleted here, the owner first. */
async function membersOf({ id: room, members, owner }: SourceRoom, { people, tally }: Run): Promise<MemberHere[]> {
  const found = new Map<string, MemberHere>();
  for (const id of new Set([...(owner !== undefined && members.includes(owner) ? [owner] : []), ...members])) {
    const account = await people.named({ id, isBot: false });
    const key = account._id.toHexString();
    if (account.username === undefined) {
      tally.read('members');
      tally.leaveOut('members', 'whose account was deleted here', { room, id });
    } else if (!found.has(key))
      // Several people of the archive may have one account here.
      found.set(key, { ...account, isOwner: id === owner && account.isActive });
  }
  return [...found.values()];
}

/** The key of a direct conversation; undefined for a room, and for a conversation of fewer or more than can have one. */
function directKey({ kind }: SourceRoom, members: MemberHere[]): string | undefined {
  if (kind !== 'direct' || members.length < 2 || members.length > 9) return undefined;
  return members
    .map(({ _id }) => _id.toHexString())
    .sort()
    .join(' ');
}

const byName = (members: MemberHere[]) =>
  new Map(members.flatMap(({ username, _id }) => (username === undefined ? [] : [[username, _id] as const])));

/** A room that people are in: it keeps what it is called and who is in it, and gets the people who never were. */
async function existingTarget(found: FoundRoom, members: MemberHere[], run: Run): Promise<Target> {
  const { tally, isDryRun } = run;
  const { _id, seq, message_count: ordinal, last_message_at: lastAt } = found;
  const room: TargetRoom = { _id, exists: true, seq, ordinal, lastAt, named: byName(members), roots: new Map() };
  const isMember = new Set(found.members.map(({ user }) => user.toHexString()));
  const missing = members.filter((member) => !isMember.has(member._id.toHexString()));
  const former = await readMarkers.find({ _id: { $in: missing.map((member) => ({ room: _id, user: member._id })) } }).toArray();
  const wasMember = new Set([...former.map((marker) => marker._id.user), ...found.banned].map((user) => user.toHexString()));
  // Nobody has anything to read in it, and nothing of the archive shall be.
  if (ordinal === 0 && !isDryRun)
    await startReading(
      room,
      found.members.map(({ user }) => user),
    );
  tally.present('rooms');
  tally.read('members', members.length);
  tally.present('members', members.length - missing.length);
  const finish = async () => {
    let count = found.members.length;
    for (const member of missing) {
      const left = { room: _id.toHexString(), username: member.username };
      if (wasMember.has(member._id.toHexString())) tally.leaveOut('members', 'who has left the room here', left);
      else if (found.is_direct || found.archived_at) tally.leaveOut('members', 'of a room that nobody can join here', left);
      else if (count >= config.roomMembers) tally.leaveOut('members', full, left);
      else {
        if (!isDryRun) await joinInvited(_id, member._id);
        tally.written('members');
        count++;
      }
    }
  };
  return { room, finish };
}

const full = 'of a room that has as many members as it can have';

/** A room that does not exist yet. */
async function newTarget(source: SourceRoom, { members, key }: NewRoom, run: Run): Promise<Target> {
  const { ids, tally, isDryRun } = run;
  const _id = ids('room', source.id);
  const kept = members.slice(0, config.roomMembers);
  const last = isDryRun ? null : await lastOf(_id);
  const room: TargetRoom = {
    _id,
    exists: false,
    seq: last?.seq ?? 0,
    ordinal: last?.ordinal ?? 0,
    lastAt: last?.created_at ?? null,
    named: byName(kept),
    roots: new Map(),
  };
  const finish = async () => {
    if (source.kind === 'direct' && room.seq === 0) {
      tally.leaveOut('rooms', 'a conversation without messages', recordOf(source));
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

async function insertRoom(source: SourceRoom, { members, key }: NewRoom, { ids }: Run, room: TargetRoom): Promise<void> {
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
    topic: key === undefined ? (topic.read([...storable(source.topic)].slice(0, 250).join('')) ?? '') : '',
    created_at: createdAt,
    created_by: first?._id ?? ids('person', ''),
    changed_at: now,
    archived_at: source.isArchived && key === undefined ? now : null,
    last_message_at: lastAt,
    ...(key !== undefined && { is_direct: true as const, direct_key: key }),
  };
  try {
    await rooms.unscoped.insertOne(document);
    // By the database's clock, as those who ask what has changed expect it.
    await rooms.unscoped.updateOne({ _id }, { $currentDate: { changed_at: true } });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new Error('The same people have begun a conversation at the same time: run the import again.', { cause: error });
  }
}

/** Has all members read what the room has. */
async function startReading({ _id: room, seq, ordinal }: TargetRoom, members: ObjectId[]): Promise<void> {
  const markers = members.map((user) => ({
    updateOne: { filter: { _id: { room, user } }, update: { $max: { seq, ordinal } }, upsert: true },
  }));
  if (markers.length > 0) await retryContended(() => readMarkers.bulkWrite(markers, { ordered: false }));
}

/** What a room is called: as in the source, or by the people in it. */
function nameOf({ id, kind, name }: SourceRoom, members: MemberHere[]): string {
  const people = members.map(({ username }) => username).join(', ');
  const wanted = storable(kind === 'direct' ? people : name).trim();
  return roomName.read([...wanted].slice(0, 100).join('')) ?? `room ${id}`.slice(0, 100);
}

/** What is noted of a room that is left out. */
export const recordOf = ({ id, kind, name, topic }: SourceRoom) => ({ id, kind, name, topic });
