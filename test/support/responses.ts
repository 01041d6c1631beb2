import { expect } from 'vitest';

/** What every success with a body carries. */
export const successHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'max-age=86400, must-revalidate, no-store',
  vary: 'Accept-Encoding',
};

/** An id as the API shows it. */
export const anyId = { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) };

/** A time as the API shows it. */
export const anyDate = { $date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) };

/** The 32 characters of a token. */
export const anyToken = expect.stringMatching(/^[a-z0-9]{32}$/);

/** The answers that refuse, by what they say. */
export const refusals = {
  unauthenticated: { status: 401, body: { title: 'Not authentificated', description: 'Please provide an auth token or login.' } },
  wrongLogin: { status: 401, body: { title: 'Not authentificated', description: 'The username or password is incorrect.' } },
  denied: (description = 'Admin required.') => ({ status: 403, body: { title: 'Permission Denied', description } }),
  missing: (name: string) => ({
    status: 400,
    body: { title: 'Missing parameter', description: `The '${name}' parameter is required.` },
  }),
  invalid: (name: string, rule: string) => ({
    status: 400,
    body: { title: 'Invalid parameter', description: `The '${name}' parameter must ${rule}.` },
  }),
  notFound: (thing: string) => ({ status: 404, body: { title: 'Not found', description: `No such ${thing}.` } }),
  conflict: (description: string) => ({ status: 409, body: { title: 'Conflict', description } }),
};

/** The two parts of an answer that say how it went. */
export const outcome = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

/** The tokens of a list without the time of their last use, which is noted beside the answer and may come a moment late. */
export const withoutUse = (tokens: unknown) =>
  (tokens as { last_used_at: unknown }[]).map(({ last_used_at: _, ...token }) => token);
