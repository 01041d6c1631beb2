import { collection } from '../database/bounded.ts';

/** A key pair by which push services know the service (RFC 8292), in base64url. The last one made is in use. */
export type PushKeyDocument = {
  /** The public key. */
  _id: string;
  private_key: string;
  created_at: Date;
};

/** The key pairs of the service: those of earlier ones are kept while devices have subscribed with them. */
export const pushKeys = collection<PushKeyDocument>('push_keys');
