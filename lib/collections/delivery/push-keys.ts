import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * A key pair that identifies the service to push services (RFC 8292), in base64url. The newest is
 * in use.
 */
export type PushKeyDocument = {
  /** The public key. */
  _id: string;
  /**
   * The private key, as plain text or encrypted with `SECRET_KEY`: exactly one of the two is set.
   */
  private_key?: string;
  encrypted_key?: string;
  created_at: Date;
  /**
   * Set once a newer key is in use. By then all devices have subscribed with that, or are given up.
   */
  expires_at?: Date;
};

export const pushKeyIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/**
 * The key pairs of the service. Earlier ones are kept while devices may be subscribed with them.
 */
export const pushKeys = collection<PushKeyDocument>('push_keys');
