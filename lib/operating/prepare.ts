import { type Document, type IndexDescription, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { attempt } from '../base/deadline.ts';
import { activityIndexes } from '../collections/accounts/activities.ts';
import { appCodeIndexes } from '../collections/accounts/app-codes.ts';
import { codeIndexes } from '../collections/accounts/codes.ts';
import { endedProviderSessionIndexes } from '../collections/accounts/ended-provider-sessions.ts';
import { loginLimitIndexes } from '../collections/accounts/login-limits.ts';
import { oidcRequestIndexes } from '../collections/accounts/oidc-requests.ts';
import { passkeyChallengeIndexes } from '../collections/accounts/passkey-challenges.ts';
import { passkeyIndexes } from '../collections/accounts/passkeys.ts';
import { rateLimitIndexes } from '../collections/accounts/rate-limits.ts';
import { tokenIndexes } from '../collections/accounts/tokens.ts';
import { userIndexes } from '../collections/accounts/users.ts';
import { commandIndexes } from '../collections/delivery/commands.ts';
import { connectionIndexes } from '../collections/delivery/connections.ts';
import { digestIndexes } from '../collections/delivery/digests.ts';
import { pushKeyIndexes } from '../collections/delivery/push-keys.ts';
import { pushSubscriptionIndexes } from '../collections/delivery/push-subscriptions.ts';
import { pushedIndexes } from '../collections/delivery/pushed.ts';
import { ticketIndexes } from '../collections/delivery/tickets.ts';
import { webhookStateIndexes } from '../collections/delivery/webhook-states.ts';
import { eventIndexes } from '../collections/rooms/events.ts';
import { fileQuotaIndexes } from '../collections/rooms/file-quotas.ts';
import { fileIndexes } from '../collections/rooms/files.ts';
import { messageIndexes } from '../collections/rooms/messages.ts';
import { notificationIndexes } from '../collections/rooms/notifications.ts';
import { readMarkerIndexes } from '../collections/rooms/read-markers.ts';
import { roomIndexes } from '../collections/rooms/rooms.ts';
import { savedIndexes } from '../collections/rooms/saved.ts';
import { sentTextIndexes } from '../collections/rooms/sent-texts.ts';
import { threadIndexes } from '../collections/rooms/threads.ts';
import { auditIndexes } from '../collections/service/audit.ts';
import { importIndexes } from '../collections/service/imports.ts';
import { serverNoticesIndexes } from '../collections/service/server-notices.ts';
import { serverIndexes } from '../collections/service/servers.ts';
import { client, database } from '../database/client.ts';
import { noteFile } from '../database/epoch.ts';
import { differenceOf } from '../database/index-options.ts';
import { notePreparation } from '../database/preparation.ts';
import { storeNotes } from '../rooms/notes.ts';
import { config } from '../settings/config.ts';

/**
 * Checks that the database answers, and creates the indexes: they hold rules that all operations
 * rely on, such as one account per name.
 */
export async function prepareDatabase(): Promise<void> {
  await database.command({ ping: 1 });
  await Promise.all([ensureIndexes(), noteFile()]);
}

/** Stores pending writes and closes the database connections, so that the process can exit. */
export async function closeDatabase(): Promise<void> {
  await storeNotes();
  await client.close();
}

/** The indexes of each collection; `indexVersion` is their digest. */
export const indexes: Readonly<Record<string, IndexDescription[]>> = {
  users: userIndexes,
  avatars: [],
  tokens: tokenIndexes,
  activities: activityIndexes,
  codes: codeIndexes,
  apps: [],
  app_codes: appCodeIndexes,
  oidc_requests: oidcRequestIndexes,
  ended_provider_sessions: endedProviderSessionIndexes,
  passkeys: passkeyIndexes,
  passkey_challenges: passkeyChallengeIndexes,
  login_limits: loginLimitIndexes,
  rate_limits: rateLimitIndexes,
  rooms: roomIndexes,
  messages: messageIndexes,
  get events() {
    return eventIndexes();
  },
  files: fileIndexes,
  file_quotas: fileQuotaIndexes,
  reads: readMarkerIndexes,
  saved: savedIndexes,
  sent_texts: sentTextIndexes,
  threads: threadIndexes,
  notifications: notificationIndexes,
  notification_markers: [],
  push_subscriptions: pushSubscriptionIndexes,
  push_keys: pushKeyIndexes,
  pushed: pushedIndexes,
  digests: digestIndexes,
  digest_rounds: [],
  webhook_states: webhookStateIndexes,
  commands: commandIndexes,
  bot_webhooks: [],
  tickets: ticketIndexes,
  connections: connectionIndexes,
  servers: serverIndexes,
  server_notices: serverNoticesIndexes,
  imports: importIndexes,
  audit: auditIndexes,
  audit_states: [],
};

/** The collections with the data of the service: the content of an export, and of an import. */
export const collectionNames: readonly string[] = Object.keys(indexes);

/** By the name of each collection the names of its indexes. */
export const expectedIndexes: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(indexes).map(([name, all]) => [name, all.map((index) => index.name ?? '')]),
);

