import { spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Background } from '../../lib/base/background.ts';
import { type Carrier, setCarrier } from '../../lib/notices/carrier.ts';
import { defaultFiles, filesDirectory, misspelledSettings } from '../../lib/settings/settings.ts';
import { announcement, type Beginning } from '../server/announcement.ts';
import { onEnd } from '../server/signals.ts';
import { requireWritable } from '../server/writable-places.ts';
import { answersBytes } from './bytes.ts';
import { likeApiGateway } from './gateway.ts';
import { reloadOnChange } from './reload.ts';

type FunctionEvent = { httpApi?: string; websocket?: unknown };
type Serverless = {
  service: {
    functions: Record<string, { events?: FunctionEvent[] }>;
    provider: { environment?: Record<string, string> };
    custom: {
      offline: { prepare: string; setup: string };
      'serverless-offline': { host: string; httpPort: string; websocketPort: string };
    };
  };
};

/**
 * A serverless plugin for serverless-offline. It checks the ports, prepares the database, and
 * prints the addresses.
 */
export default class OfflinePlugin {
  readonly hooks: Record<string, () => void | Promise<void>>;
  readonly #serverless: Serverless;
  // Read before the database's plugin sets MONGODB_URI.
  readonly #files = defaultFiles(process.env);

  constructor(serverless: Serverless, options: Record<string, unknown>) {
    this.#serverless = serverless;
    options.noSponsor = true;
    const start = () => this.#start();
    this.hooks = { 'before:offline:start': start, 'before:offline:start:init': start };
  }

  async #start(): Promise<void> {
    const { offline, 'serverless-offline': emulator } = this.#serverless.service.custom;
    const { host, websocketPort } = emulator;
    await endIfTaken('HTTP_PORT', emulator.httpPort, host);
    // Clients receive this port, so it cannot be 0.
    await endIfTaken('WEBSOCKET_PORT', websocketPort, host, 1);
    await invokeInProcess();
    changeEvents(this.#serverless);
    const { provider } = this.#serverless.service;
    process.env.FILES ||= this.#files;
    provider.environment = {
      ...provider.environment,
      // All functions share this process and its database client.
      MONGODB_POOL_SIZE: process.env.MONGODB_POOL_SIZE || '20',
      FILES: process.env.FILES,
      SOCKET_URL: process.env.SOCKET_URL || `ws://${host}:${websocketPort}`,
      SOCKET_ENDPOINT: `http://${host}:${websocketPort}`,
    };
    for (const sentence of misspelledSettings(process.env)) process.stderr.write(`${sentence}\n`);
    await requireWritableFiles().catch(({ message }) => end(message));
    const beginning = prepareDatabase(offline);
    const environment = provider.environment as Record<string, string>;
    likeApiGateway((request, response) => answersBytes(request, response, environment));
    void announce(Number(emulator.httpPort), emulator.host, beginning).then(() => workMeanwhile(environment));
  }
}

async function requireWritableFiles(): Promise<void> {
  const directory = filesDirectory(process.env);
  if (directory !== '') await requireWritable('FILES', directory);
}

/**
 * Adds OPTIONS routes, which `ANY` does not cover in serverless-offline. Removes schedules and
 * queues, because this process does their work, as a server does.
 */
function changeEvents({ service }: Serverless): void {
  for (const definition of Object.values(service.functions)) {
    const events = (definition.events ?? []).filter(({ httpApi, websocket }) => httpApi ?? websocket);
    const paths = events.flatMap(({ httpApi }) => (httpApi === undefined ? [] : [httpApi.replace('ANY ', '')]));
    const options = paths.map((path) => ({ httpApi: `OPTIONS ${path === '*' ? '/{path+}' : path}` }));
    definition.events = [...events, ...options];
  }
}

/**
 * Makes functions invoke `push` within this process. serverless-offline would open a port for
 * invocations, which accepts complete events from any page in the developer's browser. Otherwise
 * the replaced method only stops functions that were idle for a minute.
 */
