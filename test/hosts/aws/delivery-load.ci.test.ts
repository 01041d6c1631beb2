import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { addConnection, greetConnection } from '../../../lib/gateway/connections.ts';
import { findCaller } from '../../../lib/identity/authenticate.ts';
import { invocation } from '../../../tools/harness/transports.ts';
import { aName, anAccount } from '../../support/accounts.ts';
import { type Cloud, startCloud, type Usage } from '../../support/cloud.ts';
import { findRuntimeClient } from '../../support/lambda.ts';
import { packageFunctions } from '../../support/packaged.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { addMember, aRoom, succeed, type TestRoom } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';
import { aReceiver, type Receiver, useWebhookReceivers } from '../../support/webhook-receiver.ts';
import { startDatabase } from '../../support/worker.ts';

usePushService();
useWebhookReceivers();
// The packaged functions use it from processes of their own.
if (Number(process.env.AWS_LOAD ?? 0) > 0) await startDatabase();

/*
 * Load on a deployment, on the model of AWS: whether webhooks and devices are prompt, and what a
 * message costs. It takes minutes: AWS_LOAD=60 runs it, with that many seconds of load, and writes
 * its figures into the file AWS_LOAD_RESULTS.
 */

const seconds = Number(process.env.AWS_LOAD ?? 0);

/** List prices of eu-central-1 in US dollars, without the free tier. */
const prices = {
  gbSecond: 0.0000133334,
  invocation: 0.2e-6,
  httpRequest: 1.2e-6,
  /** A frame, of at most 32 KB. */
  frame: 1.14e-6,
  /** A request to a FIFO queue. */
  queueRequest: 0.5e-6,
};

/** An entry of a queue is sent, taken and deleted. */
const requestsOfEntry = 3;

type Member = Awaited<ReturnType<typeof anAccount>>;
type TestedRoom = { room: TestRoom; writer: Member; owner: Member; receiver: Receiver; device: Device };

describe.runIf(seconds > 0)('a deployment under load', { timeout: 1_200_000 }, () => {
  it('a deployment under load of ten messages a second in fifty rooms, one with a receiver that takes three seconds, is prompt in all', async () => {
    const rooms: TestedRoom[] = [];
    while (rooms.length < 50) rooms.push(await makeRoom());
    const slow = rooms[0]?.receiver as Receiver;
    slow.answer = () => sleep(3_000, { status: 204 });
    const cloud = await start();
    const result = await load(cloud, rooms, { rate: 10, seconds });
    await report('10 messages a second in 50 rooms, a 3 s receiver in one', result);
    expect(result.failures).toBe(0);
    expect(result.webhooks.missing + result.devices.missing).toBe(0);
    expect(result.webhooks.p99).toBeLessThan(2_000);
    // The receiver is in the way of its own room alone.
    expect(result.webhooksOfOtherRooms.p99).toBeLessThan(2_000);
    expect(result.devices.p99).toBeLessThan(6_000);
    expect(result.gbSecondsOfDelivery).toBeLessThan(0.3);
  });

  it.each([30, 300])('a message to a room of %i people who are all connected has a price', async (people) => {
    const tested = await makeRoom(people - 2);
    const cloud = await start();
    const result = await load(cloud, [tested], { rate: 1, seconds });
    await report(`1 message a second in a room of ${people} who are all connected`, result);
    expect(result.failures).toBe(0);
  });
});

const runtimeClient = seconds > 0 ? await findRuntimeClient() : undefined;
const directory = await mkdtemp(join(tmpdir(), 'chat-load-'));
afterAll(() => rm(directory, { recursive: true }));
const used = ['messages', 'push', 'deliver'].map((name) => `functions/${name}.ts`);
const settings = { SECRET_KEY: 'ssm:/chat-service/dev/secret-key', CONNECTION_LIMIT: '1500', MONGODB_POOL_SIZE: undefined };
const packaged = runtimeClient === undefined ? [] : await packageFunctions(directory, settings, used);

/** Clouds that run; a failed test leaves its functions frozen. */
const clouds: Cloud[] = [];
afterEach(async () => {
  for (const cloud of clouds.splice(0)) await cloud.end();
});

