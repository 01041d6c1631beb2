import { type Calls, randomKey } from './calls.ts';
import type { Message } from './contract.ts';
import { ChatError, errorOf } from './errors.ts';
import { delay } from './retry.ts';

/** The room and the thread of a streamed message. */
export type StreamTarget = { room: string; thread?: string; is_in_room?: boolean };

/** A message that streams. Its text is sent at most ten times a second. */
export type MessageStream = {
  /** The message, once it was created. */
  message: Promise<Message>;
  /** Appends text. Resolves when the text may grow further: wait for it if text comes fast. */
  write: (text: string) => Promise<void>;
  /** Completes the message, and returns it. */
  end: () => Promise<Message>;
};

export type StreamSettings = {
  /** The key of the message: with the same key, it is created once. */
  key?: string;
  signal?: AbortSignal;
};

/** The shortest time between two chunks, and the longest time of a failure, in milliseconds. */
const chunkEvery = 100;
const longestFailure = 50_000;

/** The characters of a chunk, and those that may wait: a request has at most 64 kB. */
const mostInChunk = 5_000;
const mostWaiting = 20_000;

/**
 * Creates a message that streams, and sends its text while it grows. The service may lose up to a
 * second of text if it is killed, so the stream keeps all of it, and sends the lost part again.
 */
export function stream(client: Calls, target: StreamTarget, { key = randomKey(), signal }: StreamSettings = {}): MessageStream {
  /** All characters, and the number that the service has. */
  const text: string[] = [];
  let sent = 0;
  /** The end of the last text, if the next one may continue its last character. */
  let rest = '';
  let isEnded = false;
  let last: Message | undefined;
  let failure: unknown;
  let sending: Promise<void> | undefined;

  const params = { header: { 'Idempotency-Key': key } };
  const created = create();
  // The failure is reported by `write` and `end`.
  created.catch(() => {});

  async function create(): Promise<Message> {
    const { data, error, response } = await client.POST('/api/messages', {
      params,
      body: { ...target, text: '', is_streaming: true },
      ...(signal && { signal }),
    });
    if (!data) throw errorOf(response, error);
    return data;
  }

  async function sendAll(): Promise<void> {
    const { _id } = await created;
    let failedSince: number | undefined;
    while (sent < text.length || (isEnded && !last)) {
      const began = performance.now();
      const chunk = text.slice(sent, sent + mostInChunk);
      const isLast = isEnded && sent + chunk.length === text.length;
      const body = { at: sent, ...(chunk.length > 0 && { append: chunk.join('') }), ...(isLast && { is_streaming: false }) };
      const path = { message: _id.$oid };
      const answer = await client
        .PATCH('/api/messages/{message}', { params: { path }, body, ...(signal && { signal }) })
        .catch((error) => {
          if (!(error instanceof ChatError) || !error.isTemporary) throw error;
          return undefined;
        });
      const failed = answer && !answer.data ? errorOf(answer.response, answer.error) : undefined;
      if (answer?.data) {
        failedSince = undefined;
        sent += chunk.length;
        if (isLast) last = answer.data;
      } else if (failed?.code === 'wrong_position') {
        const place = Number(answer?.response.headers.get('X-Stream-Length'));
        // Somebody else writes to the message.
        if (place === sent || !(place <= text.length)) throw failed;
        sent = place;
      } else if (failed && !failed.isTemporary) throw failed;
      else {
        failedSince ??= began;
        if (began - failedSince > longestFailure) throw failed ?? new ChatError(503);
      }
      const pause = (failedSince === undefined ? chunkEvery : 1_000) - (performance.now() - began);
      if (!isLast || failedSince !== undefined) await delay(Math.max(0, pause), signal);
    }
  }

  const send = () => {
    sending ??= sendAll()
      .catch((error) => {
        failure = error;
      })
      .finally(() => {
        sending = undefined;
      });
    return sending;
  };

  const add = (more: string) => {
    // The service keeps chunks as they are, without control characters.
    for (const character of more.replace(/\r\n?/g, '\n').toWellFormed()) if (!control.test(character)) text.push(character);
  };

  return {
    message: created,
    write: async (more) => {
      if (failure) throw failure;
      const all = rest + more;
      rest = unfinished.exec(all)?.[0] ?? '';
      add(all.slice(0, all.length - rest.length));
      void send();
      while (text.length - sent > mostWaiting && sending && !failure) await delay(chunkEvery, signal);
      if (failure) throw failure;
    },
    end: async () => {
      add(rest);
      rest = '';
      isEnded = true;
      while (!last && !failure) await send();
      if (!last) throw failure;
      return last;
    },
  };
}

const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const unfinished = /[\r\ud800-\udbff]$/;
