import { setTimeout as delay } from 'node:timers/promises';
import { type Call, overHttp, type SentRequest } from '../transports.ts';
import { announceFile, deviceOf, type HangingTown, type Person } from './town.ts';
import type { HangingWorld, PartyName } from './world.ts';

/** Creates a request that makes the service call a party. */
type Press = () => [method: string, path: string, body: object];

/** Requests that repeat until they are stopped. */
export type RequestLoop = {
  /** The number of pending requests. */
  open: () => number;
  /** The number of responses by status; 0 means that the connection broke. */
  answers: () => Record<string, number>;
  /** Stops sending, and resolves when all requests are answered. */
  stop: () => Promise<void>;
};

/** Concurrent requests of each kind per attacker, and the pause after a response. */
const concurrency = 2;
const pauseMs = 200;

/** Makes all attackers of a town call these parties in every possible way. */
export async function pressAll(
  url: string,
  town: HangingTown,
  world: HangingWorld,
  names: readonly PartyName[],
): Promise<RequestLoop> {
  const call = overHttp(url);
  const answers: Record<string, number> = {};
  let open = 0;
  let isOver = false;
  const repeat = async ({ token, source }: Person, press: Press) => {
    while (!isOver) {
      const [method, path, body] = press();
      const sent: SentRequest = { token, source, ...(method !== 'GET' && { body }) };
      open++;
      const status = await call(method, path, sent).then(
        (reply) => reply.status,
        () => 0,
      );
      open--;
      answers[status] = (answers[status] ?? 0) + 1;
      await delay(pauseMs);
    }
  };
  const all = await Promise.all(town.attackers.map((attacker) => pressesOf(call, attacker, town, world)));
  const running = all.flatMap((presses, at) =>
    names.flatMap((name) =>
      presses[name].flatMap((press) => Array.from({ length: concurrency }, () => repeat(town.attackers[at] as Person, press))),
    ),
  );
  return {
    open: () => open,
    answers: () => answers,
    stop: async () => {
      isOver = true;
      await Promise.all(running);
    },
  };
}

let count = 0;

async function pressesOf(
  call: Call,
  attacker: Person,
  town: HangingTown,
  world: HangingWorld,
): Promise<Record<PartyName, Press[]>> {
  const { room, commands, webhooks } = town;
  const [device, file] = await Promise.all([deviceOf(call, attacker, world), announceFile(call, attacker, room)]);
  const command = (name: string): Press => {
    return () => ['POST', `/api/rooms/${room}/commands`, { command: name }];
  };
  const test = (choose: () => string): Press => {
    return () => ['POST', `/api/rooms/${room}/webhooks/${choose()}`, {}];
  };
  const nextName = () => webhooks.unresolved[count++ % webhooks.unresolved.length] as string;
  return {
    bot: [command(commands.bot)],
    // A message makes the service deliver its event to all webhooks of the room, in the background.
    'webhook receiver': [test(() => webhooks.receiver), () => ['POST', '/api/messages', { room, text: 'Hello' }]],
    'push service': [() => ['PUT', '/api/push-subscription', { ...device, send_test: true }]],
    'identity provider': [() => ['POST', '/api/oidc/start', { path: '/' }]],
    'mail server': [() => ['POST', '/api/codes', { email: `person${count++}@example.org`, purpose: 'password' }]],
    'object store': [
      () => ['POST', '/api/messages', { room, text: '', files: [file] }],
      () => ['GET', `/api/files/${file}/content`, {}],
    ],
    'name server': [test(nextName), command(commands.unresolved)],
  };
}