/**
 * Indexes of earlier versions that others have replaced: no query needs them, and every write
 * updates them. None may hold a rule: an earlier version still serves while a later one is
 * deployed.
 */
const retired: Partial<Record<string, string[]>> = { messages: ['room, thread, seq', 'room, mentions, seq', 'room, text'] };

/**
 * Creates every index that does not exist yet, drops those of earlier versions and leaves all
 * others alone. Fails if an index of the same name has other options. Returns the number of the
 * service's indexes of each collection, `_id`'s included.
 */
export async function ensureIndexes(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  // Not all at once, because a call waits for a connection only as long as a request may.
  await concurrently(Object.entries(indexes), config.mongodbPoolSize, async ([collection, wanted]) => {
    const existing = await findIndexes(collection);
    // A collection can have only one text index, so an earlier one goes first.
    const outdated = existing.filter((index) => isRetired(collection, index) || expiresOtherwise(index, wanted));
    for (const { name } of outdated) await drop(collection, name);
    checkOptions(
      collection,
      existing.filter((index) => !outdated.includes(index)),
      wanted,
    );
    if (wanted.length > 0) await create(collection, wanted);
    counts[collection] = wanted.length + 1;
  });
  await notePreparation();
  return counts;
}

const isRetired = (collection: string, { name }: Document): boolean => retired[collection]?.includes(name) === true;

/** True if an index has another expiry than the setting requires. */
function expiresOtherwise({ name, expireAfterSeconds }: Document, wanted: IndexDescription[]): boolean {
  const after = wanted.find((index) => index.name === name)?.expireAfterSeconds;
  return after !== undefined && expireAfterSeconds !== undefined && Number(expireAfterSeconds) !== after;
}

/** The longest that indexes may take to build. */
const longestBuildMs = 840_000;

/**
 * Creates indexes. A build that outlasts the client's patience goes on in the database: the next
 * call waits for it.
 */
const create = (collection: string, wanted: IndexDescription[]): Promise<string[]> =>
  attempt(
    { milliseconds: longestBuildMs, exhausted: () => new Error(`The indexes of ${collection} are still built.`) },
    async () => {
      try {
        return await database.collection(collection).createIndexes(wanted);
      } catch (error) {
        if (error instanceof MongoNetworkTimeoutError) return undefined;
        throw error;
      }
    },
  );

function checkOptions(collection: string, existing: Document[], wanted: IndexDescription[]): void {
  for (const index of wanted) {
    const found = existing.find(({ name }) => name === index.name);
    const difference = found && differenceOf(found, index);
    if (difference)
      throw new Error(
        `The index '${index.name}' of the collection '${collection}' has other options than the service needs (${difference}). Drop it, and start again: the service creates the right one.`,
      );
  }
}

async function findIndexes(collection: string): Promise<Document[]> {
  try {
    return await database.collection(collection).indexes();
  } catch (error) {
    // The collection does not exist yet.
    if (!(error instanceof MongoServerError && error.code === namespaceNotFound)) throw error;
    return [];
  }
}

async function drop(collection: string, name: string): Promise<void> {
  try {
    await database.collection(collection).dropIndex(name);
  } catch (error) {
    // Another process has just dropped it.
    if (!(error instanceof MongoServerError && error.code === indexNotFound)) throw error;
  }
}

const namespaceNotFound = 26;
const indexNotFound = 27;
