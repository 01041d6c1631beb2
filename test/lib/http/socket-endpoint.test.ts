import type { Context } from 'aws-lambda';
import { MongoNetworkError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { unauthenticated } from '../../../lib/base/errors.ts';
import { socketEndpoint } from '../../../lib/http/socket-endpoint.ts';

describe('socketEndpoint', () => {
  it.each([
    ['an HttpError', unauthenticated(), 401, 'Please provide an auth token or login.'],
    ['a database out of reach', new MongoNetworkError('secret detail'), 503, 'The database did not answer in time.'],
    ['any other error', new Error('secret detail'), 500, 'The request failed and has been logged as request-1.'],
  ])('socketEndpoint refuses a handshake for %s, and answers a frame with it', async (_what, error, status, message) => {
    const fail = () => Promise.reject(error);
    const handler = socketEndpoint({ protocol: 'chat.v1', open: fail, answer: fail, close: fail });
    const answerTo = async (eventType: string) => {
      const event = { requestContext: { eventType, connectionId: 'a' }, body: '{}', isBase64Encoded: false };
      const { statusCode, body = '' } = await handler(event as unknown as Parameters<typeof handler>[0], aContext);
      return { statusCode, body: JSON.parse(body) };
    };
    expect(await answerTo('CONNECT')).toMatchObject({ statusCode: status, body: { description: message } });
    // With another status, API Gateway would send the client its own message.
    expect(await answerTo('MESSAGE')).toEqual({ statusCode: 200, body: { type: 'error', status, message } });
  });
});

const aContext = { awsRequestId: 'request-1' } as Context;
