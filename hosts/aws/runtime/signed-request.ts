import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import aws4 from 'aws4';

/** The function's region. */
const region = process.env.AWS_REGION ?? '';

/** A request to an AWS service. `time` is its limit in milliseconds. */
type UnsignedRequest = {
  service: string;
  endpoint: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  time: number;
};

/** Sends a request, signed with the function's credentials. Node.js reuses its connections. */
export async function sendSigned({
  service,
  endpoint,
  method,
  path,
  headers = {},
  body = '',
  time,
}: UnsignedRequest): Promise<IncomingMessage> {
  const url = new URL(endpoint);
  const whole = url.pathname.replace(/\/$/, '') + path;
  const bytes = Buffer.from(body);
  const signed = aws4.sign({ method, host: url.host, path: whole, service, region, headers, body: bytes as unknown as string });
  // The first request with `fetch` takes three times as long.
  const { request } = url.protocol === 'http:' ? await import('node:http') : await import('node:https');
  const signal = AbortSignal.timeout(time);
  const target = new URL(whole, url);
  for (;;) {
    const sent = request(target, { method, headers: signed.headers as Record<string, string>, signal });
    // Ignores errors after the response has begun. The reader of the body sees them.
    sent.on('error', () => undefined);
    try {
      const [response] = await once(sent.end(bytes), 'response');
      return response;
    } catch (error) {
      // Retry if a kept-alive connection was closed while the function was frozen.
      if (!sent.reusedSocket || signal.aborted) throw error;
    }
  }
}
