/**
 * The limits of API Gateway's HTTP APIs, of Lambda and of the service, in bytes and milliseconds.
 */
export const limits = {
  /** The largest body of a request that the gateway passes on; a larger one is a 413. */
  requestBody: 10 * 1024 * 1024,
  /** The largest body of JSON that the service reads; a larger one is a 413. */
  jsonBody: 65_536,
  /**
   * The largest body that the service reads from other programs (such as webhooks) in their
   * formats. Most of such a body is never shown.
   */
  foreignBody: 262_144,
  /**
   * The largest response of a Lambda function. It is JSON that has the body as an escaped string.
   */
  response: 6_291_556,
  /** All bodies of requests and responses that a server holds in memory at a time. */
  memory: 64 * 1024 * 1024,
  /** The request line and the headers together; a larger head is a 431. */
  headers: 10_240,
  /**
   * The time for a whole request: well under the 20 s of a function and the 30 s of the gateway.
   */
  requestTime: 10_000,
  /** The time after which the gateway gives up on a function, with a 503. */
  functionTime: 30_000,
} as const;
