import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import aws4 from 'aws4';
import { HttpError, serviceUnavailable } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { waitOutside } from '../base/outside.ts';
import type { Bucket } from '../settings/config.ts';

/** A request for an object, or for the bucket itself if the key is empty. */
type ObjectRequest = { method: string; key: string; query?: Record<string, string>; headers?: Record<string, string> };

/** A request body, with its SHA-256 in hexadecimal. */
type Body = { size: number; sha256: string; bytes: AsyncIterable<Uint8Array> };

/** Timeouts in milliseconds: for an answer, for a silent connection, and for a whole upload. */
const patienceMs = 5_000;
const longestSilence = 30_000;
const longest = 3_600_000;

/** Retry requests without a body once: a kept-alive connection may be stale. */
const attempts = 2;

/** Signs and sends requests to a bucket (AWS Signature Version 4, path-style addresses). */
export function s3Requests(bucket: Bucket) {
  const endpoint = new URL(bucket.endpoint);
  const root = `${endpoint.pathname.replace(/\/$/, '')}/${bucket.name}`;
  const request = endpoint.protocol === 'http:' ? requestHttp : requestHttps;

  function signed({ method, key, query = {}, headers = {} }: ObjectRequest, isInQuery: boolean) {
    const path = key === '' ? root : `${root}/${bucket.prefix}${key}`;
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const whole = parameters.length > 0 ? `${path}?${parameters.join('&')}` : path;
    const unsigned = { service: 's3', region: bucket.region, method, host: endpoint.host, path: whole, headers };
    return aws4.sign({ ...unsigned, signQuery: isInQuery }, bucket.credentials);
  }

  async function sendOnce(asked: ObjectRequest, body: Body | undefined): Promise<IncomingMessage> {
    const { path, headers } = signed(asked, false);
    const time = body ? longest : patienceMs;
    const sent = request(endpoint, {
      method: asked.method,
      path,
      headers: headers as Record<string, string>,
      timeout: longestSilence,
    });
    const late = setTimeout(() => sent.destroy(new Error('No answer came in time.')), time);
    sent.on('timeout', () => sent.destroy(new Error('Nothing moved.')));
    // Ignores errors after the answer has begun; its reader gets them.
    sent.on('error', () => undefined);
    try {
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
      // If the store refuses a body before its end, the upload breaks too, but the answer has the
      // reason.
      const written = body && pipeline(body.bytes, sent);
      if (!body) sent.end();
      const [response] = await Promise.race([answered, Promise.resolve(written).then(() => answered)]);
      return response;
    } finally {
      clearTimeout(late);
    }
  }

  /** Sends a request; throws a 503 if the store does not answer. */
  const send = (asked: ObjectRequest, body?: Body): Promise<IncomingMessage> =>
    waitOutside('object store', () => tryToSend(asked, body));

  async function tryToSend(asked: ObjectRequest, body?: Body): Promise<IncomingMessage> {
    const headers = body && {
      'Content-Length': String(body.size),
      'X-Amz-Content-Sha256': body.sha256,
      'X-Amz-Checksum-Sha256': base64Of(body.sha256),
    };
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await sendOnce({ ...asked, headers: { ...asked.headers, ...headers } }, body);
        if (Number(response.statusCode) < 500 || body || attempt === attempts) return response;
        response.destroy();
      } catch (error) {
        if (!body && attempt < attempts) continue;
        log('error', 'the object store gave no answer', { error: describeError(error) });
        throw noAnswer();
      }
    }
  }

  return {
    /**
     * A signed address that is valid for so many seconds, for a request with exactly these headers.
     */
    presign: ({ query, ...asked }: ObjectRequest, seconds: number): string =>
      `${endpoint.origin}${signed({ ...asked, query: { ...query, 'X-Amz-Expires': String(seconds) } }, true).path}`,

    send,

    /**
     * Sends a request and reads at most so many bytes of the answer; undefined if the object does
     * not exist.
     */
    ask: (asked: ObjectRequest, { most = 0, body }: { most?: number; body?: Body } = {}) =>
      waitOutside('object store', () => sendAndRead(asked, most, body)),
  };

  async function sendAndRead(asked: ObjectRequest, most: number, body: Body | undefined) {
    const response = await tryToSend(asked, body);
    const late = setTimeout(() => response.destroy(new Error('The answer did not end in time.')), patienceMs);
    try {
      const bytes = await firstBytes(response, isSuccess(response) ? most : longestRefusal);
      if (isMissing(response)) return undefined;
      // A range of an empty object is a 416.
      if (response.statusCode === 416) return { headers: response.headers, bytes: Buffer.alloc(0) };
      if (!isSuccess(response)) throw refusedWith(response, bytes);
      return { headers: response.headers, bytes };
    } catch (error) {
      if (error instanceof HttpError) throw error;
      log('error', 'the object store gave no answer', { error: describeError(error) });
      throw noAnswer();
    } finally {
      clearTimeout(late);
    }
  }
}

/** A checksum in the format of S3. */
export const base64Of = (sha256: string): string => Buffer.from(sha256, 'hex').toString('base64');

export const isMissing = ({ statusCode }: IncomingMessage): boolean => statusCode === 404;
export const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

const noAnswer = () => serviceUnavailable('The store of the files does not answer.');

/** How many bytes of an error response are read. */
const longestRefusal = 4_096;

/**
 * The error for a request that the store refused. The caller gets a 503, because it is not their
 * fault; the log has the reason.
 */
export const refused = async (response: IncomingMessage): Promise<Error> =>
  refusedWith(response, await firstBytes(response, longestRefusal).catch(() => Buffer.alloc(0)));

function refusedWith({ statusCode: status }: IncomingMessage, bytes: Buffer): Error {
  const [, code] = /<Code>([^<]*)</.exec(bytes.toString()) ?? [];
  log('error', 'the object store refused a request', { status, code });
  return noAnswer();
}

/**
 * Reads at most so many bytes of an answer. The rest stays unread, and its connection is closed.
 */
async function firstBytes(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}
