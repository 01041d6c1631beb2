import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, type RunningFunction, startFunction } from './lambda.ts';
import type { PackagedFunction } from './packaged.ts';

/*
 * A deployment on a model of AWS. It runs the packaged functions; each instance is a process with
 * AWS's own runtime client and one event at a time. The model implements the resources of the
 * template: concurrency, asynchronous invocations, FIFO queues with their event source mappings,
 * parameters, and WebSocket connections. It does not know the service.
 */

type Properties = Record<string, unknown>;
type Template = { Resources: Record<string, { Type: string; Properties: Properties }> };

/** The resource usage of a function. */
export type Usage = {
  invocations: number;
  coldStarts: number;
  errors: number;
  throttles: number;
  gbSeconds: number;
  cpuMs: number;
};

/** The behaviour of AWS, as documented or commonly measured. */
const lambda = {
  /** The memory that comes with one full CPU; less memory has a smaller share. */
  wholeProcessorMb: 1_769,
  /** The concurrency of an account. */
  concurrency: 1_000,
  /** The latency of an asynchronous invocation, and of a queue's entry to a function. */
  asyncMs: 10,
  pollMs: 25,
  /** The first delay after an asynchronous invocation or a queue was throttled. */
  throttledMs: 1_000,
};

/** A queue drops duplicates within this time. */
const deduplicationMs = 300_000;

export type Cloud = Awaited<ReturnType<typeof startCloud>>;

type Options = {
  /** The packaged functions, and the directory with their template. */
  packaged: PackagedFunction[];
  directory: string;
  runtimeClient: string;
  /** The secrets by parameter name. */
  parameters: Record<string, string>;
  /** Variables that replace those of the template. */
  environment?: Record<string, string>;
  freezeMs?: number;
};

