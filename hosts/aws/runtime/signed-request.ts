import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import aws4 from 'aws4';

/** The region of the function. */
const region = process.env.AWS_REGION ?? '';

/** A request to a service of AWS; the time is in milliseconds. */
type UnsignedRequest = {
  service: string;
  endpoint: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  time: number;
};

/** Sends a request, signed with the credentials that Lambda gives to the function. Node.js keeps its connections for the next one. */
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
  // Not `fetch`, whose first request takes three times as long.
  const { request } = url.protocol === 'http:' ? await import('node:http') : await import('node:https');
  const signal = AbortSignal.timeout(time);
  const target = new URL(whole, url);
  for (;;) {
    const sent = request(target, { method, headers: signed.headers as Record<string, string>, signal });
    // What goes wrong after the response has begun.
    sent.on('error', () => undefined);
    try {
      const [response] = await once(sent.end(bytes), 'response');
      return response;
    } catch (error) {
      // A connection that was kept may have ended meanwhile, while the function was frozen.
      if (!sent.reusedSocket || signal.aborted) throw error;
    }
  }
}
