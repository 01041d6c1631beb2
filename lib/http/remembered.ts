import { LruCache } from '../base/lru-cache.ts';
import { database } from '../database/client.ts';
import { stateOf } from '../database/within-process.ts';
import type { Caller } from '../identity/caller.ts';
import type { Operations, Source } from './operation.ts';
import type { ApiEvent, ApiResponse, Authenticated } from './request.ts';

/*
 * Clients ask for the same things again and again, and mostly nothing has happened meanwhile. Where the database is
 * within this process, it tells whether a collection has changed: as long as none has on which an answer depends, the
 * same caller gets the same answer again, without the operation. All steps before the operation run as always.
 */

type CachedAnswer = {
  response: ApiResponse;
  /** The caller's account, the same object until some token or account changes: it decides what the caller may see. */
  user: Caller['user'];
  /** The state of the sources before the answer was made. */
  state: number;
  weight: number;
};

const mostCharacters = 8 * 1024 * 1024;
/** About as many characters take as much memory as an entry without its address and its body. */
const weightOfEntry = 1_000;

/** An LRU cache, by the tokens of the callers and the addresses that they asked for. */
const answers = new LruCache<CachedAnswer>(mostCharacters / weightOfEntry, mostCharacters, ({ weight }) => weight);

/** The answer of an operation, from memory where that is right, and otherwise as `make` makes it; a refusal is not kept. */
export async function remembered(
  { remember, hasTag }: Operations[string],
  { caller, rawPath, queryStringParameters }: ApiEvent & Authenticated,
  make: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  if (!remember || !caller) return make();
  const state = stateOf(...(hasTag ? [...remember, 'epochs' as const] : remember).map(handleOf));
  if (Number.isNaN(state)) return make();
  const { user, token } = caller;
  const key = `${token._id.toHexString()} ${rawPath} ${JSON.stringify(queryStringParameters)}`;
  const last = answers.get(key);
  const response = last?.state === state && last.user === user ? last.response : await make();
  // One that is much of the memory alone would take the place of all others.
  const weight = (response.body?.length ?? 0) + key.length + weightOfEntry;
  if (weight < mostCharacters / 4) answers.set(key, { response, user, state, weight });
  // The steps above the operation change what they get.
  return { ...response, headers: { ...response.headers } };
}

const handleOf = (collectionName: Source) => ({ dbName: database.databaseName, collectionName });
