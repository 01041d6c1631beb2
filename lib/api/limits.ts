/** The limits of API Gateway's HTTP APIs, of Lambda, and of the service itself, in bytes and milliseconds. */
export const limits = {
  /** The largest body of a request that the gateway passes on; a larger one is a 413. */
  requestBody: 10 * 1024 * 1024,
  /** The largest body of JSON that the service reads; a larger one is a 413. */
  jsonBody: 65_536,
  /** The largest body that the service reads of what other programs send in shapes of their own, which say much more than is shown. */
  foreignBody: 262_144,
  /** The largest response that Lambda carries: the whole of it as JSON, in which the body is a string with its quotes escaped. */
  response: 6_291_556,
  /** All bodies of requests and responses that a server keeps at a time. */
  memory: 64 * 1024 * 1024,
  /** The request line and the headers together; more is a 431. */
  headers: 10_240,
  /** How long a whole request may take: well under the 20 s of a function and the 30 s of the gateway. */
  requestTime: 10_000,
  /** After how long the gateway gives a function up, with a 503. */
  functionTime: 30_000,
} as const;
