import type { IndexDescription, ObjectId } from 'mongodb';
import type { Scope } from '../../api/scopes.ts';
import { collection } from '../../database/bounded.ts';

/** An authorization code: what a user allowed an app. It is exchanged once, for a token. */
export type AppCodeDocument = {
  /** The SHA-256 of the code, in hexadecimal. */
  _id: string;
  user: ObjectId;
  /** The session that allowed it: the code ends with that session. */
  session: ObjectId;
  client_id: string;
  name: string;
  host: string | null;
  redirect_uri: string;
  /** The code challenge of PKCE. */
  challenge: string;
  scopes: Scope[];
  resource: string | null;
  /** How often it was presented. The second time ends what the first time got. */
  uses: number;
  /** True if it was presented after `valid_until`. */
  is_late?: boolean;
  /** Until when it can be exchanged. */
  valid_until: Date;
  /** Until when a replay is noticed. */
  expires_at: Date;
};

export const appCodeIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The authorization codes of the last minutes. */
export const appCodes = collection<AppCodeDocument>('app_codes');