async function start(): Promise<Cloud> {
  const cloud = await startCloud({
    packaged,
    directory,
    runtimeClient: runtimeClient ?? '',
    parameters: {
      '/chat-service/dev/mongodb-uri': process.env.MONGODB_URI ?? '',
      '/chat-service/dev/secret-key': process.env.SECRET_KEY ?? '',
    },
    environment: {
      MONGODB_DATABASE: process.env.MONGODB_DATABASE ?? '',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      WEBHOOK_HOSTS: process.env.WEBHOOK_HOSTS ?? '',
      PUSH_HOSTS: process.env.PUSH_HOSTS ?? '',
    },
    freezeMs: 0,
  });
  clouds.push(cloud);
  return cloud;
}

/**
 * A room with a webhook, an owner with a device, a writer, and further members; these are
 * connected.
 */
async function makeRoom(connected = 0): Promise<TestedRoom> {
  const [owner, writer] = await Promise.all([anAccount(), anAccount()]);
  const room = await aRoom({ owner, members: [writer] });
  const [receiver, device] = [aReceiver(), aDevice()];
  const body = { name: 'Load', url: receiver.url };
  await succeed(inProcess('POST', `/api/rooms/${room.id}/webhooks`, { token: owner.token, body }));
  const { body: shown } = await succeed(inProcess('GET', '/api/push-subscription', { token: owner.token }));
  const subscription = subscriptionOf(device, (shown as { key: string }).key);
  await succeed(inProcess('PUT', '/api/push-subscription', { token: owner.token, body: subscription }));
  for (let count = 0; count < connected; count++) {
    const member = await anAccount();
    await addMember(room, member);
    const caller = await findCaller(member.token);
    const id = `${aName()}=`;
    await addConnection(id, caller as NonNullable<typeof caller>);
    await greetConnection(id, true);
  }
  return { room, writer, owner, receiver, device };
}

type Latency = { count: number; missing: number; p50: number; p99: number; max: number };
type Sent = { room: TestedRoom; count: number; at: number };

/**
 * The rate rises during this time, before anything is measured: instances start one after the
 * other, as in real use.
 */
const warmUpSeconds = 20;

/**
 * Sends messages to the rooms in turn, waits until the receivers and the devices have all, and
 * measures.
 */
