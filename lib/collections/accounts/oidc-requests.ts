import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * A sign-in through the identity provider that is in progress. It can be completed once, within ten
 * minutes, by the same browser.
 */
export type OidcRequestDocument = {
  /** The SHA-256 of the `state`, in hexadecimal. */
  _id: string;
  /** The SHA-256 of the secret in the browser's cookie, in hexadecimal. */
  browser: string;
  /**
   * The provider where it began. Absent in requests of an earlier version, which supported only
   * `OIDC_ISSUER`.
   */
  issuer?: string;
  nonce: string;
  /** The secret of PKCE; the provider has its hash. */
  verifier: string;
  /** The path of the requested page. */
  path: string;
  invitation?: string;
  /** The account to connect with the identity, and its session generation. */
  account?: { user: ObjectId; generation: number };
  /** The imported account that the person takes over instead of getting a new one. */
  claim?: { user: ObjectId; generation: number; code: ObjectId };
  expires_at: Date;
};

export const oidcRequestIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The sign-ins that are not completed yet. */
export const oidcRequests = collection<OidcRequestDocument>('oidc_requests');
