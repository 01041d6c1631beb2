import type { ObjectId } from 'mongodb';
import { activities } from '../collections/accounts/activities.ts';
import { avatars } from '../collections/accounts/avatars.ts';
import { passkeys } from '../collections/accounts/passkeys.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { commandNameOf, commands } from '../collections/delivery/commands.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { notifications } from '../collections/rooms/notifications.ts';
import { readMarkers } from '../collections/rooms/read-markers.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { saved } from '../collections/rooms/saved.ts';
import { followedThreads } from '../collections/rooms/threads.ts';
import { audit } from '../collections/service/audit.ts';
import { listAllTokens } from '../identity/tokens.ts';
import { noSuchUser, shownUser } from '../identity/users.ts';
import { ExportFolder } from './folder.ts';
import { exportMessages, messagesOf } from './messages.ts';

/*
 * All data of a person, for a request by GDPR, article 15. That is the account, the rooms, and the
 * person's messages with their files, reactions, pressed actions and saved messages. Sessions and
 * tokens are included without their secrets. So are passkeys, devices, followed threads, bots,
 * invitations, webhooks, notifications, and the entries of the audit log. Messages of others are
 * not included.
 */

const hexOf = (id: ObjectId): string => id.toHexString();

type Progress = (done: number, all: number) => void;

/** Exports what the service has of an account to a new folder; returns how much that is. */
export async function exportUser(_id: ObjectId, path: string, progress: Progress): Promise<Record<string, number>> {
  const user = await users.findOne({ _id });
  if (!user) throw noSuchUser();
  const folder = await ExportFolder.create(path);
  try {
    await folder.write('account.json', await accountOf(user));
    await exportPicture(_id, folder);
    const all = await rooms.find<ListedRoom>({}, { projection: roomFields(_id), sort: { _id: 1 } }).toArray();
    await exportMemberships(user, all, folder);
    await folder.add('messages', []);
    await folder.add('reactions', []);
    await folder.add('pressed actions', []);
    for (const [index, room] of all.entries()) {
      await exportWritten(_id, room, folder);
      progress(index + 1, all.length);
    }
    await folder.add('sessions and tokens', await listAllTokens(_id));
    await folder.add('passkeys', await passkeysOf(_id));
    await folder.add('devices with push notifications', await devicesOf(_id));
    await folder.add('followed threads', await threadsOf(_id));
    await folder.add('invitations', await invitationsOf(_id));
    await folder.add('webhooks', await webhooksOf(_id));
    await folder.add('notifications', await notificationsOf(_id));
    await folder.add('audit', await auditOf(_id));
  } finally {
    await folder.close();
  }
  return folder.counts;
}

async function accountOf(user: UserDocument): Promise<object> {
  const { blocked = [], identity, confirmed_email, second_factor, imported, _id } = user;
  const names = await namesOf(blocked);
  const bots = await users.find({ owner: _id }, { projection: { username: 1 } }).toArray();
  const own = await commands.find({ bot: _id }, { projection: { _id: 1 } }).toArray();
  return {
    ...shownUser.show(user),
    last_seen: (await activities.findOne({ _id }))?.at ?? null,
    has_confirmed_email: confirmed_email !== undefined && confirmed_email === user.email,
    identity: identity ? { issuer: identity.issuer, subject: identity.subject } : null,
    has_second_factor: second_factor !== undefined,
    blocked: names,
    bots: bots.map(({ username }) => username),
    commands: own.map(commandNameOf),
    came_by_import: imported !== undefined,
  };
}

