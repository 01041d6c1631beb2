import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import type { Event } from '../../../lib/feed/events.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { messageCount } from '../../../lib/rooms/counters.ts';
import { testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { attemptsIn } from '../../support/attempts.ts';
import { startProcesses } from '../../support/processes.ts';
import { startProxy } from '../../support/proxy.ts';
import { age, aRoomOf, nextOf } from '../../support/rooms.ts';
import { offlineUrl } from '../../support/services.ts';
import { type Call, inProcess, overHttp, type Reply } from '../../support/transports.ts';
import type { WriteJob } from '../../support/workers/write.ts';

/** The number of messages; SENDS sets another. */
const sends = Number(process.env.SENDS ?? 192);
const accounts = await Promise.all(Array.from({ length: 16 }, () => anAccount()));
const texts = Array.from({ length: sends / accounts.length }, (_, index) => `Message ${index}`);

describe(`repeated messages (${sends} sent again under their keys until they are acknowledged)`, () => {
  it('repeated messages are stored once each when the network between callers and the service breaks', async () => {
    const { host, proxy } = await proxyFor(await offlineUrl());
    const call = overHttp(`http://${host}`);
    const room = await aRoomOf(accounts);
    proxy.cut(0.2);
    await Promise.all(accounts.map((account) => sendAll(call, account, room)));
    await proxy.close();
    expect(await sentIn(room)).toEqual(expected());
  });

  it('repeated messages are stored once each when the network between the service and the database breaks', async () => {
    const { host, proxy } = await proxyFor(process.env.MONGODB_URI ?? '');
    const directory = await mkdtemp(join(tmpdir(), 'chat-retries-'));
    const log = join(directory, 'log');
    const room = await aRoomOf(accounts);
    proxy.cut(0.02);
    const settings = { MONGODB_URI: `mongodb://${host}/?directConnection=true&monitorCommands=true` };
    const writer = await startProcesses<WriteJob, void>(1, 'write', settings);
    await writer.ask(0, { room, accounts, changes: texts.length, retries: true, clock: 0, killShare: 0, seed: testSeed, log });
    writer.end();
    await proxy.close();
    expect((await attemptsIn([log])).done).toHaveLength(sends);
    expect(await sentIn(room)).toEqual(expected());

    // A write that the driver repeats may have reserved two places. One of them stays empty, and a
    // feed passes it.
    await age(room);
    expect(await readFeed(room)).toEqual(expected());
    const stored = await rooms.findOne({ _id: new ObjectId(room) });
    expect(stored && messageCount(stored)).toBe(sends);
    await rm(directory, { recursive: true });
  });
});

const expected = () => accounts.flatMap(({ id }) => texts.map((text) => `${id} ${text}`)).toSorted();

const show = ({ user, text }: Message) => `${user.$oid} ${text}`;

async function proxyFor(url: string) {
  const proxy = await startProxy(url.replace(/^\w+:\/\//, '').replace(/[/?].*$/, ''));
  return { host: `127.0.0.1:${proxy.port}`, proxy };
}

async function sendAll(call: Call, { token }: Account, room: string): Promise<void> {
  for (const text of texts) {
    const sent = { token, headers: { 'idempotency-key': crypto.randomUUID() }, body: { room, text } };
    let reply: Reply | undefined;
    while (reply?.status !== 201) reply = await call('POST', '/api/messages', sent).catch(() => undefined);
  }
}

async function sentIn(room: string): Promise<string[]> {
  const found: Message[] = [];
  for (let path: string | undefined = `/api/messages?room=${room}&limit=200`; path; ) {
    const reply: Reply = await inProcess('GET', path, { token: accounts[0]?.token });
    found.push(...(reply.body as Message[]));
    path = nextOf(reply);
  }
  return found.map(show).toSorted();
}

async function readFeed(room: string): Promise<string[]> {
  const found: Event[] = [];
  for (let cursor = '0', before = ''; cursor !== before; ) {
    const path = `/api/events?room=${room}&after=${cursor}&limit=500`;
    const { headers, body } = await inProcess('GET', path, { token: accounts[0]?.token });
    found.push(...(body as Event[]));
    before = cursor;
    cursor = headers['x-next-cursor'] ?? '';
  }
  return found.map(({ data }) => show(data as Message)).toSorted();
}
