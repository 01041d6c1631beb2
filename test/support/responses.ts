import { expect } from 'vitest';

/** The headers of every success with a body. */
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

/** The status and the body of a response, which most tests compare. */
export const outcome = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

/** The tokens of a list without the time of their last use, which is recorded in the background. */
export const withoutUse = (tokens: unknown) =>
  (tokens as { last_used_at: unknown }[]).map(({ last_used_at: _, ...token }) => token);
