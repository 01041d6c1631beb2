import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createChatClient } from 'chat-service-client';
import { afterAll, expect, it } from 'vitest';
import { percentile, processorMillis } from '../../../tools/bench/measure.ts';
import { commands, freePort, type Service } from '../../../tools/harness/service.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { startBalancer } from '../../support/balancer.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { countKills, kill } from '../../support/kills.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { aService } from '../../support/services.ts';

useOwnDatabase();

/*
 * Three servers on one database, behind a load balancer. While messages are sent, each server is
 * killed several times. The figures are printed, not asserted. A full run:
 * SEVERAL_SOCKETS=200 SEVERAL_MESSAGES=20000 KILLS=4 SEVERAL_RATE=50.
 */
const numberOf = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const clients = numberOf('SEVERAL_SOCKETS', 12);
const messages = numberOf('SEVERAL_MESSAGES', 240);
const kills = countKills('each of three servers, while people follow rooms');
const rate = numberOf('SEVERAL_RATE', 20);
const perRoom = 10;

const ports = await Promise.all([0, 1, 2].map(() => freePort()));
const services: Service[] = [];
const starts: Promise<void>[] = [];
const start = async (at: number) => {
  services[at] = await aService({ HTTP_PORT: ports[at] as string, LOG_LEVEL: 'error' }, commands.serve);
};
await Promise.all([0, 1, 2].map(start));
const balancer = await startBalancer(ports);
afterAll(async () => {
  await Promise.all(starts);
  await Promise.all(services.map((service) => service.stop()));
  await balancer.close();
});

/** A client as apps have it, what it has got, and when it had no connection. */
function follow({ token }: Account, rooms: string[]) {
  const gaps: { from: number; to: number }[] = [];
  class Watched extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols);
      this.addEventListener('close', () => gaps.push({ from: performance.now(), to: Number.POSITIVE_INFINITY }));
      this.addEventListener('message', () => end(), { once: true });
    }
  }
  // Events of the meantime are read in a moment.
  const end = () => {
    for (const gap of gaps) if (gap.to === Number.POSITIVE_INFINITY) gap.to = performance.now() + 2_000;
  };
  const stop = new AbortController();
  const got: { room: string; seq: number; text: string; at: number }[] = [];
  const after = Object.fromEntries(rooms.map((room) => [room, 0]));
  const chat = createChatClient({ baseUrl: balancer.url, token, WebSocket: Watched as typeof WebSocket });
  const done = (async () => {
    for await (const one of chat.live({ after, signal: stop.signal }))
      if (one.type === 'message.created')
        got.push({ room: one.room.$oid, seq: one.seq, text: String(one.data.text), at: performance.now() });
  })();
  const leave = () => {
    stop.abort();
    return done;
  };
  return { rooms, got, gaps, end: leave };
}

/** The status of an answer that has come as a whole; 503 for none. */
const statusOf = (answer: Promise<Response>): Promise<number> =>
  answer
    .then(async (response) => {
      await response.arrayBuffer();
      return response.status;
    })
    .catch(() => 503);

it('three servers push every message once and in order while they are killed', { timeout: 3_600_000 }, async () => {
  const accounts = await Promise.all(Array.from({ length: clients }, () => anAccount()));
  const groups = accounts.flatMap((_, at) => (at % perRoom === 0 ? [accounts.slice(at, at + perRoom)] : []));
  const rooms = await Promise.all(groups.map((group) => aRoomOf(group)));
  const followers = accounts.map((account, at) => follow(account, [rooms[Math.floor(at / perRoom)] as string]));
  await delay(5_000);

  const answered = new Map<string, number>();
  async function send(text: string, at: number): Promise<void> {
    const sender = accounts[at % accounts.length] as Account;
    const headers = { 'X-Auth-Token': sender.token, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
    const body = JSON.stringify({ room: { $oid: rooms[Math.floor((at % accounts.length) / perRoom)] }, text });
    for (;;) {
      const status = await statusOf(fetch(new URL('/api/messages', balancer.url), { method: 'POST', headers, body }));
      if (status < 300) break;
      if (status < 500) throw new Error(`answered ${status}`);
      await delay(200);
    }
    answered.set(text, performance.now());
  }

  async function killAndStart(at: number): Promise<void> {
    await starts[at];
    processor += processorMillis((services[at] as Service).pid) ?? 0;
    await kill(services[at] as Service);
    starts[at] = start(at);
    await starts[at];
  }

  let processor = 0;
  const killing: Promise<void>[] = [];
  const sending: Promise<void>[] = [];
  const begun = performance.now();
  const every = Math.floor(messages / (3 * kills + 1));
  for (let sent = 0; sent < messages; sent++) {
    if (sent > 0 && sent % every === 0 && killing.length < 3 * kills) killing.push(killAndStart(killing.length % 3));
    sending.push(send(`${sent}`, sent));
    await delay(Math.max(0, begun + (1_000 * (sent + 1)) / rate - performance.now()));
  }
  await Promise.all([...sending, ...killing]);
  const seconds = (performance.now() - begun) / 1_000;
  for (const { pid } of services) processor += processorMillis(pid) ?? 0;

  const expectedIn = (room: string) =>
    Array.from({ length: messages }, (_, at) => at).filter((at) => rooms[Math.floor((at % accounts.length) / perRoom)] === room);
  for (const {
    rooms: [room = ''],
    got,
  } of followers)
    await expect.poll(() => got.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(expectedIn(room).length);
  await delay(2_000);
  for (const {
    rooms: [room = ''],
    got,
  } of followers) {
    expect(got.map(({ text }) => Number(text)).toSorted((a, b) => a - b)).toEqual(expectedIn(room));
    expect(got.map(({ seq }) => seq)).toEqual(got.map(({ seq }) => seq).toSorted((a, b) => a - b));
  }

  const delays: { connected: number[]; cut: number[] } = { connected: [], cut: [] };
  for (const { got, gaps } of followers)
    for (const { text, at } of got) {
      const since = answered.get(text) as number;
      const wasCut = gaps.some(({ from, to }) => since <= to && at >= from);
      delays[wasCut ? 'cut' : 'connected'].push(Math.max(0, at - since));
    }
  const figures = Object.entries(delays).map(([name, all]) => {
    const [p50, p99, most] = [50, 99, 100].map((share) => Math.round(percentile(all, share)));
    const late = ((100 * all.filter((one) => one > 1_000).length) / all.length).toFixed(2);
    return `${name}: ${all.length} frames, p50 ${p50} ms, p99 ${p99} ms, max ${most} ms, ${late} % after more than 1 s`;
  });
  const load = `${Math.round(messages / seconds)} messages/s, three servers ${Math.round(processor / seconds / 10)} % of a core`;
  process.stdout.write(`${[...figures, load].join('\n')}\n`);
  await Promise.all(followers.map(({ end }) => end()));
});
