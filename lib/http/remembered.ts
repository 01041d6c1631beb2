import { LruCache } from '../base/lru-cache.ts';
import { database } from '../database/client.ts';
import { stateOf } from '../database/within-process.ts';
import type { Caller } from '../identity/caller.ts';
import type { Operations, Source } from './operation.ts';
import type { ApiEvent, ApiResponse, CallerField } from './request.ts';

/*
 * A cache of answers. Clients often repeat requests while nothing has changed. A database within
 * this process knows if a collection has changed. While the collections of an operation are
 * unchanged, the same caller gets the cached answer. The middlewares before the operation always
 * run.
 */

type CachedAnswer = {
  response: ApiResponse;
  /**
   * The caller's account, which decides what the caller may see. It is the same object until a
   * token or an account changes.
   */
  user: Caller['user'];
  /** The state of the collections before the answer was made. */
  state: number;
  weight: number;
};

const mostCharacters = 8 * 1024 * 1024;
/** An entry without its key and body needs about as much memory as so many characters. */
const weightOfEntry = 1_000;

/** The cached answers, by token and address. */
const answers = new LruCache<CachedAnswer>(mostCharacters / weightOfEntry, mostCharacters, ({ weight }) => weight);

/**
 * Returns the cached answer of an operation if it is current; otherwise calls `make`. Refusals are
 * not cached.
 */
export async function remembered(
  { remember, hasTag }: Operations[string],
  { caller, rawPath, queryStringParameters }: ApiEvent & CallerField,
  make: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  if (!remember || !caller) return make();
  const state = stateOf(...(hasTag ? [...remember, 'epochs' as const] : remember).map(handleOf));
  if (Number.isNaN(state)) return make();
  const { user, token } = caller;
  const key = `${token._id.toHexString()} ${rawPath} ${JSON.stringify(queryStringParameters)}`;
  const last = answers.get(key);
  const response = last?.state === state && last.user === user ? last.response : await make();
  // A very large answer would evict all others.
  const weight = (response.body?.length ?? 0) + key.length + weightOfEntry;
  if (weight < mostCharacters / 4) answers.set(key, { response, user, state, weight });
  // A copy of the headers, because the outer middlewares change them.
  return { ...response, headers: { ...response.headers } };
}

const handleOf = (collectionName: Source) => ({ dbName: database.databaseName, collectionName });
