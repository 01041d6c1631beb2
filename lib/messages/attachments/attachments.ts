import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { distinct } from '../../api/extended-json.ts';
import { about, id, type Parameter } from '../../api/parameters.ts';
import { conflict, notFound, type Refusal } from '../../base/errors.ts';
import { describeError, log } from '../../base/log.ts';
import { type FileDocument, files } from '../../collections/rooms/files.ts';
import type { AttachedFile } from '../../collections/rooms/messages.ts';
import { beginningLength } from '../../files/file-store.ts';
import { hasTooManyPixels, isWiderThan, largestPreviewSide, pictureHeaderLength } from '../../files/picture-size.ts';
import { bindingTime } from '../../files/removal.ts';
import { previewKey, requireStore } from '../../files/store.ts';
import { anyType, typeOf } from '../../files/types.ts';
import type { Caller } from '../../identity/caller.ts';
import { withArrivals } from './arrivals.ts';

/*
 * A file belongs to one message. The id of that message follows from its first file, so that a retry, whatever
 * process died before, means the same message, and the unique `_id` admits it once. The files are taken before the message is
 * stored; one that is taken by a message that never came is removed by the sweep.
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

/** The files of a message that has no place yet, and the id that it will have. */
export type Attachments = { message: ObjectId; user: ObjectId; room: ObjectId; due: Date; files: AttachedFile[] };

/** The files that a caller wants to send to a room: 404 for those of others or for another room, 409 for those without bytes or with a message. */
export async function findAttachments(ids: ObjectId[], room: ObjectId, caller: Caller): Promise<Attachments> {
  const user = caller.user._id;
  const message = messageOf(ids[0] as ObjectId);
  const found = await files.find({ _id: { $in: ids }, user, room, state: { $ne: 'deleted' } }).toArray();
  const byId = new Map(found.map((file) => [file._id.toHexString(), file]));
  const attached = ids.map(async (one) => {
    const file = byId.get(one.toHexString());
    if (!file) throw noSuchFile();
    // One of this message may be a retry's: the message itself decides, when it is stored.
    if (file.message && !file.message.equals(message)) throw fileTaken();
    return attach(await withArrivals(file));
  });
  return { message, user, room, due: new Date(Date.now() + bindingTime), files: await Promise.all(attached) };
}

/** The file as its message has it, with the type that its bytes show. A picture with too many pixels is only downloaded. */
async function attach({ _id, key, state, preview, ...file }: FileDocument): Promise<AttachedFile> {
  const length = file.type.startsWith('image/') ? pictureHeaderLength : beginningLength;
  const beginning = state === 'reserved' ? undefined : await requireStore().beginning(key, length);
  if (!beginning) throw notUploaded();
  const { name, size, width, height, duration, alt } = file;
  const found = typeOf(file.type, beginning);
  const type = hasTooManyPixels(found, beginning) ? anyType : found;
  const has_preview = await hasPreview(key, preview);
  return { _id, name, type, size, width, height, duration, has_preview, ...(alt && { alt }) };
}

async function hasPreview(key: string, preview: FileDocument['preview']): Promise<boolean> {
  const bytes = preview?.is_stored && (await requireStore().beginning(previewKey(key), preview.size));
  if (!bytes || typeOf(preview.type, bytes) !== preview.type) return false;
  return !isWiderThan(largestPreviewSide, preview.type, bytes);
}

/** Takes the files for their message; false if one was removed, or taken by another message, meanwhile. */
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

/** Notes that their message is stored. Otherwise the sweep finds it. */
export async function settleFiles({ message, due }: Attachments): Promise<void> {
  try {
    await files.updateMany({ message, due }, { $unset: { due: '' } });
  } catch (error) {
    log('debug', 'files of a message were not noted', { error: describeError(error) });
  }
}

/** The id of the message whose first file this is: of the same second, and otherwise a hash. */
const messageOf = (file: ObjectId): ObjectId =>
  new ObjectId(Buffer.concat([file.id.subarray(0, 4), createHash('sha256').update(file.id).digest().subarray(0, 8)]));
