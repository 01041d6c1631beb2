import type { Filter, ObjectId } from 'mongodb';
import { type FileDocument, files } from '../collections/rooms/files.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import type { QuestionDocument } from '../collections/rooms/questions.ts';
import { findPersons, showPerson } from '../identity/persons.ts';
import type { ExportFolder } from './folder.ts';

/** A period of exported messages: from `since` up to, but not including, `before`. */
export type Period = { since?: Date | undefined; before?: Date | undefined };

const pageSize = 500;

/** The messages of a room that match, in their order, without deleted ones. */
export async function* messagesOf(
  room: ObjectId,
  matching: Filter<MessageDocument>,
  { since, before }: Period = {},
): AsyncGenerator<MessageDocument[]> {
  const within = { ...(since && { $gte: since }), ...(before && { $lt: before }) };
  const filter = { ...matching, room, deleted_at: null, ...((since || before) && { created_at: within }) };
  for (let after = 0; ; ) {
    const options = { sort: { seq: 1 as const }, limit: pageSize, batchSize: pageSize + 1, projection: { words: 0 } };
    const some = await messages.find({ ...filter, seq: { $gt: after } }, options).toArray();
    if (some.length > 0) yield some;
    after = some.at(-1)?.seq ?? after;
    if (some.length < pageSize) return;
  }
}

/** Messages as they are exported, with the names of people, and their files. */
export async function exportMessages(some: MessageDocument[], folder: ExportFolder): Promise<object[]> {
  const persons = await findPersons(
    some.flatMap(({ user, reactions, question }) => [
      user,
      ...[...reactions, ...(question?.presses ?? [])].map((one) => one.user),
    ]),
  );
  const nameOf = (user: ObjectId) => showPerson(persons.get(user.toHexString())).username;
  const ids = some.flatMap((message) => message.files?.map(({ _id }) => _id) ?? []);
  const stored = ids.length === 0 ? [] : await files.find({ _id: { $in: ids }, state: 'bound' }).toArray();
  const fileOf = new Map(stored.map((file) => [file._id.toHexString(), file]));
  const shown: object[] = [];
  for (const message of some) {
    const attached = message.files?.map(({ _id }) => fileOf.get(_id.toHexString())).filter((file) => file !== undefined) ?? [];
    shown.push({
      _id: message._id.toHexString(),
      username: nameOf(message.user),
      ...(message.via !== undefined && { via: message.via }),
      created_at: message.created_at,
      edited_at: message.edited_at,
      text: message.text,
      ...(message.streaming && { is_streaming: true }),
      ...(message.streamed === 'interrupted' && { is_interrupted: true }),
      thread: message.thread?.toHexString() ?? null,
      is_pinned: message.pinned_at !== null,
      reactions: message.reactions.map(({ emoji, user }) => ({ emoji, username: nameOf(user) })),
      ...(message.question && exportQuestion(message.question, nameOf)),
      files: await exportFiles(attached, folder),
    });
  }
  return shown;
}

/** The actions of a message, and who pressed them. */
const exportQuestion = ({ actions, presses, is_approval }: QuestionDocument, nameOf: (user: ObjectId) => string) => ({
  actions: actions.map(({ id, label }) => ({ id, label })),
  ...(is_approval && { is_approval }),
  presses: presses.map(({ action, user, at }) => ({ action, username: nameOf(user), at })),
});

async function exportFiles(attached: FileDocument[], folder: ExportFolder): Promise<object[]> {
  const shown: object[] = [];
  for (const file of attached) {
    const { name, type, size } = file;
    shown.push({ name, type, size, path: await folder.addFile(file) });
  }
  return shown;
}