async function namesOf(ids: ObjectId[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await users.find({ _id: { $in: ids } }, { projection: { username: 1 } }).toArray();
  return found.map(({ username }) => username);
}

async function exportPicture(_id: ObjectId, folder: ExportFolder): Promise<void> {
  const picture = await avatars.findOne({ _id });
  if (picture) await folder.writeBytes(`picture.${picture.type.replace(/^image\//, '')}`, picture.bytes.value());
}

type ListedRoom = {
  _id: ObjectId;
  name: string;
  seq: number;
  is_direct?: true;
  members?: { role: string; joined_at: Date; user: ObjectId }[];
};

const roomFields = (user: ObjectId) => ({ name: 1, seq: 1, is_direct: 1, members: { $elemMatch: { user } } });

async function exportMemberships({ _id: user }: UserDocument, all: ListedRoom[], folder: ExportFolder): Promise<void> {
  const markers = await readMarkers.find({ '_id.user': user }).toArray();
  const markerOf = new Map(markers.map((marker) => [marker._id.room.toHexString(), marker]));
  const theirs = all.flatMap(({ _id, name, is_direct, members: [member] = [] }) => {
    const marker = markerOf.get(_id.toHexString());
    if (!member && !marker) return [];
    const { role, joined_at } = member ?? {};
    return {
      ...{ _id: hexOf(_id), name, is_direct: is_direct === true, role: role ?? null, joined_at: joined_at ?? null },
      ...{ is_muted: marker?.is_muted === true, is_favourite: marker?.is_favourite === true, read_up_to: marker?.seq ?? 0 },
    };
  });
  await folder.add('rooms', theirs);
  const marked = await saved.find({ '_id.user': user }).toArray();
  await folder.add(
    'saved messages',
    marked.map(({ _id, saved_at, remind_at }) => ({ message: hexOf(_id.message), saved_at, remind_at: remind_at ?? null })),
  );
}

/** Exports a person's messages in a room, and the person's reactions and pressed actions there. */
async function exportWritten(user: ObjectId, { _id: room, name, seq }: ListedRoom, folder: ExportFolder): Promise<void> {
  const where = { room: hexOf(room), room_name: name };
  for await (const some of messagesOf(room, { user }))
    await folder.add(
      'messages',
      (await exportMessages(some, folder)).map((message) => ({ ...where, ...message })),
    );
  for (let after = 0; after < seq; after += windowSize) {
    const isTheirs = { $or: [{ 'reactions.user': user }, { 'question.presses.user': user }] };
    const inWindow = { room, seq: { $gt: after, $lte: after + windowSize }, ...isTheirs };
    const some = await messages.find<AnswersOfMessage>(inWindow, { projection: { reactions: 1, question: 1 } }).toArray();
    const given = some.flatMap(({ _id, reactions }) =>
      reactions.filter((one) => one.user.equals(user)).map(({ emoji }) => ({ ...where, message: hexOf(_id), emoji })),
    );
    await folder.add('reactions', given);
    const pressed = some.flatMap(({ _id, question }) =>
      (question?.presses ?? [])
        .filter((one) => one.user.equals(user))
        .map(({ action, at }) => ({ ...where, message: hexOf(_id), action, label: labelOf(question, action), at })),
    );
    await folder.add('pressed actions', pressed);
  }
}

type AnswersOfMessage = Pick<MessageDocument, '_id' | 'reactions' | 'question'>;

const labelOf = (question: MessageDocument['question'], action: string) =>
  question?.actions.find(({ id }) => id === action)?.label;

/** One call examines this many places of a room: no index has the people who reacted or pressed. */
const windowSize = 5_000;

async function passkeysOf(user: ObjectId): Promise<object[]> {
  const found = await passkeys.find({ user }, { projection: { name: 1, created_at: 1, last_used_at: 1 } }).toArray();
  return found.map(({ name, created_at, last_used_at }) => ({ name, created_at, last_used_at }));
}

async function devicesOf(user: ObjectId): Promise<object[]> {
  const found = await pushSubscriptions.find({ user }, { projection: { endpoint: 1, of: 1, created_at: 1 } }).toArray();
  return found.map(({ endpoint, of, created_at }) => ({ endpoint, notifies_of: of, created_at }));
}

async function threadsOf(user: ObjectId): Promise<object[]> {
  const found = await followedThreads.find({ '_id.user': user }, { sort: { replied_at: -1 } }).toArray();
  return found.map(({ _id, room, replied_at, is_left }) => ({
    ...{ thread: hexOf(_id.thread), room: hexOf(room), replied_at, is_followed: is_left !== true },
  }));
}

/** The invitations that a person made, without their codes. */
async function invitationsOf(user: ObjectId): Promise<object[]> {
  const made = { 'invitations.created_by': user };
  const found = await rooms.find(made, { projection: { name: 1, invitations: 1 }, sort: { _id: 1 } }).toArray();
  return found.flatMap(({ _id, name, invitations = [] }) =>
    invitations
      .filter(({ created_by }) => created_by.equals(user))
      .map(({ created_at, expires_at, uses_left }) => ({ room: hexOf(_id), room_name: name, created_at, expires_at, uses_left })),
  );
}

/** The webhooks that a person made, without their secrets: an address may have one in it. */
async function webhooksOf(user: ObjectId): Promise<object[]> {
  const made = { 'webhooks.created_by': user };
  const found = await rooms.find(made, { projection: { name: 1, webhooks: 1 }, sort: { _id: 1 } }).toArray();
  return found.flatMap(({ _id, name, webhooks = [] }) =>
    webhooks
      .filter(({ created_by }) => created_by.equals(user))
      .map(({ created_at, outgoing }) => ({
        ...{ room: hexOf(_id), room_name: name, created_at },
        sends_to: outgoing ? new URL(outgoing.url).host : null,
      })),
  );
}

/** The reactions of others to a person's messages, and the additions of the person to rooms. */
async function notificationsOf(user: ObjectId): Promise<object[]> {
  const found = await notifications.find({ '_id.user': user }, { sort: { at: -1 } }).toArray();
  return found.map(({ _id, kind, room, actor, at }) => ({
    ...{ kind, room: hexOf(room), message: kind === 'reaction' ? hexOf(_id.of) : null, by: hexOf(actor), at },
  }));
}

/** The audit entries of the person's acts as an administrator, and of acts on the account. */
async function auditOf(id: ObjectId): Promise<object[]> {
  const [acted, affected] = await Promise.all([
    audit.find({ 'actor.id': id }, { sort: { _id: 1 } }).toArray(),
    audit.find({ 'target.id': id }, { sort: { _id: 1 } }).toArray(),
  ]);
  const all = new Map([...acted, ...affected].map((entry) => [entry._id, entry]));
  return [...all.values()]
    .sort((one, other) => one._id - other._id)
    .map(({ _id, at, action, details, source }) => ({ seq: _id, at, action, details, source }));
}
