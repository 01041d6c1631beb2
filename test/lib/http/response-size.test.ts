import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../lib/api/limits.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { operation } from '../../../lib/http/operation.ts';
import type { ApiEvent } from '../../../lib/http/request.ts';

const largestResponse = limits.response;

const tooLarge = {
  title: 'Payload too large',
  description: "The answer would exceed 6 MB: ask for it page by page with the 'limit' parameter.",
  code: 'answer_too_large',
};

describe('a response', () => {
  it.each<[string, () => unknown, string | undefined, number]>([
    ['of 5 MB', () => 'x'.repeat(5_000_000), undefined, 200],
    ['of 6 MB and 1 byte more than Lambda allows', () => 'x'.repeat(largestResponse), undefined, 413],
    ['of 4 MB, which the escapes of its quotes double', () => '"'.repeat(2_000_000), undefined, 413],
    ['of 2 million characters of 3 bytes', () => '丰'.repeat(2_200_000), undefined, 413],
    ['of 12 MB that compress well, for a client that accepts gzip', () => 'x'.repeat(12_000_000), 'gzip', 200],
    ['of 6 MB that do not, and grow by a third in base64', () => noise(3_500_000), 'gzip', 413],
  ])('a response gets status 200 up to 6 MB and 413 above: one %s', async (_what, value, encoding, status) => {
    const response = await answer(value(), encoding);
    expect(response.statusCode).toBe(status);
    expect(Buffer.byteLength(JSON.stringify(response))).toBeLessThanOrEqual(largestResponse);
    if (status === 413) {
      expect(JSON.parse(response.body ?? '')).toEqual(tooLarge);
      expect(response.headers).toMatchObject({ 'X-Request-Id': 'request-1', 'Content-Type': 'application/json' });
      expect(response.headers).not.toHaveProperty('Content-Encoding');
    }
  });

  it('a response may be as large as its headers leave room for', async () => {
    const least = largestResponse - 10_240 - 1_000;
    expect((await answer('x'.repeat(least), undefined)).statusCode).toBe(200);
  });
});

function answer(value: unknown, encoding: string | undefined) {
  const handler = endpoint({ GET: operation({ summary: '', access: 'anyone', status: 200, run: async () => value }) });
  const event = {
    version: '2.0',
    rawPath: '/api/test',
    headers: encoding ? { 'accept-encoding': encoding } : {},
    requestContext: { http: { method: 'GET', path: '/api/test', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' } },
    isBase64Encoded: false,
  } as unknown as ApiEvent;
  return handler(event, { awsRequestId: 'request-1' } as Context);
}

/** Text that cannot be compressed below 16 bits per character. */
function noise(length: number): string {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 0x4e00 + (state >>> 18);
  };
  return Array.from({ length }, () => String.fromCharCode(next())).join('');
}
