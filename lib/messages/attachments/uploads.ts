import { randomBytes } from 'node:crypto';
import { isObject } from 'chat-service-rules/objects';
import { ObjectId } from 'mongodb';
import { dateSchema, ownId, showDate, showId } from '../../api/extended-json.ts';
import { type CreationResult, type IdempotencyKey, requireSameRequest } from '../../api/idempotency.ts';
import { about, id, integer, nameText, optional, type Parameter, textUpTo, type Values } from '../../api/parameters.ts';
import { aText, aWord, described, orNull, record, type Schema, type Shown } from '../../api/schema.ts';
import { regardlessOfDeadline } from '../../base/deadline.ts';
import { conflict, HttpError, type Refusal } from '../../base/errors.ts';
import { type AnnouncedBytes, type FileDocument, files } from '../../collections/rooms/files.ts';
import { isDuplicateKey } from '../../database/failures.ts';
import { otherBytes, uploadBroken } from '../../files/directory.ts';
import type { FileStore } from '../../files/file-store.ts';
import { giveQuotaBack, quotaExceeded, takeQuota } from '../../files/quotas.ts';
import { announcedTime, removeFile, unboundTime } from '../../files/removal.ts';
import { findStore, noFiles, previewKey, requireStore } from '../../files/store.ts';
import type { Caller } from '../../identity/caller.ts';
import { findContext, noSuchRoom } from '../../rooms/contexts.ts';
import { findReadableRoom, refusalsOf, requirePermission } from '../../rooms/permissions.ts';
import { config } from '../../settings/config.ts';
import { noSuchFile } from './attachments.ts';

/** A media type without parameters, in lower case. */
const mediaType: Parameter<string> = {
  read: (sent) =>
    typeof sent === 'string' ? /^([\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64})( *;.*)?$/.exec(sent)?.[1]?.toLowerCase() : undefined,
  rule: 'be a media type such as image/png',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_!#$&^.+-]{1,64}/[A-Za-z0-9_!#$&^.+-]{1,64}$' },
};

const sha256: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && /^[0-9a-f]{64}$/.test(sent) ? sent : undefined),
  rule: 'be a SHA-256 in hexadecimal',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};

const largestPreview = 65_536;
const previewSize = integer(1, largestPreview);
const previewTypes = ['image/webp', 'image/jpeg', 'image/png'] as const;

/** The small picture of a picture or a video. */
const preview: Parameter<AnnouncedBytes> = {
  read: (sent) => {
    if (!isObject(sent)) return undefined;
    const type = previewTypes.find((one) => one === sent.type);
    const [size, hash] = [previewSize.read(sent.size), sha256.read(sent.sha256)];
    return type && size && hash ? { type, size, sha256: hash } : undefined;
  },
  rule: `have a 'type' of ${previewTypes.join(', ')}, a 'size' of at most ${largestPreview} bytes and a 'sha256'`,
  schema: {
    type: 'object',
    properties: {
      type: described('The media type.', { enum: previewTypes }),
      size: described('The number of bytes.', previewSize.schema),
      sha256: described('The SHA-256 of the bytes.', sha256.schema),
    },
    required: ['type', 'size', 'sha256'],
    additionalProperties: false,
  },
};

const pixels = integer(1, 100_000);

const longestAlt = textUpTo(500);
const alt: Parameter<string> = {
  ...longestAlt,
  read: (sent) => longestAlt.read(typeof sent === 'string' ? sent.trim() : sent),
};

/** The announcement of a file. */
export const announcement = {
  room: about('The room to send it to.', id),
  name: about('The name that others see, and under which they store it.', nameText(1, 255)),
  type: about('The media type. If it is shown in place, it must match the bytes when the file is sent.', mediaType),
  size: about('The number of bytes; `limits.file_bytes` of `GET /api/health` is the most.', integer(0, Number.MAX_SAFE_INTEGER)),
  sha256: about('The SHA-256 of the bytes.', sha256),
  width: about('The width of a picture or a video, in pixels.', optional(pixels)),
  height: about('Its height.', optional(pixels)),
  duration: about('The length of a recording, in seconds.', optional(integer(0, 1_000_000))),
  alt: about('A description for people who cannot see it. Searches find the message by it.', optional(alt)),
  preview: about('A small preview, which is uploaded as well.', optional(preview)),
};

