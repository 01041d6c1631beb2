import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import type { Operation } from './operations.ts';

/** What a server makes of many requests at once. */
export interface Load {
  readonly rate: number;
  readonly p99: number;
  /** How many requests failed, or were answered otherwise than they should. */
  readonly faults: number;
}

const CONNECTIONS = 16;

/** Sends the same request over 16 connections, several times; the best counts, as what else runs on the machine only ever takes away. */
export async function load(
  url: string,
  operation: Operation,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Load> {
  // Enough for V8 to have compiled what is called.
  await fire(url, operation, Math.min(2, seconds));
  let best = await fire(url, operation, seconds);
  for (let round = 1; round < rounds; round++) {
    const { rate, p99, faults } = await fire(url, operation, seconds);
    best = { rate: Math.max(best.rate, rate), p99: Math.min(best.p99, p99), faults: best.faults + faults };
  }
  return best;
}

async function fire(url: string, { method, path, body, token, status }: Operation, seconds: number): Promise<Load> {
  const headers = { 'x-auth-token': token, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const result = await autocannon({ url: url + path, connections: CONNECTIONS, duration: seconds, method, headers, ...sent });
  const answers = Object.entries(result.statusCodeStats ?? {});
  const wrong = answers.filter(([code]) => Number(code) !== status).reduce((sum, [, { count = 0 }]) => sum + count, 0);
  return { rate: result.requests.average, p99: result.latency.p99, faults: result.errors + wrong };
}

/** What the yardstick is asked. */
export const yardstickOperation: Operation = { name: 'the yardstick', method: 'GET', path: '/', token: '', status: 200 };

/** Gives the address of a bare server of `node:http`, in a process of its own, that always answers the same 60 bytes. */
export async function withYardstick<T>(use: (url: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ['-e', yardstick], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(child.stdout, 'data');
    return await use(`http://127.0.0.1:${port}`);
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
