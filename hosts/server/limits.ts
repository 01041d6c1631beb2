/** What API Gateway's HTTP APIs and Lambda allow, in bytes and milliseconds, so that what works here works there. */
export const limits = {
  /** Of a request's body: more is 413. */
  requestBody: 10 * 1024 * 1024,
  /** Of what a function returns: more is a 500. */
  response: 6 * 1024 * 1024,
  /** Of the request line and the headers together: more is 431. */
  headers: 10_240,
  /** How long a function may take: more is a 503. */
  milliseconds: 30_000,
  /** How long a request waits for its turn, in milliseconds: longer is a 503. */
  wait: 5_000,
} as const;
