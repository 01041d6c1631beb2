import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import autocannon from 'autocannon';
import { percentile } from './measure.ts';
import type { Operation, Workload } from './operations.ts';

/** How a server handles requests. Times are in milliseconds. */
export type Load = {
  rate: number;
  p50: number;
  p99: number;
  /** How many requests failed, or had another status than expected. */
  faults: number;
};

/** A server and what is called. */
type Target = { url: string; workload: Workload };

/**
 * Calls two servers alternately, several times, over so many connections; the best round of each counts, because whatever else runs on the
 * machine can only slow it down. Before that the target is called until it gets no quicker, for V8 has to compile the code.
 */
export async function load(
  connections: number,
  target: Target,
  yardstick: Target,
  { seconds, rounds }: { seconds: number; rounds: number },
) {
  const run = connections === 1 ? callInTurn : callAtOnce;
  for (let before = 0, rate = 1; rate > 1.05 * before; ) {
    before = rate;
    ({ rate } = await run(target, connections, Math.min(2, seconds)));
  }
  const loads: Load[] = [];
  const yardsticks: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    yardsticks.push(await run(yardstick, connections, Math.max(1, seconds / 2)));
    loads.push(await run(target, connections, seconds));
  }
  return { target: bestOf(loads), yardstick: bestOf(yardsticks) };
}

const bestOf = (loads: readonly Load[]): Load => ({
  rate: Math.max(...loads.map(({ rate }) => rate)),
  p50: Math.min(...loads.map(({ p50 }) => p50)),
  p99: Math.min(...loads.map(({ p99 }) => p99)),
  faults: loads.reduce((sum, { faults }) => sum + faults, 0),
});

const requestOf = ({ method, path, body, token }: Operation) => ({
  method,
  path,
  headers: { 'x-auth-token': token, ...(body !== undefined && { 'content-type': 'application/json' }) },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

async function callAtOnce({ url, workload: { calls } }: Target, connections: number, duration: number): Promise<Load> {
  let next = 0;
  const setupClient = (client: autocannon.Client) => client.setRequests([requestOf(calls[next++ % calls.length] as Operation)]);
  // In its own summary they are whole milliseconds, of which the fastest answers take none.
  const times: number[] = [];
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const settle = (error: unknown, ended: autocannon.Result) => (error ? reject(error) : resolve(ended));
    const running = autocannon({ url, connections, duration, setupClient }, settle);
    running.on('response', (_client, _status, _bytes, time) => times.push(time));
  });
  const answers = Object.entries(result.statusCodeStats ?? {});
  const status = calls[0]?.status;
  const wrong = answers.filter(([code]) => Number(code) !== status).reduce((sum, [, { count = 0 }]) => sum + count, 0);
  const faults = result.errors + wrong;
  return { rate: result.requests.average, p50: percentile(times, 50), p99: percentile(times, 99), faults };
}

/** One call after the other, over one connection. */
async function callInTurn({ url, workload: { calls } }: Target, _connections: number, seconds: number): Promise<Load> {
  const operation = calls[0] as Operation;
  const caller = await connectTo(url, operation);
  const times: number[] = [];
  let faults = 0;
  for (const start = performance.now(); performance.now() - start < seconds * 1_000; ) {
    const since = performance.now();
    if ((await caller.call()) !== operation.status) faults++;
    times.push(performance.now() - since);
  }
  caller.end();
  return { rate: times.length / seconds, p50: percentile(times, 50), p99: percentile(times, 99), faults };
}

/**
 * A connection that repeats one request, and gives the status of each answer. It reads only that and the length of an answer: a client
 * that parses it leaves so much garbage that its own collector makes the slowest hundredth.
 */
async function connectTo(url: string, operation: Operation) {
  const { hostname, port } = new URL(url);
  const { method, path, headers, body } = requestOf(operation);
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ host: hostname, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  const sent = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let answered = Promise.withResolvers<number>();
  let head = Buffer.alloc(0);
  let status = 0;
  let bytesLeft = 0;
  socket.on('data', (chunk: Buffer) => {
    if (bytesLeft > 0) bytesLeft -= chunk.length;
    else {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n') + 4;
      if (end < 4) return;
      const text = head.toString('latin1', 0, end);
      status = Number(text.slice(9, 12));
      bytesLeft = end + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0) - head.length;
      head = Buffer.alloc(0);
    }
    if (bytesLeft === 0) answered.resolve(status);
  });
  const fail = (error = new Error('The server has closed the connection.')) => answered.reject(error);
  socket.on('error', fail).on('close', () => fail());
  await once(socket, 'connect');
  return {
    call: () => {
      answered = Promise.withResolvers<number>();
      socket.write(sent);
      return answered.promise;
    },
    end: () => {
      socket.removeAllListeners('close').destroy();
    },
  };
}

const bare: Workload = { name: 'the yardstick', calls: [{ name: '', method: 'GET', path: '/', token: '', status: 200 }] };

/** Runs `use` with a bare server of `node:http` in a process of its own, which always answers with the same 60 bytes. */
export async function withYardstick<T>(use: (yardstick: Target) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ['-e', yardstick], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(child.stdout, 'data');
    return await use({ url: `http://127.0.0.1:${port}`, workload: bare });
  } finally {
    await end(child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

const yardstick = `
  const body = JSON.stringify({ text: 'x'.repeat(49) });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': 60 };
  const server = require('node:http').createServer((request, response) => { response.writeHead(200, headers); response.end(body); });
  server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)));
`;
