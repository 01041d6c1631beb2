import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { processorMillis } from './measure.ts';
import type { Operation, Workload } from './operations.ts';
import type { LoadOrder, LoadResult } from './worker/clients.ts';

/** The performance of a server. Times are in milliseconds. */
export type Load = {
  rate: number;
  p50: number;
  p99: number;
  /** The server's processor time per request; `undefined` if the system does not report it. */
  processor: number | undefined;
  /** Requests that failed or had an unexpected status. */
  faults: number;
};

/** A server, its process, and the workload. */
export type Target = { url: string; pid: number; workload: Workload };

/** Seconds per round, and number of rounds. */
export type Rounds = { seconds: number; rounds: number };

/** Calls a target over several connections. */
export type CallTarget = (target: Target, connections: number, seconds: number) => Promise<Load>;

/** Runs `use` with clients in a separate process. */
export async function withClients<T>(use: (call: CallTarget) => Promise<T>): Promise<T> {
  const child = fork(fileURLToPath(new URL('worker/clients.ts', import.meta.url)), { execArgv: [] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The clients ended with ${code}.`)));
  ended.catch(() => {});
  const call: CallTarget = async ({ url, pid, workload: { calls } }, connections, seconds) => {
    const { hostname: host, port } = new URL(url);
    const ofEach = Array.from({ length: connections }, (_, at) => calls[at % calls.length] as Operation);
    const [{ status }] = ofEach as [Operation];
    const order: LoadOrder = {
      host,
      port: Number(port),
      requests: ofEach.map((operation) => requestText(host, operation)),
      status,
      seconds,
    };
    const before = processorMillis(pid);
    child.send(order);
    const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult];
    const after = processorMillis(pid);
    return {
      rate: result.answers / result.seconds,
      p50: result.p50,
      p99: result.p99,
      processor: before === undefined || after === undefined ? undefined : (after - before) / result.answers,
      faults: result.faults,
    };
  };
  try {
    return await use(call);
  } finally {
    child.kill();
  }
}

function requestText(host: string, { method, path, body, token }: Operation): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    host,
    'x-auth-token': token,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

/** Calls the target until the rate stops growing, so that V8 has compiled the code. */
export async function warmUp(call: CallTarget, target: Target, connections: number, seconds: number): Promise<void> {
  for (let before = 0, rate = 1; rate > 1.05 * before; ) {
    before = rate;
    ({ rate } = await call(target, connections, Math.min(2, seconds)));
  }
}

/** Measures a target and the yardstick. */
export type MeasureLoad = (connections: number, target: Target, rounds: Rounds) => Promise<{ target: Load; yardstick: Load }>;

/**
 * Runs `use` with clients and the yardstick: a bare `node:http` server that responds with 60 bytes.
 */
export const withLoad = <T>(use: (measure: MeasureLoad) => Promise<T>): Promise<T> =>
  withClients((call) => withYardstick((bare) => use((...input) => measureBeside(call, bare, ...input))));

/** Calls the target and the yardstick alternately, in several rounds. */
async function measureBeside(
  call: CallTarget,
  yardstick: Target,
  connections: number,
  target: Target,
  { seconds, rounds }: Rounds,
) {
  await warmUp(call, target, connections, seconds);
  const loads: Load[] = [];
  const yardsticks: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    yardsticks.push(await call(yardstick, connections, Math.max(1, seconds / 2)));
    loads.push(await call(target, connections, seconds));
  }
  return { target: bestOf(loads), yardstick: bestOf(yardsticks) };
}

/** The best of several rounds: other programs on the machine can only slow a round down. */
export const bestOf = (loads: readonly Load[]): Load => ({
  rate: Math.max(...loads.map(({ rate }) => rate)),
  p50: Math.min(...loads.map(({ p50 }) => p50)),
  p99: Math.min(...loads.map(({ p99 }) => p99)),
  processor: Math.min(...loads.map(({ processor = Number.NaN }) => processor)),
  faults: loads.reduce((sum, { faults }) => sum + faults, 0),
});

const bare: Workload = { name: 'the yardstick', calls: [{ name: '', method: 'GET', path: '/', token: '', status: 200 }] };

async function withYardstick<T>(use: (yardstick: Target) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ['-e', yardstick], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(child.stdout, 'data');
    return await use({ url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, workload: bare });
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
