import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** A running service with its address and output. */
export type Service = {
  url: string;
  output: () => string;
  /** Signals all of its processes, like a terminal. */
  signal: (name: NodeJS.Signals) => void;
  /** Signals the started process, but not its children. */
  signalLeader: (name: NodeJS.Signals) => void;
  pid: number;
  /** Resolves to the exit code when all of its processes have ended. */
  ended: Promise<number | null>;
  stop: () => Promise<number | null>;
};

/** The commands of `npm start` and `npm run serve` in a checkout. */
export function commandsIn(directory: string): { start: string[]; serve: string[] } {
  const { scripts } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return { start: scripts.start.split(' '), serve: scripts.serve.split(' ') };
}

export const commands = commandsIn(project);

/**
 * Starts the service on free ports, by default like `npm start`. If it ends before it is ready,
 * throws its output.
 */
export async function startService(
  environment: Record<string, string>,
  [command = '', ...words] = commands.start,
  directory = project,
): Promise<Service> {
  const httpPort = environment.HTTP_PORT ?? (await freePort());
  const websocketPort = await freePort();
  const child = spawn(command, words, {
    cwd: directory,
    env: { ...process.env, HTTP_PORT: httpPort, WEBSOCKET_PORT: websocketPort, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const ready = new Promise<void>((resolve) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('The API is at')) resolve();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
  });
  const early = await Promise.race([ready, ended]);
  if (early !== undefined) throw new ServiceEnded(early, output);

  const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name);
  return {
    url: `http://localhost:${httpPort}`,
    output: () => output,
    signal,
    signalLeader: (name) => child.kill(name),
    pid: child.pid ?? 0,
    ended,
    stop: () => {
      if (child.exitCode === null && child.signalCode === null) signal('SIGINT');
      return ended;
    },
  };
}

/** The service ended before it was ready. */
export class ServiceEnded extends Error {
  readonly code: number | null;
  readonly output: string;

  constructor(code: number | null, output: string) {
    super(`The service ended with ${code}: ${output}`);
    this.code = code;
    this.output = output;
  }
}

// Systems give the ports from 32768 on to servers that ask for any port, and to outgoing
// connections. One of these could take a port before the program that needs it has started.
const [lowestPort, portsPerWorker, workers] = [10_000, 1_000, 22];

/** Each worker of the tests has ports of its own. */
const firstPort = lowestPort + (Number(process.env.VITEST_POOL_ID ?? 0) % workers) * portsPerWorker;

let portsTried = Math.floor(Math.random() * portsPerWorker);

/** Finds a free port, for programs that cannot choose one themselves. */
export async function freePort(): Promise<string> {
  for (let tries = 0; tries < portsPerWorker; tries++) {
    const port = firstPort + (portsTried++ % portsPerWorker);
    const server = createServer();
    const isFree = once(server.listen(port, 'localhost'), 'listening').then(
      () => true,
      () => false,
    );
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return String(port);
  }
  throw new Error(`No port from ${firstPort} on is free.`);
}
