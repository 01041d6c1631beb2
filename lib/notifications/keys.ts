import webPush from 'web-push';
import { type PushKeyDocument, pushKeys } from '../collections/push-keys.ts';

/** The key pair with which devices subscribe now; the first use makes one. */
export async function currentKeys(): Promise<PushKeyDocument> {
  const [newest] = await findKeys();
  if (newest) return newest;
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  await pushKeys.insertOne({ _id: publicKey, private_key: privateKey, created_at: new Date(0) });
  // Of two that are made at the same time, all take the same one.
  return (await findKeys())[0] as PushKeyDocument;
}

const findKeys = () => pushKeys.find({}, { sort: { created_at: -1, _id: 1 }, limit: 1 }).toArray();

/** The private key of a public one; undefined if it is not the service's any longer. */
export async function privateKeyOf(publicKey: string): Promise<string | undefined> {
  const found = known.get(publicKey) ?? (await pushKeys.findOne({ _id: publicKey }))?.private_key;
  if (found !== undefined) known.set(publicKey, found);
  return found;
}

// Read once, not for each device: a pair never changes.
const known = new Map<string, string>();
