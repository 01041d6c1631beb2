import type { ObjectId } from 'mongodb';
import { users } from '../collections/accounts/users.ts';
import { forgetAvatar, receivePicture, receivePictureRefusals, storeAvatar } from '../files/avatars.ts';
import { noSuchUser, shownUser, type User } from '../identity/users.ts';
import { notifyServers } from '../notices/notices.ts';

export const setAvatarRefusals = [noSuchUser, ...receivePictureRefusals];

/** Sets the picture of a user. */
export async function setAvatar(user: ObjectId, sent: AsyncIterable<Uint8Array>): Promise<User> {
  if ((await users.countDocuments({ _id: user }, { limit: 1 })) === 0) throw noSuchUser();
  const picture = await receivePicture(sent);
  await storeAvatar(user, picture);
  const set = { $set: { avatar: picture.version } };
  const changed = await users.findOneAndUpdate({ _id: user }, set, { returnDocument: 'after' });
  if (!changed) {
    await forgetAvatar(user);
    throw noSuchUser();
  }
  notifyServers({ type: 'person', user: user.toHexString() });
  return shownUser.show(changed);
}

/** Removes the picture of a user. */
export async function removeAvatar(user: ObjectId): Promise<void> {
  const { matchedCount } = await users.updateOne({ _id: user }, { $unset: { avatar: '' } });
  if (matchedCount === 0) throw noSuchUser();
  await forgetAvatar(user);
  notifyServers({ type: 'person', user: user.toHexString() });
}
