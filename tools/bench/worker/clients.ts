import { connect } from 'node:net';
import { percentile } from '../measure.ts';

/*
 * A process of HTTP clients that measure a server. Each has one connection and repeats one request.
 * It reads only the status and length of a response: a client that parses responses would measure
 * itself.
 */

/** The requests that the clients send. */
export type LoadOrder = {
  host: string;
  port: number;
  /** The bytes of one request per client, as text. */
  requests: string[];
  /** The expected status of every response. */
  status: number;
  seconds: number;
};

/** The measured result. Times are in milliseconds. */
export type LoadResult = {
  answers: number;
  seconds: number;
  p50: number;
  p99: number;
  /** Responses with an unexpected status, or missing because the connection was closed. */
  faults: number;
};

const headEnd = '\r\n\r\n';

/** Calls the server from all clients until the time is over, and waits for the last responses. */
async function run({ host, port, requests, status, seconds }: LoadOrder): Promise<LoadResult> {
  const times: number[] = [];
  let faults = 0;
  const start = performance.now();
  const end = start + seconds * 1_000;

  const callInTurn = (request: string) =>
    new Promise<void>((resolve) => {
      const sent = Buffer.from(request);
      const socket = connect({ host, port, noDelay: true });
      let since = 0;
      const send = () => {
        since = performance.now();
        if (since >= end) socket.destroy();
        else socket.write(sent);
      };
      const read = answerReader((found) => {
        times.push(performance.now() - since);
        if (found !== status) faults++;
        send();
      });
      socket.on('connect', send).on('data', read);
      socket.on('error', () => {}); // The event 'close' follows.
      socket.on('close', () => {
        if (performance.now() >= end) return resolve();
        faults++;
        // Avoids a busy loop if the server refuses connections.
        setTimeout(() => resolve(callInTurn(request)), 100);
      });
    });

  await Promise.all(requests.map(callInTurn));
  const took = (performance.now() - start) / 1_000;
  const [p50, p99] = times.length > 0 ? [percentile(times, 50), percentile(times, 99)] : [0, 0];
  return { answers: times.length, seconds: took, p50, p99, faults };
}

/**
 * Parses responses with a `Content-Length` or without a body. Calls `answered` with each status.
 */
function answerReader(answered: (status: number) => void): (chunk: Buffer) => void {
  let head = '';
  let status = 0;
  let bytesLeft = 0;
  return (chunk) => {
    if (bytesLeft > 0) bytesLeft -= chunk.length;
    else {
      head += chunk.toString('latin1');
      const bodyStart = head.indexOf(headEnd) + headEnd.length;
      if (bodyStart < headEnd.length) return;
      status = Number(head.slice(9, 12));
      bytesLeft = bodyStart + contentLength(head, bodyStart) - head.length;
      head = '';
    }
    if (bytesLeft === 0) answered(status);
  };
}

const contentLength = (head: string, end: number): number =>
  Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);

process.on('message', async (order: LoadOrder) => process.send?.(await run(order)));