async function load(cloud: Cloud, rooms: TestedRoom[], { rate, seconds }: { rate: number; seconds: number }) {
  const arrivals = rooms.map(({ receiver, device }) => arrivalsAt(receiver, device));
  const failures: string[] = [];
  let next = 0;

  /**
   * Sends messages for this time, at the rate at each time; returns the acknowledged ones, with
   * times.
   */
  const send = async (milliseconds: number, rateAt: (part: number) => number): Promise<Sent[]> => {
    const sends: Promise<Sent | undefined>[] = [];
    const began = performance.now();
    for (let due = 0; due < milliseconds; due += 1_000 / rateAt(due / milliseconds)) {
      await sleep(Math.max(0, began + due - performance.now()));
      const count = next++;
      const tested = rooms[count % rooms.length] as TestedRoom;
      const body = { room: tested.room.id, text: `@${tested.owner.username} ${count}` };
      const { event } = await invocation('POST', '/api/messages', { token: tested.writer.token, body });
      sends.push(
        cloud.invoke('messages', event()).then(
          ({ result, error }) => {
            const { statusCode, body } = (result ?? {}) as { statusCode?: number; body?: string };
            if (statusCode === 201) return { room: tested, count, at: performance.now() };
            return void failures.push(`${statusCode} ${body ?? error?.errorMessage}`);
          },
          (error) => void failures.push(String(error)),
        ),
      );
    }
    return (await Promise.all(sends)).filter((sent) => sent !== undefined);
  };

  await send(warmUpSeconds * 1_000, (part) => Math.max(0.5, part * rate));
  await cloud.idle();
  const before = cloud.usage();
  const cpuBefore = process.cpuUsage();
  const framesBefore = cloud.frames.length;
  failures.splice(0);
  const sent = await send(seconds * 1_000, () => rate);
  await cloud.idle();
  const usage = difference(cloud.usage(), before);
  const { user, system } = process.cpuUsage(cpuBefore);

  const latencyOf = (task: 'webhooks' | 'devices', isWanted = (_: TestedRoom) => true): Latency => {
    const wanted = sent.filter(({ room }) => isWanted(room));
    // A device shows the last one of several messages, with their number.
    const all = wanted.flatMap(({ room, count, at }) => {
      const came = arrivals[rooms.indexOf(room)]?.[task].find((one) => one.count >= count);
      return came ? [Math.max(0, came.at - at)] : [];
    });
    all.sort((one, other) => one - other);
    const place = (part: number) => Math.round(all[Math.min(all.length - 1, Math.floor(part * all.length))] ?? 0);
    return { count: all.length, missing: wanted.length - all.length, p50: place(0.5), p99: place(0.99), max: place(1) };
  };
  const frames = cloud.frames.length - framesBefore;
  const gbSecondsOf = (names: string[]) => sum(names.map((name) => usage[name]?.gbSeconds ?? 0)) / sent.length;
  return {
    messages: sent.length,
    failures: failures.length + cloud.dead().length + sum(Object.values(usage).map(({ errors }) => errors)),
    reasons: Object.entries(Object.groupBy(failures, (reason) => reason)).map(([reason, all]) => `${all?.length} ${reason}`),
    log: messagesIn(cloud.log()),
    webhooks: latencyOf('webhooks'),
    webhooksOfOtherRooms: latencyOf('webhooks', (room) => room !== rooms[0]),
    devices: latencyOf('devices'),
    gbSeconds: gbSecondsOf(Object.keys(usage)),
    gbSecondsOfDelivery: gbSecondsOf(['push', 'deliver']),
    framesOfMessage: frames / sent.length,
    modelCpuMs: (user + system) / 1_000 / sent.length,
    dollarsOf1000: (1_000 / sent.length) * dollarsOf(usage, sent.length, frames),
    usage,
  };
}

/** The arrivals at a receiver and at a device: the number of the message, and the time. */
function arrivalsAt(receiver: Receiver, device: Device) {
  const arrivals = { webhooks: [] as { count: number; at: number }[], devices: [] as { count: number; at: number }[] };
  const note = (task: 'webhooks' | 'devices', text: unknown) =>
    arrivals[task].push({ count: Number(String(text).split(' ')[1]), at: performance.now() });
  const { answer } = receiver;
  receiver.answer = (received) => {
    note('webhooks', (received.event.data as { text: string }).text);
    return answer(received);
  };
  device.pushes.push = (push) => note('devices', push.payload.text);
  return arrivals;
}

const difference = (after: Record<string, Usage>, before: Record<string, Usage>) =>
  Object.fromEntries(
    Object.entries(after).map(([name, usage]) => [
      name,
      Object.fromEntries(
        Object.entries(usage).map(([field, value]) => [field, value - (before[name]?.[field as keyof Usage] ?? 0)]),
      ) as Usage,
    ]),
  );

function dollarsOf(usage: Record<string, Usage>, messages: number, frames: number): number {
  const all = Object.values(usage);
  return (
    sum(all.map(({ gbSeconds }) => gbSeconds)) * prices.gbSecond +
    sum(all.map(({ invocations }) => invocations)) * prices.invocation +
    messages * prices.httpRequest +
    frames * prices.frame +
    (usage.deliver?.invocations ?? 0) * requestsOfEntry * prices.queueRequest
  );
}

/** The lines of a log about failures, without what differs, and how many there are of each. */
function messagesIn(log: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of log.split('\n')) {
    if (!line.startsWith('{')) continue;
    const { message, function: name, error } = JSON.parse(line);
    const text = `${name}: ${message}: ${error?.name} ${error?.message}`;
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

async function report(what: string, { usage, ...result }: Awaited<ReturnType<typeof load>>): Promise<void> {
  const text = `${what}\n${JSON.stringify(result, undefined, 2)}\n${JSON.stringify(usage)}\n`;
  process.stdout.write(text);
  const file = process.env.AWS_LOAD_RESULTS;
  if (file) await writeFile(file, text, { flag: 'a' });
}
