import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Place, Spool } from '../archive/spool.ts';

type FoundFile = { status: number; retryAfter: number | undefined; body: Readable };

type SlackFilesOptions = {
  token: string;
  /** Sends a GET request without following redirects. `longest` is in milliseconds. */
  get: (url: URL, options: { headers: Record<string, string>; mayBeInner: boolean; longest: number }) => Promise<FoundFile>;
  /** The largest file that the service stores, in bytes. */
  maxBytes: number;
  /** The origin of files. No other origin gets requests, because they contain the token. */
  origin?: string;
  /** True if the origin may be on this machine or its network, e.g. a test server. */
  mayBeInner?: boolean;
  /** The delays before further attempts, in milliseconds. */
  pauses?: number[];
};

/**
 * The files of a workspace: an archive of Slack only contains their addresses. The latest file is
 * cached, because each is read twice: to detect its type, and to store it.
 */
export class SlackFiles {
  readonly #options: Required<SlackFilesOptions>;
  #latest: { address: string; spool: Spool; place: Place } | undefined;
  #failures = 0;

  constructor({ origin = 'https://files.slack.com', mayBeInner = false, pauses = [1_000, 5_000], ...rest }: SlackFilesOptions) {
    this.#options = { ...rest, origin, mayBeInner, pauses };
  }

  /** Returns a function that opens the file at an address; undefined for another origin. */
  openerOf(address: string | undefined, size: number | undefined): (() => Promise<Readable>) | undefined {
    const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
    if (url?.origin !== this.#options.origin || url.username !== '' || url.password !== '') return undefined;
    return async () => {
      if (this.#latest?.address !== url.href) await this.#download(url, size);
      const { spool, place } = this.#latest ?? {};
      if (!spool || !place) throw new Error('There is no such file.');
      return spool.stream(place);
    };
  }

  close = async (): Promise<void> => {
    await this.#latest?.spool.close();
    this.#latest = undefined;
  };

  async #download(url: URL, size: number | undefined): Promise<void> {
    await this.close();
    if (this.#failures >= mostFailures) throw new Error('Nothing more is asked for, after so many failures.');
    const spool = await Spool.create();
    try {
      const place = await this.#attempts(url, size, spool);
      this.#latest = { address: url.href, spool, place };
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      await spool.close();
      throw error;
    }
  }

  async #attempts(url: URL, size: number | undefined, spool: Spool): Promise<Place> {
    const { pauses } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const fetched = await this.#attempt(url, size, spool).catch((error: Error) => ({ error, retryAfter: undefined }));
      if (!('error' in fetched)) return fetched;
      const pause = pauses[attempt];
      if (pause === undefined || fetched.error instanceof FinalError) throw fetched.error;
      await sleep(Math.min((fetched.retryAfter ?? 0) * 1_000, longestPause) || pause);
    }
  }

  async #attempt(
    url: URL,
    size: number | undefined,
    spool: Spool,
  ): Promise<Place | { error: Error; retryAfter: number | undefined }> {
    const { token, get, maxBytes, mayBeInner } = this.#options;
    const headers = { authorization: `Bearer ${token}` };
    const { status, retryAfter, body } = await get(url, { headers, mayBeInner, longest: longestFetch });
    if (status !== 200) {
      body.destroy();
      const error = `The answer was ${status}.`;
      // A redirect leads to a sign-in page.
      if (status !== 429 && status < 500) throw new FinalError(error);
      return { error: new Error(error), retryAfter };
    }
    const place = { offset: spool.end, length: 0 };
    for await (const chunk of body as AsyncIterable<Buffer>) {
      place.length += spool.append(chunk).length;
      if (place.length > Math.min(size ?? maxBytes, maxBytes)) throw new FinalError('There are too many bytes.');
    }
    if (size !== undefined && place.length !== size) throw new FinalError(`There are ${place.length} bytes instead of ${size}.`);
    return place;
  }
}

/** An error that would be the same at the next attempt. */
class FinalError extends Error {}

/** After this many consecutive failures, the token or the network is assumed to be faulty. */
const mostFailures = 20;
const longestPause = 60_000;
const longestFetch = 300_000;

/**
 * Reads the token from a file. As an argument of the command, other users of the machine would see
 * it.
 */
export async function readToken(path: string): Promise<string> {
  const file = await open(path);
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(longestToken + 1), 0, longestToken + 1, 0)
    .finally(() => file.close());
  const token = buffer.toString('latin1', 0, bytesRead).trim();
  if (bytesRead > longestToken || !/^[\x21-\x7e]+$/.test(token)) throw new Error(`The file ${path} does not have a token alone.`);
  return token;
}

const longestToken = 4_096;