async function invokeInProcess(): Promise<void> {
  const { default: Lambda } = await import('serverless-offline/lambda');
  // Loaded on first use, when the settings are available.
  const gateway = async () => (await import('../aws/runtime/carrier.ts')).carrier as Carrier;
  Lambda.prototype.start = function start() {
    carrier = {
      invoke: async (event) => {
        const invoked = this.get('push');
        invoked.setEvent(JSON.parse(event));
        // Nothing waits for it, and it logs its own errors.
        invoked.runHandler().catch(() => undefined);
      },
      // The background work of this process receives the same notices.
      queue: async () => undefined,
      post: async (connection, frame) => (await gateway()).post(connection, frame),
      close: async (connection) => (await gateway()).close(connection),
    };
    setCarrier(carrier);
  };
}

let carrier: Carrier | undefined;

/**
 * Runs the background work of a server until a signal ends the process. Restarts it when modules
 * change.
 */
async function workMeanwhile(environment: Record<string, string>): Promise<void> {
  let working = beginWork(environment);
  const end = async () => Promise.all((await working).map((work) => work.end()));
  onEnd(end);
  // Before anything is awaited: the address has been printed, so files may change from now on.
  reloadOnChange(async () => {
    void end();
    // Reloaded modules have their own `carrier` variable, so set it again.
    (await import('../../lib/notices/carrier.ts')).setCarrier(carrier);
    working = beginWork(environment);
    await working;
  });
  await working;
}

async function beginWork(environment: Record<string, string>): Promise<Background[]> {
  // The emulator does the same before it loads a function; both share the modules of the service.
  Object.assign(process.env, environment, { AWS_LAMBDA_FUNCTION_NAME: 'work' });
  const [{ deliverMeanwhile }, { pushMeanwhile }, { sendDigestsMeanwhile }, { sweepMeanwhile }, streams] = await Promise.all([
    import('../server/work/webhook-deliveries.ts'),
    import('../server/work/push-notifications.ts'),
    import('../server/work/digests.ts'),
    import('../server/work/sweep.ts'),
    import('../server/work/streams.ts'),
  ]);
  const isFirst = true;
  return [
    deliverMeanwhile({ isFirst }),
    pushMeanwhile({ isFirst }),
    sendDigestsMeanwhile(),
    sweepMeanwhile(),
    streams.interruptStreamsMeanwhile(),
  ];
}

async function endIfTaken(setting: string, port: string, host: string, least = 0): Promise<void> {
  if (!/^\d{1,5}$/.test(port) || Number(port) < least || Number(port) > 65_535)
    end(`Set ${setting} to a port from ${least} to 65535, not '${port}'.`);
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(Number(port), host, () => server.close(() => resolve(true)));
  });
  if (!isFree) end(`Port ${port} is taken: end what uses it, or set ${setting} to another.`);
}

/**
 * Prepares the database with the service's own commands. If that fails, prints their message and
 * exits.
 */
function prepareDatabase({ prepare, setup }: Record<'prepare' | 'setup', string>): Beginning {
  const prepared = run(prepare);
  if (prepared.status !== 0) end(prepared.stderr.trim());
  const hasAdministrator = JSON.parse(prepared.stdout).administrators > 0;
  // The command refuses if accounts exist, even if none is an administrator.
  const made = hasAdministrator ? undefined : run(setup);
  if (made?.status === 0) return { hasAdministrator, setupCode: JSON.parse(made.stdout) };
  return {
    hasAdministrator,
    setupCode: undefined,
    setupRefusal: made?.stderr.includes('acknowledge') ? made.stderr.trim() : undefined,
  };
}

const run = (command: string) => spawnSync(process.execPath, command.split(' '), { encoding: 'utf8' });

async function announce(port: number, host: string, beginning: Beginning): Promise<void> {
  while (!(await isListening(port, host))) await delay(50);
  process.stdout.write(announcement(`http://${host}:${port}`, beginning));
}

const isListening = (port: number, host: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, host, () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

function end(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
