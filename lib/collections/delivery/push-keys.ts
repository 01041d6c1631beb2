import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A key pair by which push services know the service (RFC 8292), in base64url. The last one made is in use. */
export type PushKeyDocument = {
  /** The public key. */
  _id: string;
  /** The private key, or the same encrypted where there is a `SECRET_KEY`: one of the two. */
  private_key?: string;
  encrypted_key?: string;
  created_at: Date;
  /** Only there once another one is in use: by then all devices have subscribed with that, or are given up. */
  expires_at?: Date;
};

export const pushKeyIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The key pairs of the service: those of earlier ones are kept while devices have subscribed with them. */
export const pushKeys = collection<PushKeyDocument>('push_keys');
