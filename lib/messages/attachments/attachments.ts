import { createHash } from 'node:crypto';
import { hasTooManyPixels, isWiderThan, largestPreviewSide, pictureHeaderLength } from 'chat-service-rules/picture-size';
import { ObjectId } from 'mongodb';
import { distinct } from '../../api/extended-json.ts';
import { about, id, type Parameter } from '../../api/parameters.ts';
import { conflict, notFound, type Refusal } from '../../base/errors.ts';
import { describeError, log } from '../../base/log.ts';
import { type FileDocument, files } from '../../collections/rooms/files.ts';
import type { AttachedFile } from '../../collections/rooms/messages.ts';
import { beginningLength } from '../../files/file-store.ts';
import { bindingTime } from '../../files/removal.ts';
import { previewKey, requireStore } from '../../files/store.ts';
import { anyType, typeOf } from '../../files/types.ts';
import type { Caller } from '../../identity/caller.ts';
import { withArrivals } from './arrivals.ts';

/*
 * A file belongs to one message. The message's id is derived from its first file. So a retry means
 * the same message, whichever process died before, and the unique `_id` stores it once. The files
 * are bound before the message is stored. The sweep removes files whose message was never stored.
 */

const mostFiles = 10;

/** The files of a message that is sent. */
export const fileIds: Parameter<ObjectId[]> = about('The files of the message, each uploaded by the caller for this room.', {
  read: (sent) => {
    if (!Array.isArray(sent) || sent.length > mostFiles) return undefined;
    const ids = sent.map((one) => id.read(one)).filter((one) => one !== undefined);
    return ids.length === sent.length && distinct(ids).length === ids.length ? ids : undefined;
  },
  rule: `be a list of at most ${mostFiles} different ids`,
  schema: { type: 'array', maxItems: mostFiles, items: id.bodySchema ?? id.schema },
});

export const noSuchFile: Refusal = () => notFound('file');
const notUploaded: Refusal = () => conflict('file_not_uploaded', 'The file has not been uploaded yet.');
export const fileTaken: Refusal = () => conflict('file_taken', 'The file belongs to another message.');
export const attachRefusals = [noSuchFile, notUploaded, fileTaken];

/** The files of a message before it has a place, and the message's future id. */
export type Attachments = { message: ObjectId; user: ObjectId; room: ObjectId; due: Date; files: AttachedFile[] };

/**
 * The files that a caller wants to send to a room. Throws 404 for files of others or of another
 * room, and 409 for files without bytes or of another message.
 */
export async function findAttachments(ids: ObjectId[], room: ObjectId, caller: Caller): Promise<Attachments> {
  const user = caller.user._id;
  const message = messageOf(ids[0] as ObjectId);
  const found = await files.find({ _id: { $in: ids }, user, room, state: { $ne: 'deleted' } }).toArray();
  const byId = new Map(found.map((file) => [file._id.toHexString(), file]));
  const attached = ids.map(async (one) => {
    const file = byId.get(one.toHexString());
    if (!file) throw noSuchFile();
    // If a file already has this message, this may be a retry. That is decided when the message is
    // stored.
    if (file.message && !file.message.equals(message)) throw fileTaken();
    return attach(await withArrivals(file));
  });
  return { message, user, room, due: new Date(Date.now() + bindingTime), files: await Promise.all(attached) };
}

/**
 * The file as its message has it, with the type that is detected from its bytes. A picture with too
 * many pixels is only offered as a download.
 */
async function attach({ _id, key, state, preview, ...file }: FileDocument): Promise<AttachedFile> {
  const length = file.type.startsWith('image/') ? pictureHeaderLength : beginningLength;
  const beginning = state === 'reserved' ? undefined : await requireStore().beginning(key, length);
  if (!beginning) throw notUploaded();
  const { name, size, width, height, duration, alt } = file;
  const found = typeOf(file.type, beginning);
  const type = hasTooManyPixels(beginning) ? anyType : found;
  const has_preview = await hasPreview(key, preview);
  return { _id, name, type, size, width, height, duration, has_preview, ...(alt && { alt }) };
}

async function hasPreview(key: string, preview: FileDocument['preview']): Promise<boolean> {
  const bytes = preview?.is_stored && (await requireStore().beginning(previewKey(key), preview.size));
  if (!bytes || typeOf(preview.type, bytes) !== preview.type) return false;
  return !isWiderThan(largestPreviewSide, bytes);
}

/**
 * Binds the files to their message. Returns false if a file was removed or bound to another message
 * in the meantime.
 */
export async function takeFiles({ message, user, room, due, files: taken }: Attachments): Promise<boolean> {
  const free = {
    $or: [
      { state: 'stored' as const, message: null },
      { state: 'bound' as const, message },
    ],
  };
  const ids = taken.map(({ _id }) => _id);
  const { matchedCount } = await files.updateMany(
    { _id: { $in: ids }, user, room, ...free },
    { $set: { state: 'bound', message, due } },
  );
  return matchedCount === ids.length;
}

/** Records that the message of these files is stored. If this fails, the sweep does it. */
export async function settleFiles({ message, due }: Attachments): Promise<void> {
  try {
    await files.updateMany({ message, due }, { $unset: { due: '' } });
  } catch (error) {
    log('debug', 'files of a message were not noted', { error: describeError(error) });
  }
}

/** The id of the message with this first file: the file's time in seconds, then a hash. */
const messageOf = (file: ObjectId): ObjectId =>
  new ObjectId(Buffer.concat([file.id.subarray(0, 4), createHash('sha256').update(file.id).digest().subarray(0, 8)]));