/** Deploys packaged functions, which start at their invocation. */
export async function startCloud({ packaged, directory, runtimeClient, parameters, environment, freezeMs }: Options) {
  const path = join(directory, 'packages', 'cloudformation-template-update-stack.json');
  const { Resources }: Template = JSON.parse(readFileSync(path, 'utf8'));
  const of = (type: string) => Object.values(Resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));
  const idOf = (reference: unknown) => (reference as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'][0];

  const frames: { connection: string; frame: Record<string, unknown> }[] = [];
  const invoked: { name: string; event: object }[] = [];
  const underway = new Set<Promise<unknown>>();
  let isEnded = false;
  const track = <T>(work: Promise<T>): void => {
    const tracked = work.catch(() => undefined).finally(() => underway.delete(tracked));
    underway.add(tracked);
  };

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const functions = new Map(
    of('AWS::Lambda::Function').map((properties) => {
      const made = deployedFunction(String(properties.FunctionName), properties);
      return [String(properties.FunctionName), made] as const;
    }),
  );
  const queues = new Map(
    Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
      Type === 'AWS::SQS::Queue' && Properties.RedrivePolicy ? [[id, fifoQueue(id, Properties)] as const] : [],
    ),
  );

  /** A function with its instances, up to its concurrency. */
  function deployedFunction(functionName: string, properties: Properties) {
    const handler = String(properties.Handler);
    const name = functionName.replace('chat-service-dev-', '');
    const memory = Number(properties.MemorySize);
    const most = Number(properties.ReservedConcurrentExecutions ?? lambda.concurrency);
    const share = Math.min(1, memory / lambda.wholeProcessorMb);
    const usage: Usage = { invocations: 0, coldStarts: 0, errors: 0, throttles: 0, gbSeconds: 0, cpuMs: 0 };
    const idle: RunningFunction[] = [];
    const running = new Set<RunningFunction>();
    let active = 0;
    /** The delay of an invocation by the limited CPU share, measured in the last ones. */
    let stretchMs = 0;

    const start = async () => {
      const began = performance.now();
      usage.coldStarts++;
      const { directory: code = '' } = packaged.find((one) => one.name === name) ?? {};
      const started = await startFunction(runtimeClient, code, name, environmentOf(properties), {
        handler,
        ...(freezeMs !== undefined && { freezeMs }),
      });
      running.add(started);
      return { started, initMs: performance.now() - began };
    };

    const invoke = async (event: object): Promise<Outcome> => {
      if (active >= most) {
        usage.throttles++;
        throw new Error('TooManyRequestsException');
      }
      active++;
      usage.invocations++;
      try {
        const warm = idle.pop();
        const { started, initMs } = warm ? { started: warm, initMs: 0 } : await start();
        await sleep(stretchMs);
        const [began, cpuBefore] = [performance.now(), cpuOf(started.pid)];
        const outcome = await started.invoke(event);
        const cpuMs = cpuOf(started.pid) - cpuBefore;
        stretchMs = 0.9 * stretchMs + 0.1 * cpuMs * (1 / share - 1);
        const billedMs = initMs + performance.now() - began + cpuMs * (1 / share - 1);
        usage.cpuMs += cpuMs;
        usage.gbSeconds += (memory / 1_024) * (billedMs / 1_000);
        if (outcome.error) usage.errors++;
        idle.push(started);
        return outcome;
      } finally {
        active--;
      }
    };
    const log = () => [...running].map((one) => one.log()).join('');
    return { usage, invoke, log, end: () => Promise.all([...running].map((one) => one.end())) };
  }

  function environmentOf({ Environment }: Properties): Record<string, string | undefined> {
    const { Variables } = Environment as { Variables: Record<string, unknown> };
    const resolved = Object.entries(Variables).map(([name, value]) => {
      if (name.startsWith('AWS_ENDPOINT_URL')) return [name, url];
      if (name === 'SOCKET_ENDPOINT') return [name, `${url}/dev`];
      if (typeof value === 'string') return [name, value];
      // The address of a queue is its logical id. Other references are left out, because they need
      // services that do not exist here.
      return [name, (value as { Ref?: string }).Ref ?? undefined];
    });
    return {
      ...Object.fromEntries(resolved),
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id-of-the-role',
      AWS_SECRET_ACCESS_KEY: 'key-of-the-role',
      AWS_SESSION_TOKEN: 'session-of-the-role',
      ...environment,
    };
  }

  /** A FIFO queue, and the event source mapping to its function. */
  function fifoQueue(id: string, properties: Properties) {
    const mapping = of('AWS::Lambda::EventSourceMapping').find(({ EventSourceArn }) => idOf(EventSourceArn) === id);
    const { MaximumConcurrency: most = 10 } = (mapping?.ScalingConfig ?? {}) as { MaximumConcurrency?: number };
    const { maxReceiveCount } = properties.RedrivePolicy as { maxReceiveCount: number };
    const target = Resources[idOf(mapping?.FunctionName)]?.Properties.FunctionName as string;
    const entries: { id: string; body: string; group: string; visibleAt: number; received: number }[] = [];
    const seen = new Map<string, number>();
    const groups = new Set<string>();
    const dead: string[] = [];
    let active = 0;
    let count = 0;

    let timer: NodeJS.Timeout | undefined;
    const pump = () => {
      const now = performance.now();
      const blocked = new Set(groups);
      let next = Number.POSITIVE_INFINITY;
      for (const entry of [...entries]) {
        if (active >= most) break;
        // Entries of a group keep their order.
        if (blocked.has(entry.group)) continue;
        blocked.add(entry.group);
        if (entry.visibleAt <= now) track(take(entry));
        else next = Math.min(next, entry.visibleAt);
      }
      clearTimeout(timer);
      if (next < Number.POSITIVE_INFINITY) timer = setTimeout(pump, next - now);
    };
    const take = async (entry: (typeof entries)[number]) => {
      active++;
      groups.add(entry.group);
      const remove = () => void entries.splice(entries.indexOf(entry), 1);
      try {
        await sleep(lambda.pollMs);
        const record = { messageId: entry.id, body: entry.body, eventSource: 'aws:sqs' };
        const { result, error } = (await functions.get(target)?.invoke({ Records: [record] })) ?? {};
        const failed = (result as { batchItemFailures?: object[] } | undefined)?.batchItemFailures ?? [];
        entry.received++;
        if (!error && failed.length === 0) remove();
        else if (entry.received >= maxReceiveCount) {
          remove();
          dead.push(entry.body);
        } else entry.visibleAt = performance.now() + Number(properties.VisibilityTimeout) * 1_000;
      } catch {
        entry.visibleAt = performance.now() + lambda.throttledMs;
      } finally {
        active--;
        groups.delete(entry.group);
        if (!isEnded) pump();
      }
    };
    const send = ({ MessageBody: body, MessageGroupId: group, MessageDeduplicationId: key }: Record<string, string>) => {
      const now = performance.now();
      if (key === undefined || now - (seen.get(key) ?? Number.NEGATIVE_INFINITY) < deduplicationMs) return;
      seen.set(key, now);
      const visibleAt = now + Number(properties.DelaySeconds) * 1_000;
      entries.push({ id: `${id}-${++count}`, body: body ?? '', group: group ?? '', visibleAt, received: 0 });
      pump();
    };
    return { send, dead, size: () => entries.length };
  }

  async function invokeAsync(functionName: string, event: object): Promise<void> {
    invoked.push({ name: functionName, event });
    await sleep(lambda.asyncMs);
    for (let wait = lambda.throttledMs; !isEnded; wait *= 2) {
      try {
        await functions.get(functionName)?.invoke(event);
        return;
      } catch (error) {
        if ((error as Error).message !== 'TooManyRequestsException') return;
        await sleep(wait);
      }
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await text(request)) || 'null');
    const [, service = ''] = /\/eu-central-1\/([\w-]+)\/aws4_request/.exec(request.headers.authorization ?? '') ?? [];
    const reply = (status: number, content: object = {}) => response.writeHead(status).end(JSON.stringify(content));
    if (service === 'ssm') {
      const Value = parameters[body.Name];
      reply(Value === undefined ? 400 : 200, Value === undefined ? { __type: 'ParameterNotFound' } : { Parameter: { Value } });
    } else if (service === 'lambda') {
      const [, name = ''] = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/.exec(request.url ?? '') ?? [];
      reply(functions.has(name) ? 202 : 404);
      track(invokeAsync(name, body));
    } else if (service === 'sqs') {
      for (const entry of body.Entries) queues.get(body.QueueUrl)?.send(entry);
      reply(200, { Successful: [], Failed: [] });
    } else if (service === 'execute-api') {
      const [, connection = ''] = /^\/dev\/@connections\/([\w%-]+)$/.exec(request.url ?? '') ?? [];
      if (request.method === 'POST') frames.push({ connection: decodeURIComponent(connection), frame: body });
      reply(200);
    } else reply(403);
  }

  return {
    /** The frames that functions have sent to connections. */
    frames,
    /** The asynchronous invocations by functions. */
    invoked,
    /** Invokes a function like a gateway, and waits for it. */
    invoke: (name: string, event: object): Promise<Outcome> => {
      const found = functions.get(`chat-service-dev-${name}`);
      if (!found) throw new Error(`The template has no function ${name}.`);
      return found.invoke(event);
    },
    usage: () =>
      Object.fromEntries(
        [...functions].flatMap(([name, { usage }]) =>
          usage.invocations > 0 ? [[name.replace('chat-service-dev-', ''), { ...usage }]] : [],
        ),
      ) as Record<string, Usage>,
    /** The log output of all functions. */
    log: () => [...functions.values()].map(({ log }) => log()).join(''),
    /** The entries that failed at each attempt. */
    dead: () => [...queues.values()].flatMap(({ dead }) => dead),
    /** Waits until nothing runs and the queues are empty. */
    idle: async () => {
      while (underway.size > 0 || [...queues.values()].some(({ size }) => size() > 0)) await sleep(20);
    },
    end: async () => {
      isEnded = true;
      await Promise.all([...functions.values()].map(({ end }) => end()));
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The CPU time of a process, in milliseconds. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return 0;
  }
}
