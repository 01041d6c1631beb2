import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, Figure } from './figure.ts';
import { memoryOf } from './http.ts';
import { median, percentile } from './measure.ts';
import { withServer } from './server.ts';
import type { Answers, Attack, RepeatedRequest } from './worker/attacker.ts';
import type { Target } from './worker/fill-for-attacks.ts';

/**
 * Interval of the other user's requests, and duration of the phases before, during and after an
 * attack.
 */
const periodMs = 100;
const [quietTime, attackTime, mostRecovery] = [4_000, 10_000, 20_000];

const goals = { times: 3, p99: 500, megabytes: 100, seconds: 2 } as const;

/**
 * Measures how attacks on the production server, with its own database, affect another user, who
 * sends `GET /api/users/me` every 100 ms.
 */
export const attacks = (bench: Bench): Promise<Figure[]> =>
  withServer({}, async (service, ask) => {
    bench.progress('attacks: filling');
    const target = await ask('fillForAttacks');
    const figures: Figure[] = [];
    const wanted = process.env.ATTACKS;
    for (const [name, attack] of Object.entries(attacksOn(target))) {
      if (wanted && !name.includes(wanted)) continue;
      bench.progress(`attacks: ${name}`);
      figures.push(...(await measure(name, attack, { ...service, token: target.token })));
    }
    return figures;
  });

type Victim = { url: string; pid: number; token: string };

async function measure(name: string, attack: Attack, victim: Victim): Promise<Figure[]> {
  const watch = watchOther(victim);
  await delay(quietTime);
  const before = watch.take();
  const memory = memoryOf(victim.pid) ?? 0;

  const attacker = await startAttacker(victim.url, attack);
  await delay(attackTime);
  const mostMemory = watch.mostMemory();
  const answers = await attacker.stop();
  const ended = performance.now();
  const during = watch.take();

  const usual = median(before.times);
  let quietAgain = await watch.nextQuiet(goals.times * usual);
  while (!quietAgain && performance.now() - ended < mostRecovery) quietAgain = await watch.nextQuiet(goals.times * usual);
  const seconds = (performance.now() - ended) / 1_000;
  await watch.end();

  const statuses = Object.entries(answers).map(([status, count]) => `${count} x ${status}`);
  return [
    {
      name: `${name}: p50`,
      unit: 'ms',
      value: median(during.times),
      reference: usual,
      goal: { of: 'ratio', atMost: goals.times },
      isUnsteady: true,
      note: statuses.join(', '),
    },
    { name: `${name}: p99`, unit: 'ms', value: percentile(during.times, 99), goal: { of: 'value', atMost: goals.p99 } },
    { name: `${name}: other than 200`, unit: 'responses', value: during.faults, goal: { of: 'value', atMost: 0 } },
    { name: `${name}: memory`, unit: 'MB', value: mostMemory - memory, goal: { of: 'value', atMost: goals.megabytes } },
    { name: `${name}: until it is quiet`, unit: 's', value: seconds, goal: { of: 'value', atMost: goals.seconds } },
  ];
}

/** Sends a request every 100 ms, without waiting for earlier responses. */
function watchOther({ url, pid, token }: Victim) {
  const agent = new Agent({ keepAlive: true });
  let times: number[] = [];
  let faults = 0;
  let most = 0;
  const running = new Set<Promise<number>>();

  const ask = () => {
    const since = performance.now();
    const asked = new Promise<number>((resolve) => {
      const end = (status: number | undefined) => {
        const took = performance.now() - since;
        times.push(took);
        if (status !== 200) faults++;
        resolve(took);
      };
      request(`${url}/api/users/me`, { headers: { 'X-Auth-Token': token }, agent }, (response) => {
        response.resume().once('close', () => end(response.statusCode));
      })
        .once('error', () => end(undefined))
        .end();
    });
    running.add(asked);
    void asked.then(() => running.delete(asked));
    return asked;
  };
  const asking = setInterval(ask, periodMs);
  const weighing = setInterval(() => {
    most = Math.max(most, memoryOf(pid) ?? 0);
  }, 500);

  return {
    /** Returns the measurements since the last call. */
    take: () => {
      const taken = { times, faults };
      [times, faults, most] = [[], 0, 0];
      return taken;
    },
    mostMemory: () => most,
    /** True if five consecutive requests take no longer than `atMost` milliseconds. */
    nextQuiet: async (atMost: number) => {
      for (let at = 0; at < 5; at++) if ((await ask()) > atMost) return false;
      return true;
    },
    end: async () => {
      clearInterval(asking);
      clearInterval(weighing);
      await Promise.all(running);
      agent.destroy();
    },
  };
}