const uploadSchema = record('Upload', {
  method: described('The method of the request.', aWord('PUT')),
  url: described(
    'The address. If it begins with `/`, it belongs to this service and needs the token. Any other belongs to an object store, which must not receive the token.',
    aText,
  ),
  headers: described('The headers that it must have.', {
    type: 'object',
    additionalProperties: described('The value of the header.', aText),
  } as Headers),
  expires_at: described('The time until which it can be made. Repeat the announcement with its key for a later one.', dateSchema),
});
type Headers = Schema<Record<string, string>>;

/** The requests that upload a file's bytes. */
export const announcedSchema = record('AnnouncedFile', {
  _id: ownId,
  upload: described('The request that uploads the bytes.', uploadSchema),
  preview_upload: described('The request that uploads the preview; null if none was announced.', orNull(uploadSchema)),
});
type Announcement = Shown<typeof announcedSchema>;

const fileTooLarge: Refusal = () =>
  new HttpError(413, {
    title: 'Payload too large',
    description: 'The file is larger than the service takes.',
    code: 'file_too_large',
  });

const tooManyAnnounced: Refusal = () =>
  conflict('too_many_announced', 'Too many files were announced and not uploaded: upload them, take them back, or wait an hour.');

/** The most files of a user that are announced and not uploaded. */
const mostAnnounced = 60;

/** The service is not notified of uploads to an object store, so files there have a day. */
const reservedFor = ({ direct }: FileStore): number => (direct ? unboundTime : announcedTime);

export const announceRefusals = [...refusalsOf('send'), noSuchRoom, noFiles, fileTooLarge, quotaExceeded, tooManyAnnounced];

/**
 * Announces a file of the caller for a room. Its space is reserved for an hour, until the bytes
 * arrive.
 */
export async function announceFile(
  { preview, size, width, height, duration, alt, ...sent }: Values<typeof announcement>,
  key: IdempotencyKey | undefined,
  caller: Caller,
): Promise<CreationResult<Announcement>> {
  const store = requireStore();
  const user = caller.user._id;
  const first = key && (await findAnnounced(user, key));
  if (first) return replay(first, key, caller);
  requirePermission(await findContext(sent.room, caller), 'send');
  if (size > config.files.size) throw fileTooLarge();
  const waiting = await files.countDocuments({ user, state: 'reserved' }, { limit: mostAnnounced });
  if (config.limits.areOn && waiting >= mostAnnounced) throw tooManyAnnounced();

  const bytes = size + (preview?.size ?? 0);
  const now = new Date();
  const file: FileDocument = {
    _id: new ObjectId(),
    user,
    message: null,
    ...sent,
    size,
    width: width ?? null,
    height: height ?? null,
    duration: duration ?? null,
    ...(alt && { alt }),
    ...(preview && { preview }),
    key: randomBytes(16).toString('hex'),
    bytes,
    state: 'reserved',
    created_at: now,
    due: new Date(now.getTime() + reservedFor(store)),
    ...key,
  };
  await takeQuota(user, bytes);
  try {
    await files.insertOne(file);
    return { value: show(file), isReplay: false };
  } catch (error) {
    // After any other failure the file may be stored. The sweep corrects the quotas.
    if (!isDuplicateKey(error)) throw error;
    const earlier = await files.findOne(key ? { user, idempotency_key: key.idempotency_key } : { _id: file._id });
    // The driver repeats an insert if its connection breaks, and may then find its own document.
    if (earlier?._id.equals(file._id)) return { value: show(file), isReplay: false };
    await giveQuotaBack(user, bytes);
    if (!earlier || !key) throw error;
    return replay(earlier, key, caller);
  }
}

