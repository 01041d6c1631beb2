import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { integer, optional } from '../../../lib/api/parameters.ts';
import { conflict } from '../../../lib/base/errors.ts';
import { Answer } from '../../../lib/http/answers.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { operation } from '../../../lib/http/operation.ts';
import type { ApiEvent } from '../../../lib/http/request.ts';

describe('endpoint', () => {
  it('endpoint runs its middleware in this order', async () => {
    const steps: string[] = [];
    const handler = endpoint(
      { GET: operation({ summary: '', access: 'anyone', status: 200, run: async () => 'done' }) },
      { beforeMiddleware: (name) => steps.push(name) },
    );
    await handler(anEvent('GET'), aContext);
    expect(steps).toEqual([
      'httpHeaderNormalizerMiddlewareBefore',
      'giveRequestId',
      'answerOptions',
      'authenticate',
      'refuseOthers',
      'negotiate',
      'refuseUnknownMethod',
      'refuseWithoutPermission',
      'parseBody',
      'readInput',
      'compress',
      'refuseLargeAnswer',
      'addRateFields',
      'addCors',
      'addSecurityHeaders',
      'addRequestId',
    ]);
  });

  it.each<[string, () => Promise<unknown>, number, object, true?]>([
    ['the result of the operation is the body', async () => ({ a: [1] }), 200, { a: [1] }],
    [
      'an HttpError is the response',
      () => Promise.reject(conflict('room_full', 'The room is full.')),
      409,
      { title: 'Conflict', description: 'The room is full.', code: 'room_full' },
    ],
    [
      'an HttpError is the response, without its code where the specification fixes the body',
      () => Promise.reject(conflict('room_full', 'The room is full.')),
      409,
      { title: 'Conflict', description: 'The room is full.' },
      true,
    ],
    [
      'any other error is a 500 that reveals only where it was logged',
      () => Promise.reject(new Error('secret detail')),
      500,
      { title: 'Internal error', description: 'The request failed and has been logged as request-1.', code: 'internal_error' },
    ],
  ])('endpoint answers: %s', async (_what, run, status, body, isSpecified) => {
    const response = await endpoint({
      GET: operation({ summary: '', access: 'anyone', status: 200, run, ...(isSpecified && { isSpecified }) }),
    })(anEvent('GET'), aContext);
    expect({ status: response.statusCode, body: JSON.parse(response.body ?? '') }).toEqual({ status, body });
    expect(response.headers['X-Request-Id']).toBe('request-1');
  });

  it('endpoint lets an operation add headers, and answers 204 without a body', async () => {
    const handler = endpoint({
      GET: operation({
        summary: '',
        access: 'anyone',
        status: 200,
        run: async () => new Answer([], { Link: '<x>; rel="next"' }),
      }),
      DELETE: operation({ summary: '', access: 'anyone', status: 204, run: async () => undefined }),
    });
    expect((await handler(anEvent('GET'), aContext)).headers).toMatchObject({ Link: '<x>; rel="next"', Vary: 'Accept-Encoding' });
    expect(await handler(anEvent('DELETE'), aContext)).toMatchObject({ statusCode: 204, body: '' });
  });

  it.each([
    ['of its operations', 'PUT', 'GET, HEAD, POST, OPTIONS'],
    ['but no inherited properties', 'constructor', 'GET, HEAD, POST, OPTIONS'],
  ])('endpoint allows the methods %s', async (_what, method, allow) => {
    const some = operation({ summary: '', access: 'anyone', status: 200, run: async () => 'done' });
    const handler = endpoint({ GET: some, POST: some });
    const withToken = { 'content-type': 'application/json', 'x-auth-token': 'a'.repeat(32) };
    expect(await handler(anEvent('OPTIONS'), aContext)).toMatchObject({ statusCode: 204, headers: { allow } });
    // Without a valid token, the 401 takes precedence over the 405.
    expect(await handler(anEvent(method, withToken), aContext)).toMatchObject({ statusCode: 401 });
  });

  it('endpoint reads the query by the parameters that the operation declares', async () => {
    const handler = endpoint({
      GET: operation({
        summary: '',
        access: 'anyone',
        status: 200,
        query: { limit: optional(integer(1, 200)) },
        run: async ({ query }) => query,
      }),
    });
    const ask = async (queryStringParameters: Record<string, string>) =>
      JSON.parse((await handler({ ...anEvent('GET'), queryStringParameters }, aContext)).body ?? '');
    expect(await ask({})).toEqual({});
    expect(await ask({ limit: '200', other: 'x' })).toEqual({ limit: 200 });
    expect(await ask({ limit: '201' })).toEqual({
      title: 'Invalid parameter',
      description: "The 'limit' parameter must be from 1 to 200.",
      code: 'invalid_parameter',
    });
  });
});

const aContext = { awsRequestId: 'request-1' } as Context;

function anEvent(method: string, headers: Record<string, string> = {}) {
  return {
    version: '2.0',
    rawPath: '/api/test',
    headers,
    requestContext: { http: { method, path: '/api/test', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' } },
    isBase64Encoded: false,
  } as unknown as ApiEvent;
}
