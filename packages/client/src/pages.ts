import type { Calls, PathOf } from './calls.ts';
import type { Operations } from './contract.ts';
import { errorOf } from './errors.ts';

/** The paths of lists. */
export type ListPath = {
  [Path in PathOf<'GET'>]: Operations[`GET ${Path}`]['data'] extends unknown[] ? Path : never;
}[PathOf<'GET'>];

/** A page of a list. */
export type PageOf<Path extends ListPath> = Operations[`GET ${Path}`]['data'];

/** The options of a list, as for `GET`. The `limit` of the query is the page size. */
export type PagesSettings<Path extends ListPath> = {
  params?: Pick<Operations[`GET ${Path}`], keyof Operations[`GET ${Path}`] & ('path' | 'query')>;
  signal?: AbortSignal;
};

/**
 * Reads a list page by page, following its `Link` headers. Throws a `ChatError` if a page fails
 * after the retries.
 */
export async function* pages<Path extends ListPath>(
  client: Calls,
  path: Path,
  { params, signal }: PagesSettings<Path> = {},
): AsyncGenerator<PageOf<Path>, void> {
  // TypeScript cannot infer the types of a call with an unknown path.
  const get = client.GET as unknown as (path: Path, init: object) => Promise<Answer<Path>>;
  let query: object | undefined = (params as { query?: object } | undefined)?.query ?? {};
  while (query) {
    const { data, error, response }: Answer<Path> = await get(path, { params: { ...params, query }, ...(signal && { signal }) });
    if (data === undefined) throw errorOf(response, error);
    yield data;
    query = nextQuery(response);
  }
}

type Answer<Path extends ListPath> = { data?: PageOf<Path>; error?: unknown; response: Response };

/** The query of the next page of a list; undefined after the last one. */
export function nextQuery({ headers }: Response): Record<string, string> | undefined {
  const [, search] = /<[^>?]*\?([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  return search === undefined ? undefined : Object.fromEntries(new URLSearchParams(search));
}
