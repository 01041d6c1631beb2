import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/* A process of many clients. They connect, ping, and record the arrival of frames with events. */

/** An order from the parent. */
export type Order =
  | { order: 'connect'; url: string; tokens: string[]; perToken: number }
  /**
   * Returns and resets the arrival times of frames by `seq` of the room, as Unix time in
   * milliseconds.
   */
  | { order: 'times' };
export type Times = Record<number, number[]>;

const concurrent = 50;
const pingEvery = 50_000;
const frame = JSON.stringify({ type: 'hello' });

let times: Times = {};

async function connectAll({ url, tokens, perToken }: Order & { order: 'connect' }): Promise<number> {
  const wanted = tokens.flatMap((token) => Array.from({ length: perToken }, () => token));
  const total = wanted.length;
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      for (let token = wanted.pop(); token !== undefined; token = wanted.pop()) await connect(url, token);
    }),
  );
  return total;
}

async function connect(url: string, token: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`, ['chat.v1'], {
    headers: { 'X-Auth-Token': token },
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => socket.send(frame));
    socket.on('message', (data: Buffer) => {
      const now = performance.timeOrigin + performance.now();
      const text = data.toString();
      if (text.startsWith('{"type":"hello"')) resolve();
      if (!text.startsWith('{"type":"room"')) return;
      const { seq, events } = JSON.parse(text);
      if (!events) return;
      times[seq] ??= [];
      times[seq].push(now);
    });
  });
  void ping(socket);
}

async function ping(socket: WebSocket): Promise<void> {
  await delay(pingEvery * Math.random());
  for (let id = 0; socket.readyState === WebSocket.OPEN; id++) {
    socket.send(JSON.stringify({ type: 'ping', id }));
    await delay(pingEvery);
  }
}

process.on('message', async (order: Order) => {
  if (order.order === 'connect') process.send?.(await connectAll(order));
  else {
    process.send?.(times);
    times = {};
  }
});
