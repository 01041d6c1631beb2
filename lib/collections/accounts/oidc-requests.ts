import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A sign-in by the identity provider that somebody has begun: it can be completed once, within ten minutes, by the same browser. */
export type OidcRequestDocument = {
  /** The SHA-256 of the `state`, in hexadecimal. */
  _id: string;
  /** The SHA-256 of the secret in the browser's cookie, in hexadecimal. */
  browser: string;
  /** The provider that it was begun at; absent where an earlier version has begun it, which knew that of `OIDC_ISSUER` alone. */
  issuer?: string;
  nonce: string;
  /** The secret of PKCE, whose hash the provider has. */
  verifier: string;
  /** The path of the page that was asked for. */
  path: string;
  invitation?: string;
  /** The account that the provider's person is to be linked to, in which generation of its sessions. */
  account?: { user: ObjectId; generation: number };
  /** The account that the person gets instead of an own one, by a code that was made for it. */
  claim?: { user: ObjectId; generation: number; code: ObjectId };
  expires_at: Date;
};

export const oidcRequestIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The sign-ins that are not completed yet. */
export const oidcRequests = collection<OidcRequestDocument>('oidc_requests');
