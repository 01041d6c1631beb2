import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * A session at an identity provider that has just ended. A sign-in from it that is in progress is
 * not completed.
 */
type EndedProviderSessionDocument = {
  /** The value of `provider_session` in tokens. */
  _id: string;
  expires_at: Date;
};

export const endedProviderSessionIndexes: IndexDescription[] = [
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The sessions at identity providers that have just ended. */
export const endedProviderSessions = collection<EndedProviderSessionDocument>('ended_provider_sessions');
