import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import aws4 from 'aws4';
import { HttpError, serviceUnavailable } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { waitOutside } from '../base/outside.ts';
import type { Bucket } from '../settings/config.ts';

/** What is asked of a bucket: of an object, or of the bucket itself where the key is empty. */
type ObjectRequest = { method: string; key: string; query?: Record<string, string>; headers?: Record<string, string> };

/** Bytes that are sent, with their SHA-256 in hexadecimal. */
type Body = { size: number; sha256: string; bytes: AsyncIterable<Uint8Array> };

/** For how many milliseconds an answer is waited for, for how many nothing may move, and how long bytes may take in all. */
const patience = 5_000;
const longestSilence = 30_000;
const longest = 3_600_000;

/** How often what has no body is asked for: a connection that was kept may have ended meanwhile. */
const attempts = 2;

/** Signs requests to a bucket (AWS Signature Version 4), with its name in the path, and sends them. */
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
    const time = body ? longest : patience;
    const sent = request(endpoint, {
      method: asked.method,
      path,
      headers: headers as Record<string, string>,
      timeout: longestSilence,
    });
    const late = setTimeout(() => sent.destroy(new Error('No answer came in time.')), time);
    sent.on('timeout', () => sent.destroy(new Error('Nothing moved.')));
    // What goes wrong after the answer has begun.
    sent.on('error', () => undefined);
    try {
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
      // A body that is refused before its end breaks as well, and the answer says why.
      const written = body && pipeline(body.bytes, sent);
      if (!body) sent.end();
      const [response] = await Promise.race([answered, Promise.resolve(written).then(() => answered)]);
      return response;
    } finally {
      clearTimeout(late);
    }
  }

  /** Sends a request; throws a refusal (503) where no answer comes. */
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
    /** An address that is good for so many seconds, for a request with exactly these headers. */
    presign: ({ query, ...asked }: ObjectRequest, seconds: number): string =>
      `${endpoint.origin}${signed({ ...asked, query: { ...query, 'X-Amz-Expires': String(seconds) } }, true).path}`,

    send,

    /** Sends a request, and reads so many bytes of the answer; undefined where there is no such object. */
    ask: (asked: ObjectRequest, { most = 0, body }: { most?: number; body?: Body } = {}) =>
      waitOutside('object store', () => sendAndRead(asked, most, body)),
  };

  async function sendAndRead(asked: ObjectRequest, most: number, body: Body | undefined) {
    const response = await tryToSend(asked, body);
    const late = setTimeout(() => response.destroy(new Error('The answer did not end in time.')), patience);
    try {
      const bytes = await firstBytes(response, isSuccess(response) ? most : longestRefusal);
      if (isMissing(response)) return undefined;
      // An object without bytes has no first part to answer with.
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

/** As S3 writes a checksum. */
export const base64Of = (sha256: string): string => Buffer.from(sha256, 'hex').toString('base64');

export const isMissing = ({ statusCode }: IncomingMessage): boolean => statusCode === 404;
export const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

const noAnswer = () => serviceUnavailable('The store of the files does not answer.');

/** How much is read of what a store says about a refusal. */
const longestRefusal = 4_096;

/** The refusal of a request by the store, which is no business of the caller's; the log says more. */
export const refused = async (response: IncomingMessage): Promise<Error> =>
  refusedWith(response, await firstBytes(response, longestRefusal).catch(() => Buffer.alloc(0)));

function refusedWith({ statusCode: status }: IncomingMessage, bytes: Buffer): Error {
  const [, code] = /<Code>([^<]*)</.exec(bytes.toString()) ?? [];
  log('error', 'the object store refused a request', { status, code });
  return noAnswer();
}

/** No more than so many bytes of an answer; the rest is left unread, with its connection. */
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
