import { hash } from 'node:crypto';
import { isWiderThan, largestAvatarSide } from 'chat-service-rules/picture-size';
import { Binary, type ObjectId } from 'mongodb';
import { about, anyText, optional } from '../api/parameters.ts';
import { HttpError, notFound, type Refusal } from '../base/errors.ts';
import { avatars } from '../collections/accounts/avatars.ts';
import { whole } from './directory.ts';
import { typeOf } from './types.ts';

/*
 * The pictures of users and rooms. The bytes are stored before their owner gets the version, and
 * removed after the owner has lost it. If a process dies in between, the owner has a different
 * picture than its version says, or none, until the next change.
 */

const most = 65_536;
const types = ['image/webp', 'image/png', 'image/jpeg'];

const noSuchAvatar: Refusal = () => notFound('avatar');

const noPicture: Refusal = () =>
  new HttpError(400, {
    title: 'Invalid parameter',
    description: 'The body must be a WebP, PNG or JPEG picture.',
    code: 'invalid_picture',
  });

const tooLarge: Refusal = () =>
  new HttpError(413, {
    title: 'Payload too large',
    description: 'A picture of a user or a room must not exceed 64 kB.',
    code: 'picture_too_large',
  });

const tooManyPixels: Refusal = () =>
  new HttpError(400, {
    title: 'Invalid parameter',
    description: `The picture must not be wider or higher than ${largestAvatarSide} pixels.`,
    code: 'picture_too_wide',
  });

export const askedVersion = about(
  'The version of the picture, for caches. Any value returns the current picture.',
  optional(anyText),
);
export const readAvatarRefusals = [noSuchAvatar];
export const receivePictureRefusals = [noPicture, tooLarge, tooManyPixels];

/** The picture of a user or a room, for a request that may name a version. */
export async function readAvatar(owner: ObjectId, asked: string | undefined) {
  const found = await avatars.findOne({ _id: owner });
  if (!found) throw noSuchAvatar();
  const { type, bytes, version } = found;
  const content = bytes.buffer;
  // An earlier version of the service accepted pictures of any size.
  if (isWiderThan(largestAvatarSide, Buffer.from(content))) throw noSuchAvatar();
  return { type, content, version, asked };
}

/** Reads a picture from a request. Its type is determined from its bytes. */
export async function receivePicture(sent: AsyncIterable<Uint8Array>): Promise<ReceivedPicture> {
  const bytes = await collect(sent);
  const type = typeOf('image/webp', bytes);
  if (!types.includes(type)) throw noPicture();
  if (isWiderThan(largestAvatarSide, bytes)) throw tooManyPixels();
  return { type, bytes, version: hash('sha256', bytes, 'base64url').slice(0, 22) };
}

type ReceivedPicture = { type: string; bytes: Buffer; version: string };

/** Stores the picture of a user or a room. */
export const storeAvatar = async (owner: ObjectId, { bytes, ...picture }: ReceivedPicture): Promise<void> =>
  void (await avatars.updateOne({ _id: owner }, { $set: { ...picture, bytes: new Binary(bytes) } }, { upsert: true }));

/** Removes the bytes of a picture. */
export const forgetAvatar = async (owner: ObjectId): Promise<void> => void (await avatars.deleteOne({ _id: owner }));

async function collect(sent: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of whole(sent, noPicture)) {
    size += chunk.length;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
