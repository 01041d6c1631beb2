import type { Client } from 'openapi-fetch';
import type { paths } from './contract.ts';
import { errorOf } from './errors.ts';

/** The paths whose GET answers with a list. */
export type ListPath = {
  [Path in keyof paths]: paths[Path] extends { get: { responses: { 200: { content: { 'application/json': unknown[] } } } } }
    ? Path
    : never;
}[keyof paths];

/** A page of a list: an array of what the path lists. */
export type PageOf<Path extends ListPath> = paths[Path]['get']['responses'][200]['content']['application/json'];

/** What to list, as for `GET`: the `limit` of the query is the size of a page. */
export type PagesSettings<Path extends ListPath> = {
  params?: Pick<paths[Path]['get']['parameters'], 'path' | 'query'>;
  signal?: AbortSignal;
};

/** Reads a list page by page, as its `Link` headers lead on. Throws a `ChatError` for a page that is refused, after the retries. */
export async function* pages<Path extends ListPath>(
  client: Client<paths>,
  path: Path,
  { params = {}, signal }: PagesSettings<Path> = {},
): AsyncGenerator<PageOf<Path>, void> {
  // The types of openapi-fetch can't be followed where the path is not known.
  const get = client.GET as unknown as (path: Path, init: object) => Promise<Answer<Path>>;
  let query: Record<string, unknown> | undefined = params.query ?? {};
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
