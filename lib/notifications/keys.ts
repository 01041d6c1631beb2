import type { ObjectId } from 'mongodb';
import webPush from 'web-push';
import { type PushKeyDocument, pushKeys } from '../collections/delivery/push-keys.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { canEncrypt, decrypt, encrypt } from '../credentials/encryption.ts';

/** How many days devices with an earlier key pair are still notified. */
export const earlierKeyDays = 60;

/** The public key for new subscriptions. The first use creates a key pair. */
export async function currentKey(): Promise<string> {
  const newest = await findNewest();
  if (newest) return newest._id;
  // If two pairs are created concurrently, all processes use the same one.
  await insertPair(new Date(0));
  return ((await findNewest()) as PushKeyDocument)._id;
}

/** A key pair in base64url, the format of other programs. */
export type KeyPair = { public_key: string; private_key: string };

/** The present key pair, to be backed up. */
export async function exportKeys(): Promise<KeyPair> {
  const public_key = await currentKey();
  const private_key = await privateKeyOf(public_key);
  if (private_key === undefined) throw new Error('The key pair was replaced meanwhile: try again.');
  return { public_key, private_key };
}

/**
 * Creates a new key pair. Pages subscribe their devices again when they are next opened. Until
 * then, devices are notified with the earlier pair, until it expires. Returns the new public key
 * and the number of devices with an earlier one.
 */
export async function rotateKeys(): Promise<{ public_key: string; devices: number }> {
  const encrypted = { encrypted_key: { $gt: '' } };
  if (!canEncrypt() && (await pushKeys.findOne(encrypted, { projection: { _id: 1 } })))
    throw new Error('The key of push notifications is encrypted: set SECRET_KEY to the key of the service, or to a new one.');
  await insertPair(new Date());
  // Of two concurrent rotations the later one counts. Of two in the same millisecond, the one that
  // `findNewest` returns counts.
  const { _id: public_key, created_at } = (await findNewest()) as PushKeyDocument;
  const isEarlier = { $or: [{ created_at: { $lt: created_at } }, { created_at, _id: { $gt: public_key } }] };
  const earlier = { ...isEarlier, expires_at: { $exists: false } };
  await pushKeys.updateMany(earlier, { $set: { expires_at: new Date(Date.now() + earlierKeyDays * 86_400_000) } });
  await forgetUnusedKeys();
  return { public_key, devices: await pushSubscriptions.countDocuments({ key: { $ne: public_key } }) };
}

/** Deletes earlier key pairs without subscribed devices. Usually none exists. */
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

/** The stored form of a private key. It cannot be used with only the database or its backup. */
const stored = (publicKey: string, privateKey: string): Pick<PushKeyDocument, 'private_key' | 'encrypted_key'> =>
  canEncrypt() ? { encrypted_key: encrypt(Buffer.from(privateKey), ownerOf(publicKey)) } : { private_key: privateKey };

const ownerOf = (publicKey: string) => `push key ${publicKey}`;

/**
 * The private key of a public key; undefined if the service does not have it any longer. Throws if
 * it cannot be decrypted.
 */
export async function privateKeyOf(publicKey: string): Promise<string | undefined> {
  const cached = cache.get(publicKey);
  if (cached && cached.until > performance.now()) return cached.privateKey;
  const pair = await pushKeys.findOne({ _id: publicKey });
  if (!pair) {
    cache.delete(publicKey);
    return undefined;
  }
  const privateKey = await read(pair);
  cache.set(publicKey, { privateKey, until: performance.now() + restMs });
  return privateKey;
}

/** Reads a private key. If it is not encrypted with the present secret key, it is re-encrypted. */
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
        ? 'The key of push notifications was encrypted with another SECRET_KEY: add that one after the current one, or create another key with `admin push-key rotate`.'
        : 'The key of push notifications is encrypted: set SECRET_KEY to the key of the service.',
    );
  const privateKey = decrypted.bytes.toString();
  if (decrypted.isOld) await pushKeys.updateOne({ _id, encrypted_key }, { $set: stored(_id, privateKey) });
  return privateKey;
}

// How long a private key is cached, in milliseconds. A pair never changes, but it may be deleted.
const restMs = 600_000;
const cache = new Map<string, { privateKey: string; until: number }>();
