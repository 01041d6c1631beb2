import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import type { Operation } from './operations.ts';

/** How a server handles many concurrent requests. */
export type Load = {
  rate: number;
  p99: number;
  /** How many requests failed, or had another status than expected. */
  faults: number;
};

const connections = 16;

/** A server and the operation to call. */
export type Target = { url: string; operation: Operation };

/**
 * Sends the same request over 16 connections to two servers alternately, several times; the best round of each counts, because whatever
 * else runs on the machine can only slow it down.
 */
export async function load(target: Target, yardstick: Target, { seconds, rounds }: { seconds: number; rounds: number }) {
  // Enough calls for V8 to have compiled the code.
  await runLoad(target, Math.min(2, seconds));
  const loads: Load[] = [];
  const yardsticks: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    yardsticks.push(await runLoad(yardstick, Math.max(1, seconds / 2)));
    loads.push(await runLoad(target, seconds));
  }
  return { target: bestOf(loads), yardstick: bestOf(yardsticks) };
}

const bestOf = (loads: readonly Load[]): Load => ({
  rate: Math.max(...loads.map(({ rate }) => rate)),
  p99: Math.min(...loads.map(({ p99 }) => p99)),
  faults: loads.reduce((sum, { faults }) => sum + faults, 0),
});

async function runLoad({ url, operation }: Target, seconds: number): Promise<Load> {
  const { method, path, body, token, status } = operation;
  const headers = { 'x-auth-token': token, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const result = await autocannon({ url: url + path, connections: connections, duration: seconds, method, headers, ...sent });
  const answers = Object.entries(result.statusCodeStats ?? {});
  const wrong = answers.filter(([code]) => Number(code) !== status).reduce((sum, [, { count = 0 }]) => sum + count, 0);
  return { rate: result.requests.average, p99: result.latency.p99, faults: result.errors + wrong };
}

const yardstickOperation: Operation = { name: 'the yardstick', method: 'GET', path: '/', token: '', status: 200 };

/** Runs `use` with a bare server of `node:http` in a process of its own, which always answers with the same 60 bytes. */
export async function withYardstick<T>(use: (yardstick: Target) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ['-e', yardstick], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(child.stdout, 'data');
    return await use({ url: `http://127.0.0.1:${port}`, operation: yardstickOperation });
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