const findAnnounced = (user: ObjectId, { idempotency_key }: IdempotencyKey) => files.findOne({ user, idempotency_key });

/**
 * The file of the first announcement, if the caller may still read the room. Replays of messages
 * work alike.
 */
async function replay(first: FileDocument, key: IdempotencyKey, caller: Caller): Promise<CreationResult<Announcement>> {
  await findReadableRoom(first.room, caller);
  requireSameRequest(first, key);
  return { value: show(first), isReplay: true };
}

function show({ _id, key, preview, created_at, ...file }: FileDocument): Announcement {
  const uploadOf = (announced: AnnouncedBytes, isPreview: boolean) => {
    const elsewhere = findStore()?.direct?.upload(isPreview ? previewKey(key) : key, announced);
    return {
      method: 'PUT' as const,
      url: elsewhere?.url ?? `/api/files/${_id.toHexString()}/content${isPreview ? '?preview=true' : ''}`,
      headers: elsewhere?.headers ?? { 'Content-Type': announced.type },
      expires_at: showDate(elsewhere?.expiresAt ?? new Date(created_at.getTime() + reservedFor(requireStore()))),
    };
  };
  return {
    _id: showId(_id),
    upload: uploadOf(file, false),
    preview_upload: preview ? uploadOf(preview, true) : null,
  };
}

const alreadySent: Refusal = () =>
  conflict('file_sent', 'The file was sent already: its bytes never change, and it is deleted with its message.');

const storedElsewhere: Refusal = () =>
  conflict('stored_elsewhere', 'The bytes go to the address that the announcement has given, not to the service.');

export const uploadRefusals = [noSuchFile, noFiles, alreadySent, storedElsewhere, otherBytes, uploadBroken];

/**
 * Stores the bytes of a file that the caller has announced, or of its preview. A client may send
 * the same bytes again.
 */
export async function uploadBytes(
  file: ObjectId,
  isPreview: boolean,
  bytes: AsyncIterable<Uint8Array>,
  caller: Caller,
): Promise<void> {
  const store = requireStore();
  if (store.direct) throw storedElsewhere();
  const announced = await files.findOne({ _id: file, user: caller.user._id, state: { $ne: 'deleted' } });
  const wanted = isPreview ? announced?.preview : announced;
  if (!announced || !wanted) throw noSuchFile();
  if (announced.state === 'bound') throw alreadySent();
  const key = isPreview ? previewKey(announced.key) : announced.key;
  await store.receive(key, wanted, bytes);
  const due = new Date(Date.now() + unboundTime);
  const stored = isPreview ? { 'preview.is_stored': true as const } : { state: 'stored' as const, due };
  const { matchedCount } = await files.updateOne({ _id: file, state: { $in: ['reserved', 'stored'] } }, { $set: stored });
  // The file may have been bound in the meantime, with the same bytes from an earlier request. If
  // it was removed instead, nobody else deletes these bytes.
  if (matchedCount > 0 || (await files.countDocuments({ _id: file, state: 'bound' }, { limit: 1 })) > 0) return;
  await store.remove(key);
  throw noSuchFile();
}

export const takeBackRefusals = [noSuchFile, noFiles, alreadySent];

/**
 * Removes a file that the caller has not sent: its announcement, its bytes and its share of the
 * quotas.
 */
export async function takeBackFile(file: ObjectId, caller: Caller): Promise<void> {
  requireStore();
  let isRemoved = false;
  // Repeat if its bytes arrived in the meantime.
  while (!isRemoved) {
    const found = await files.findOne({ _id: file, user: caller.user._id, state: { $ne: 'deleted' } });
    if (!found) throw noSuchFile();
    if (found.state === 'bound') throw alreadySent();
    isRemoved = await regardlessOfDeadline(() => removeFile(found));
  }
}
