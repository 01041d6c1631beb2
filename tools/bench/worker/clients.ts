import { connect } from 'node:net';
import { percentile } from '../measure.ts';

/*
 * A process of HTTP clients that measure how a server answers. Each has one connection and repeats one request. It reads
 * only the status and the length of an answer: a client that parses answers would measure itself.
 */

/** What the clients call. */
export type LoadOrder = {
  host: string;
  port: number;
  /** The bytes of one request per client, as text. */
  requests: string[];
  /** The status that every answer should have. */
  status: number;
  seconds: number;
};

/** How the server answered. Times are in milliseconds. */
export type LoadResult = {
  answers: number;
  seconds: number;
  p50: number;
  p99: number;
  /** How many answers had another status, or did not come because the connection closed. */
  faults: number;
};

const headEnd = '\r\n\r\n';

/** Calls the server from all clients until the time is over, and waits for the last answers. */
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
      socket.on('error', () => {}); // It is followed by 'close'.
      socket.on('close', () => {
        if (performance.now() >= end) return resolve();
        faults++;
        // A server that refuses connections must not make this a busy loop.
        setTimeout(() => resolve(callInTurn(request)), 100);
      });
    });

  await Promise.all(requests.map(callInTurn));
  const took = (performance.now() - start) / 1_000;
  const [p50, p99] = times.length > 0 ? [percentile(times, 50), percentile(times, 99)] : [0, 0];
  return { answers: times.length, seconds: took, p50, p99, faults };
}

/** Reads answers that have a `Content-Length`, or no body, and passes the status of each on. */
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
