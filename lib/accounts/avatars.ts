import { hash } from 'node:crypto';
import { Binary, type ObjectId } from 'mongodb';
import { avatars } from '../collections/avatars.ts';
import { users } from '../collections/users.ts';
import { HttpError, notFound, type Refusal } from '../errors.ts';
import { whole } from '../files/directory.ts';
import { typeOf } from '../files/types.ts';
import type { Picture } from '../http/bytes.ts';
import { noSuchUser, shownUser, type User } from '../identity/users.ts';
import { notifyServers } from '../notices.ts';

/*
 * The bytes are stored before the account has their version, and removed after the account has lost it. What is
 * cut off in between leaves an account with another picture than it says, or with none, until the next change.
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
    description: 'A picture of a user must not exceed 64 kB.',
    code: 'picture_too_large',
  });

export const readAvatarRefusals = [noSuchAvatar];
export const setAvatarRefusals = [noSuchUser, noPicture, tooLarge];

/** The picture of a user. */
export async function readAvatar(user: ObjectId, asked: string | undefined): Promise<Picture> {
  const found = await avatars.findOne({ _id: user });
  if (!found) throw noSuchAvatar();
  const { type, bytes, version } = found;
  return { type, content: bytes.buffer, version, asked };
}

/** Gives a user a picture; its type is what the bytes show. */
export async function setAvatar(user: ObjectId, sent: AsyncIterable<Uint8Array>): Promise<User> {
  if ((await users.countDocuments({ _id: user }, { limit: 1 })) === 0) throw noSuchUser();
  const bytes = await collect(sent);
  const type = typeOf('image/webp', bytes);
  if (!types.includes(type)) throw noPicture();
  const version = hash('sha256', bytes, 'base64url').slice(0, 22);
  await avatars.updateOne({ _id: user }, { $set: { version, type, bytes: new Binary(bytes) } }, { upsert: true });
  const changed = await users.findOneAndUpdate({ _id: user }, { $set: { avatar: version } }, { returnDocument: 'after' });
  if (!changed) {
    await forgetAvatar(user);
    throw noSuchUser();
  }
  notifyServers({ type: 'person', user: user.toHexString() });
  return shownUser.show(changed);
}

/** Takes the picture of a user away. */
export async function removeAvatar(user: ObjectId): Promise<void> {
  const { matchedCount } = await users.updateOne({ _id: user }, { $unset: { avatar: '' } });
  if (matchedCount === 0) throw noSuchUser();
  await forgetAvatar(user);
  notifyServers({ type: 'person', user: user.toHexString() });
}

/** Removes the bytes of a user's picture. */
export const forgetAvatar = async (user: ObjectId): Promise<void> => void (await avatars.deleteOne({ _id: user }));

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
