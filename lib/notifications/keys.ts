import type { ObjectId } from 'mongodb';
import webPush from 'web-push';
import { type PushKeyDocument, pushKeys } from '../collections/delivery/push-keys.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { canEncrypt, decrypt, encrypt } from '../credentials/encryption.ts';

/** For how many days devices that have subscribed with an earlier key pair are still told. */
export const earlierKeyDays = 60;

/** The public key with which devices subscribe now; the first use makes a pair. */
export async function currentKey(): Promise<string> {
  const newest = await findNewest();
  if (newest) return newest._id;
  // Of two that are made at the same time, all take the same one.
  await insertPair(new Date(0));
  return ((await findNewest()) as PushKeyDocument)._id;
}

/** A key pair, in base64url, as other programs read it. */
export type KeyPair = { public_key: string; private_key: string };

/** The key pair that is in use, to be kept elsewhere. */
export async function exportKeys(): Promise<KeyPair> {
  const public_key = await currentKey();
  const private_key = await privateKeyOf(public_key);
  if (private_key === undefined) throw new Error('The key pair was replaced meanwhile: try again.');
  return { public_key, private_key };
}

/**
 * Has devices subscribe with another key pair from now on; pages do so when they are opened next. Those that have not
 * are told by the earlier one, until it expires. Returns the new public key, and how many devices have yet to follow.
 */
export async function rotateKeys(): Promise<{ public_key: string; devices: number }> {
  const encrypted = { encrypted_key: { $gt: '' } };
  if (!canEncrypt() && (await pushKeys.findOne(encrypted, { projection: { _id: 1 } })))
    throw new Error('The key of push notifications is encrypted: set SECRET_KEY to the key of the service, or to a new one.');
  await insertPair(new Date());
  // Of two rotations at the same time the later one counts, and of two in one millisecond the one that is found as the newest.
  const { _id: public_key, created_at } = (await findNewest()) as PushKeyDocument;
  const isEarlier = { $or: [{ created_at: { $lt: created_at } }, { created_at, _id: { $gt: public_key } }] };
  const earlier = { ...isEarlier, expires_at: { $exists: false } };
  await pushKeys.updateMany(earlier, { $set: { expires_at: new Date(Date.now() + earlierKeyDays * 86_400_000) } });
  await forgetUnusedKeys();
  return { public_key, devices: await pushSubscriptions.countDocuments({ key: { $ne: public_key } }) };
}

/** Forgets earlier key pairs with which no device is subscribed any longer; mostly there is none. */
export async function forgetUnusedKeys(): Promise<void> {
  const earlier = await pushKeys.find({ expires_at: { $gt: new Date(0) } }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of earlier) {
    const isUsed = await pushSubscriptions.findOne<{ _id: ObjectId }>({ key: _id }, { projection: { _id: 1 } });
    if (!isUsed) await pushKeys.deleteOne({ _id, expires_at: { $gt: new Date(0) } });
  }
}

const findNewest = () => pushKeys.findOne({}, { sort: { created_at: -1, _id: 1 } });

async function insertPair(created_at: Date): Promise<string> {
  const { publicKey: _id, privateKey } = webPush.generateVAPIDKeys();
  await pushKeys.insertOne({ _id, ...stored(_id, privateKey), created_at });
  return _id;
}

/** A private key as it is stored: nobody can use it who has but the database, or a backup of it. */
const stored = (publicKey: string, privateKey: string): Pick<PushKeyDocument, 'private_key' | 'encrypted_key'> =>
  canEncrypt() ? { encrypted_key: encrypt(Buffer.from(privateKey), ownerOf(publicKey)) } : { private_key: privateKey };

const ownerOf = (publicKey: string) => `push key ${publicKey}`;

/** The private key of a public one; undefined if it is not the service's any longer. Throws where it can't be decrypted. */
export async function privateKeyOf(publicKey: string): Promise<string | undefined> {
  const cached = cache.get(publicKey);
  if (cached && cached.until > performance.now()) return cached.privateKey;
  const pair = await pushKeys.findOne({ _id: publicKey });
  if (!pair) {
    cache.delete(publicKey);
    return undefined;
  }
  const privateKey = await read(pair);
  cache.set(publicKey, { privateKey, until: performance.now() + rest });
  return privateKey;
}

/** Reads a private key; one that was not encrypted, or by an earlier key, is by the present one from then on. */
async function read({ _id, private_key, encrypted_key }: PushKeyDocument): Promise<string> {
  if (encrypted_key === undefined) {
    const privateKey = private_key as string;
    if (canEncrypt())
      await pushKeys.updateOne({ _id, private_key: privateKey }, { $set: stored(_id, privateKey), $unset: { private_key: '' } });
    return privateKey;
  }
  const decrypted = decrypt(encrypted_key, ownerOf(_id));
  if (!decrypted)
    throw new Error(
      canEncrypt()
        ? 'The key of push notifications was encrypted by another SECRET_KEY: set that one as well, after the present one, or make another key by `admin push-key rotate`.'
        : 'The key of push notifications is encrypted: set SECRET_KEY to the key of the service.',
    );
  const privateKey = decrypted.bytes.toString();
  if (decrypted.isOld) await pushKeys.updateOne({ _id, encrypted_key }, { $set: stored(_id, privateKey) });
  return privateKey;
}

// Read once in a while, not for each device: a pair never changes, but may be forgotten.
const rest = 600_000;
const cache = new Map<string, { privateKey: string; until: number }>();
