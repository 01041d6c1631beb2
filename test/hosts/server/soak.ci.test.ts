import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../../lib/messages/messages.ts';
import { commands } from '../../../tools/harness/service.ts';
import { anAdmin } from '../../support/accounts.ts';
import { type Mode, startProxy } from '../../support/proxy.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { aService } from '../../support/services.ts';
import { overHttp } from '../../support/transports.ts';

/** For how long the service is called; SOAK_SECONDS sets more. */
const seconds = Number(process.env.SOAK_SECONDS ?? 18);
/** The faults of the database in turn, and for how many milliseconds each lasts. */
const faults: [Mode, number][] = [
  ['down', 4_000],
  ['pass', 2_000],
  ['mute', 5_000],
  ['pass', 2_000],
  ['slow', 3_000],
  ['pass', 2_000],
];
const callers = 16;
const mebibyte = 1_048_576;

it(`a database that is stopped, frozen and slowed for ${seconds} s causes only timely 503s, and no growth of memory`, async () => {
  const proxy = await startProxy(new URL(process.env.MONGODB_URI ?? '').host);
  const service = await aService({ MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true` }, commands.serve);
  onTestFinished(async () => {
    await service.stop();
    await proxy.close();
  });
  const admin = await anAdmin();
  const { token } = admin;
  const room = await aRoomOf([admin]);
  const call = overHttp(service.url);
  const statuses = new Map<number, number>();
  const acknowledged = new Map<string, number>();
  let [slowest, isOver] = [0, false];

  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const since = performance.now();
    const reply = await call(method, path, { token, body, headers });
    slowest = Math.max(slowest, performance.now() - since);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    return reply;
  };
  /** One caller: reads, and sends each message under its key until it is acknowledged. */
  const runCaller = async (caller: number) => {
    for (let sent = 0; !isOver; sent++) {
      const text = `Message ${sent} of ${caller}`;
      const key = { 'idempotency-key': crypto.randomUUID() };
      for (;;) {
        const { status, body } = await ask('POST', '/api/messages', { room, text }, key);
        if (status === 201) acknowledged.set(text, (body as Message).seq);
        if (status === 201 || isOver) break;
      }
      await ask('GET', `/api/messages?room=${room}`);
      await ask('GET', `/api/events?room=${room}&after=0&limit=20`);
      await ask('GET', '/api/users/me');
      await delay(50);
    }
  };

  const calling = Promise.all(Array.from({ length: callers }, (_, caller) => runCaller(caller)));
  await delay(2_000);
  const memory = [residentBytes(service.pid)];
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    for (const [mode, milliseconds] of faults) {
      proxy.set(mode);
      await delay(milliseconds);
    }
    memory.push(residentBytes(service.pid));
  }
  proxy.set('pass');
  isOver = true;
  await calling;

  console.info(
    `${JSON.stringify(Object.fromEntries(statuses))}, the slowest in ${Math.round(slowest)} ms, ${memory.map((bytes) => Math.round(bytes / mebibyte)).join(' ')} MB`,
  );
  expect([...statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
  expect(statuses.get(503)).toBeGreaterThan(0);
  // Ten seconds, and pauses of a busy machine.
  expect(slowest).toBeLessThan(20_000);
  expect(memory.at(-1)).toBeLessThan((memory[0] ?? 0) * 1.5);
  await expect.poll(async () => (await ask('GET', '/api/users/me')).status, { timeout: 10_000 }).toBe(200);
  expect(await stored()).toEqual(expect.arrayContaining([...acknowledged.keys()].sort()));

  /** The texts of all messages of the room, including duplicates. */
  async function stored(): Promise<string[]> {
    const texts: string[] = [];
    for (let after = 0; ; ) {
      const { body } = await call('GET', `/api/messages?room=${room}&after=${after}&limit=200`, { token });
      const page = body as Message[];
      if (page.length === 0) break;
      texts.push(...page.map(({ text }) => text));
      after = page.at(-1)?.seq ?? 0;
    }
    expect(new Set(texts).size).toBe(texts.length);
    return texts.sort();
  }
}, 3_600_000);

/** The resident memory of a process. */
const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
