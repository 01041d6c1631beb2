import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { expect, it, vi } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { createChatClient } from '../../../packages/client/src/index.ts';
import { percentile } from '../../../tools/bench/measure.ts';
import { commands } from '../../../tools/harness/service.ts';
import { anAccount } from '../../support/accounts.ts';
import { aBot } from '../../support/bots.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { aService } from '../../support/services.ts';
import { aServer, connected } from '../../support/sockets.ts';

const streams = 50;
const characters = 2_000;
const partSize = 40;

it('50 answers that stream at the same time are stored once a second each, and have one event at the end', async () => {
  const { url, close } = await aServer();
  const [ann, ...bots] = await Promise.all([anAccount(), aBot(), aBot(), aBot()]);
  const room = await aRoomOf([ann, ...bots]);
  const reader = await connected(url, ann);
  const chats = bots.map(({ token }) => createChatClient({ baseUrl: url, token }));
  const writes: string[] = [];
  const store = messages.findOneAndUpdate;
  vi.spyOn(messages, 'findOneAndUpdate').mockImplementation((...parameters: Parameters<typeof store>) => {
    if (JSON.stringify(parameters[1]).includes('streaming.length')) writes.push(String(parameters[0]._id));
    return store(...parameters);
  });

  /** The time at which each part was written, by the message and the length of its text. */
  const written = new Map<string, number>();
  const delays: number[] = [];
  reader.socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString());
    const length = frame.type === 'chunk' ? frame.at + frame.text.length : 0;
    for (let known = length - (length % partSize); known > 0; known -= partSize) {
      const key = `${frame.message.$oid} ${known}`;
      const at = written.get(key);
      if (at === undefined) break;
      written.delete(key);
      delays.push(performance.now() - at);
    }
  });

  const began = performance.now();
  const texts = await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      const answer = (chats[index % chats.length] as (typeof chats)[number]).stream({ room });
      const { _id } = await answer.message;
      for (let length = partSize; length <= characters; length += partSize) {
        written.set(`${_id.$oid} ${length}`, performance.now());
        await answer.write(`${String(index).padEnd(partSize - 1, '.')} `);
        await sleep(100);
      }
      return (await answer.end()).text;
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  expect(texts.map(({ length }) => length)).toEqual(Array(streams).fill(characters));
  const counts = [...Map.groupBy(writes, (id) => id).values()].map(({ length }) => length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  await expect.poll(() => reader.events(room)).toHaveLength(2 * streams);
  const ended = reader.events(room).filter(({ type }) => type === 'message.completed');
  expect(new Set(ended.map(({ data }) => data && '_id' in data && data._id.$oid)).size).toBe(streams);
  process.stderr.write(
    `${streams} streams of ${characters} characters in ${seconds.toFixed(1)} s: ${Math.max(...counts)} writes of a message at most; ` +
      `readers see text after ${percentile(delays, 50).toFixed(0)} ms (p50), ${percentile(delays, 95).toFixed(0)} ms (p95), of ${delays.length} parts\n`,
  );
  reader.socket.close();
  await close();
});

it('50 answers that stream through one server arrive whole at a reader of another one, with one event at the end', async () => {
  const [ann, ...bots] = await Promise.all([anAccount(), aBot(), aBot(), aBot()]);
  const room = await aRoomOf([ann, ...bots]);
  // Each server has two processes, which share its port.
  const command = [...commands.serve, '--workers', '2'];
  const [writers, readers] = await Promise.all([aService({}, command), aService({}, command)]);
  const reader = await connected(readers.url, ann);
  const chats = bots.map(({ token }) => createChatClient({ baseUrl: writers.url, token }));
  const sent = await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      const answer = (chats[index % chats.length] as (typeof chats)[number]).stream({ room });
      const parts = Array.from({ length: 20 }, (_, at) => `${index}/${at} `);
      for (const part of parts) {
        await answer.write(part);
        await sleep(100);
      }
      // The reader sees the text before it is complete, even on a busy machine.
      const { _id } = await answer.message;
      const isSeen = () => reader.of('chunk').some(({ message }) => message.$oid === _id.$oid);
      await expect.poll(isSeen, { timeout: 60_000 }).toBe(true);
      await answer.end();
      return parts.join('');
    }),
  );
  await expect.poll(() => reader.events(room), { timeout: 20_000 }).toHaveLength(2 * streams);
  const ended = reader.events(room).flatMap((event) => (event.type === 'message.completed' && event.data ? [event.data] : []));
  expect(ended.map(({ text }) => text).sort()).toEqual(sent.toSorted());
  expect(new Set(ended.map(({ _id }) => _id.$oid)).size).toBe(streams);
  const grown = Map.groupBy(reader.of('chunk'), ({ message }) => message.$oid);
  expect(grown.size).toBe(streams);
  for (const { _id, text } of ended)
    for (const { at, text: part } of grown.get(_id.$oid) ?? []) expect(text.startsWith(part, at)).toBe(true);
  reader.socket.close();
  await Promise.all([writers.stop(), readers.stop()]);
});

it('a stream survives its server, and is interrupted if nobody continues it', async () => {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  const room = await aRoomOf([ann, bot]);
  const first = await aService({}, commands.serve);
  const chat = createChatClient({ baseUrl: first.url, token: bot.token });
  const left = chat.stream({ room });
  await left.write('Half of the answer');
  const { _id } = await left.message;
  const stored = () => messages.findOne({ _id: new ObjectId(_id.$oid) });
  await expect.poll(async () => (await stored())?.text).toBe('Half of the answer');
  first.signal('SIGKILL');
  await first.ended;

  // A minute later.
  await messages.updateOne({ _id: new ObjectId(_id.$oid) }, [
    { $set: { 'streaming.stored_at': { $add: ['$streaming.stored_at', -61_000] } } },
  ]);
  const second = await aService({}, commands.serve);
  await expect.poll(stored).toMatchObject({ text: 'Half of the answer', streamed: 'interrupted', edited_at: null });
  await second.stop();
});