async function startAttacker(url: string, attack: Attack): Promise<{ stop: () => Promise<Answers> }> {
  const child = fork(fileURLToPath(new URL('./worker/attacker.ts', import.meta.url)), { execArgv: [] });
  await once(child, 'spawn');
  child.send({ url, attack });
  return {
    stop: async () => {
      child.send('stop');
      const [answers] = await once(child, 'message');
      await once(child, 'exit');
      return answers as Answers;
    },
  };
}

/** Attacks by a visitor without an account, or by a member. */
function attacksOn({ id, attacker, rooms, parent, names }: Target): Record<string, Attack> {
  const { token, username, password } = attacker;
  const get = (path: string): RepeatedRequest => ({ method: 'GET', path, token });
  const post = (path: string, body: unknown, by: string | undefined = token): RepeatedRequest => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
    ...(by && { token: by }),
  });
  const flood = (connections: number, ...requests: RepeatedRequest[]): Attack => ({ kind: 'requests', connections, requests });
  const hold = (connections: number, sent: string, bytes = 0): Attack => ({ kind: 'connections', connections, sent, bytes });
  const sockets = (connections: number, frame: string): Attack => ({ kind: 'sockets', connections, token, frame });
  const nested = ['*a ', '[', '> ', '**_~~a', '`a '].map((sign) => sign.repeat(9_000 / sign.length));
  const pairs = names.flatMap((one, at) => names.slice(0, at).map((other) => [one, other]));
  const head = (path: string, headers = '') => `${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
  const phrases = `aa ${Array.from({ length: 39 }, (_, at) => `-"${at.toString(36)}"`).join(' ')}`.slice(0, 197);
  const mentions = names.map((name) => `@${name}`).join(' ');
  const largePage = `/api/events?room=${rooms.large}&after=0&limit=500`;
  return {
    'sign-ups with a taken name': flood(
      10,
      post('/api/users', { username, email: 'new@example.org', password: 'correct horse' }, ''),
    ),
    'right logins': flood(20, post('/api/sessions', { username, password }, '')),
    'wrong logins': flood(20, post('/api/sessions', { username: 'nobody', password: 'a guess' }, '')),
    'unfinished bodies': hold(150, head('POST /nothing', 'Content-Length: 10485760\r\n'), 10_485_759),
    'a search with many phrases': flood(3, get(`/api/messages?room=${rooms.long}&limit=1&q=${encodeURIComponent(phrases)}`)),
    'a search with few phrases': flood(
      3,
      get(`/api/messages?room=${rooms.long}&limit=1&q=${encodeURIComponent('aa -"b c" -"d e"')}`),
    ),
    'a search for a common word': flood(4, get(`/api/messages?room=${rooms.common}&q=the`)),
    'a feed without a cursor after a flood': flood(8, get(`/api/events?room=${rooms.flooded}`)),
    'pages of large events': flood(20, get(largePage)),
    'pages of large messages': flood(20, get(`/api/messages?room=${rooms.large}&limit=200`)),
    'a message with 20 000 replies': flood(8, get(`/api/messages/${parent}`)),
    'filters that combine': flood(
      8,
      get(`/api/messages?room=${rooms.common}&user=${attacker.id}&mentions=me`),
      get(`/api/messages?room=${rooms.common}&user=${attacker.id}&pinned=true`),
    ),
    messages: flood(20, post('/api/messages', { room: rooms.crowded, text: 'x'.repeat(10_000) })),
    'mentions in a crowd': flood(20, post('/api/messages', { room: rooms.crowded, text: mentions })),
    reactions: flood(
      20,
      { method: 'PUT', path: `/api/messages/${parent}/reactions/owl`, token, body: '{}' },
      { method: 'DELETE', path: `/api/messages/${parent}/reactions/owl`, token },
    ),
    tokens: flood(20, post('/api/tokens', { name: 'another', current_password: password })),
    'nested texts': flood(20, ...nested.map((text) => post('/api/messages', { room: rooms.crowded, text }))),
    conversations: flood(20, ...pairs.map((users) => post('/api/conversations', { users }))),
    additions: flood(20, ...rooms.empty.map((room) => post('/api/members', { room, user: id }))),
    // The frames are empty, with a mask of zeroes.
    pongs: sockets(10, '8a8000000000'),
    pings: sockets(10, '898000000000'),
    handshakes: sockets(20, ''),
    'who am I': flood(20, get('/api/users/me')),
    'paths of 10 kB': flood(20, get(`/${'a'.repeat(9_800)}`)),
    'idle connections': hold(6_000, ''),
    'slow readers': hold(300, head(`GET ${largePage}`, `X-Auth-Token: ${token}\r\n`)),
  };
}
