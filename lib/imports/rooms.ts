import type { SourceRoom } from 'chat-service-import/source';
import type { ObjectId } from 'mongodb';
import { messages } from '../collections/rooms/messages.ts';
import { readMarkers } from '../collections/rooms/read-markers.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { followedThreads } from '../collections/rooms/threads.ts';
import { inBatches } from '../database/writes.ts';
import { removeFiles } from '../files/removal.ts';
import { joinInvited } from '../members/join.ts';
import { config } from '../settings/config.ts';
import { byName, full, keptSince, type MemberHere, newTarget, startReading, type Target } from './new-rooms.ts';
import type { Run, TargetRoom } from './writing.ts';

/**
 * Finds or prepares the room of some messages, or returns the reason why it cannot receive them.
 */
export async function openTarget(room: SourceRoom, run: Run): Promise<Target | { refusal: string }> {
  const { ids, roomIds, tally } = run;
  const members = await membersOf(room, run);
  const key = directKey(room, members);
  const found =
    (await findRoom({ _id: { $in: roomIds(room.id) } })) ?? (key === undefined ? null : await findRoom({ direct_key: key }));
  if (found?.deleting_at) {
    tally.read('members', members.length);
    for (const { username } of members) tally.leaveOut('members', 'of a room that is left out', { room: room.id, username });
    return { refusal: 'it is being deleted here' };
  }
  if (!found) return newTarget(room, { members, key }, run);
  if (!roomIds(room.id).some((id) => id.equals(found._id)) && !run.isDryRun) await forgetUnfinished(ids('room', room.id));
  if (!run.isDryRun) await rooms.updateOne({ _id: found._id }, { $addToSet: { imports: run.importId } });
  return existingTarget(found, members, run);
}

/** Deletes the data that an interrupted run wrote for a room that does not exist. */
export async function forgetUnfinished(room: ObjectId): Promise<void> {
  await removeFiles({ room });
  await inBatches(messages.unscoped, { room }, (some) => messages.unscoped.deleteMany(some));
  await inBatches(followedThreads, { room }, (some) => followedThreads.deleteMany(some));
  await inBatches(readMarkers, { '_id.room': room }, (some) => readMarkers.deleteMany(some));
}

const findRoom = (filter: { _id: { $in: ObjectId[] } } | { direct_key: string }) =>
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
      retention_days: 1,
      is_held: 1,
    },
  });

type FoundRoom = Pick<RoomDocument, '_id' | 'seq' | 'message_count' | 'last_message_at' | 'banned' | 'is_direct'> &
  Pick<RoomDocument, 'archived_at' | 'deleting_at' | 'retention_days' | 'is_held'> & {
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
      // Several people of the archive may map to one account.
      found.set(key, { ...account, isOwner: id === owner && account.isActive });
  }
  return [...found.values()];
}

/**
 * The key of a direct conversation; undefined for a room, and for a conversation with an
 * unsupported number of people.
 */
function directKey({ kind }: SourceRoom, members: MemberHere[]): string | undefined {
  if (kind !== 'direct' || members.length < 2 || members.length > 9) return undefined;
  return members
    .map(({ _id }) => _id.toHexString())
    .sort()
    .join(' ');
}

/** An existing room keeps its name and members. People who were never members are added. */
async function existingTarget(found: FoundRoom, members: MemberHere[], run: Run): Promise<Target> {
  const { tally, isDryRun } = run;
  const { _id, seq, message_count: ordinal, last_message_at: lastAt } = found;
  const place = { _id, exists: true, seq, ordinal, lastAt, keepsFrom: keptSince(found) };
  const room: TargetRoom = { ...place, named: byName(members), roots: new Map() };
  const isMember = new Set(found.members.map(({ user }) => user.toHexString()));
  const missing = members.filter((member) => !isMember.has(member._id.toHexString()));
  const former = await readMarkers.find({ _id: { $in: missing.map((member) => ({ room: _id, user: member._id })) } }).toArray();
  const wasMember = new Set([...former.map((marker) => marker._id.user), ...found.banned].map((user) => user.toHexString()));
  // An empty room: all its members have read everything, and the imported messages must not be
  // unread either.
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
