import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/*
 * Runs a packaged function like Lambda: with AWS's own runtime client, which requests events from a
 * Runtime API. The process is suspended between invocations.
 */

/**
 * The runtime client of Node.js 24 on Lambda. It is downloaded on first use instead of being
 * installed. Its installation would compile an HTTP client in C++, which is replaced here.
 */
const client = {
  version: '4.0.2',
  sha512: 'FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==',
};
const cache = resolve('node_modules/.cache/aws-lambda-ric');

/**
 * The file that starts a function; undefined if npm's registry cannot be reached. With `CI=true`
 * that is an error.
 */
export async function findRuntimeClient(): Promise<string | undefined> {
  const directory = join(cache, client.version);
  if (!existsSync(directory)) {
    try {
      await fetchRuntimeClient(directory);
    } catch (error) {
      if (process.env.CI === 'true') throw error;
      console.warn(`The packaged functions are not run by AWS's runtime client, which could not be fetched: ${error}`);
      return undefined;
    }
  }
  const standIn = join(directory, 'package', 'rapid-client.node');
  // As a folder, it is loaded like any other module.
  await mkdir(standIn, { recursive: true });
  await copyFile(resolve('test/support/rapid-client.cjs'), join(standIn, 'index.cjs'));
  await writeFile(join(standIn, 'package.json'), '{"main":"index.cjs"}');
  return join(directory, 'package', 'index.mjs');
}

async function fetchRuntimeClient(directory: string): Promise<void> {
  const run = promisify(execFile);
  await mkdir(cache, { recursive: true });
  const own = await mkdtemp(join(cache, 'fetch-'));
  try {
    const words = ['pack', `aws-lambda-ric@${client.version}`, '--silent', '--pack-destination', own];
    // Outside of the project, whose packages npm would read.
    await run('npm', words, { cwd: own, timeout: 60_000 });
    const archive = join(own, `aws-lambda-ric-${client.version}.tgz`);
    const digest = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64');
    if (digest !== client.sha512)
      throw new Error(`aws-lambda-ric@${client.version} has another content than was reviewed: ${digest}`);
    await run('tar', ['-xzf', archive, '-C', own]);
    await rm(archive);
    // Another test may have been faster.
    await rename(own, directory).catch((error) => {
      if (!existsSync(directory)) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/**
 * The outcome of an invocation: the function's result, or the error that the runtime client
 * reported.
 */
export type Outcome = { result?: unknown; error?: { errorType: string; errorMessage: string } };

/** A running function. */
export type RunningFunction = {
  pid: number;
  /** Resumes the function, invokes it and suspends it again. */
  invoke: (event: object) => Promise<Outcome>;
  /** Returns its log output. */
  log: () => string;
  end: () => Promise<void>;
};

/**
 * The shortest suspension of a function, in milliseconds. On AWS it may last minutes;
 * `FREEZE=25000` comes closer.
 */
const freeze = Number(process.env.FREEZE ?? 50);

/** Starts an unpacked function with its environment. */
export async function startFunction(
  runtimeClient: string,
  directory: string,
  name: string,
  environment: Record<string, string | undefined>,
  { handler = `functions/${name}.handler`, freezeMs = freeze } = {},
): Promise<RunningFunction> {
  let child: ChildProcess;
  let output = '';
  let frozenAt = 0;
  let ended: Error | undefined;
  const waiting: { next?: PromiseWithResolvers<{ id: string; event: object }> } = {};
  let asks = Promise.withResolvers<void>();
  let outcome = Promise.withResolvers<Outcome>();

  const api = createServer(async (request, response) => {
    const path = request.url?.replace('/2018-06-01/runtime', '') ?? '';
    if (path === '/invocation/next') {
      waiting.next = Promise.withResolvers();
      asks.resolve();
      const { id, event } = await waiting.next.promise;
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': id,
        'Lambda-Runtime-Deadline-Ms': String(Date.now() + 20_000),
        'Lambda-Runtime-Invoked-Function-Arn': `arn:aws:lambda:eu-central-1:123456789012:function:chat-service-dev-${name}`,
        'Lambda-Runtime-Trace-Id': 'Root=1-5e1b4151-5ac6c58f3c2a1b2c3d4e5f60;Sampled=0',
      });
      response.end(JSON.stringify(event));
      return;
    }
    const body = JSON.parse((await text(request)) || 'null');
    response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"status":"OK"}');
    if (path === '/init/error') fail(new Error(`${body.errorType}: ${body.errorMessage}`));
    else outcome.resolve(path.endsWith('/error') ? { error: body } : { result: body });
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');

  const fail = (error: Error) => {
    ended ??= error;
    asks.reject(ended);
    outcome.reject(ended);
  };
  for (const { promise } of [asks, outcome]) promise.catch(() => undefined);

  child = spawn(process.execPath, [runtimeClient], {
    cwd: directory,
    // Lambda gives a function only its own environment.
    env: {
      PATH: process.env.PATH,
      ...environment,
      TZ: ':UTC',
      LAMBDA_TASK_ROOT: directory,
      _HANDLER: handler,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(api.address() as AddressInfo).port}`,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: `chat-service-dev-${name}`,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/chat-service-dev-${name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]1',
    } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  child.once('close', (code) => fail(new Error(`The function ${name} ended with ${code}: ${output}`)));

  return {
    pid: child.pid ?? 0,
    invoke: async (event) => {
      if (frozenAt > 0) {
        await delay(Math.max(0, frozenAt + freezeMs - Date.now()));
        child.kill('SIGCONT');
      }
      await asks.promise;
      if (ended) throw ended;
      asks = Promise.withResolvers();
      outcome = Promise.withResolvers();
      for (const { promise } of [asks, outcome]) promise.catch(() => undefined);
      waiting.next?.resolve({ id: randomUUID(), event });
      const came = await outcome.promise;
      // Lambda suspends it as soon as it requests the next event.
      await asks.promise;
      child.kill('SIGSTOP');
      frozenAt = Date.now();
      return came;
    },
    log: () => output,
    end: async () => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      const closed = isRunning && once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      api.closeAllConnections();
      api.close();
    },
  };
}
