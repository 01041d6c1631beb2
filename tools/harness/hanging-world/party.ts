import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The behaviour of an unresponsive party. */
export const manners = ['never answers', 'answers byte by byte', 'swallows packets'] as const;
export type Manner = (typeof manners)[number];

/** An unresponsive party. `timesAsked` counts its connections, if it can observe them. */
export type HangingParty = { port: number; timesAsked: () => number | undefined; close: () => Promise<void> };

/**
 * Computes the bytes of a response: a beginning, and a part that repeats for ever unless it is
 * empty.
 */
type SlowAnswer = (request: Buffer) => { beginning: Buffer; rest: Buffer };

const byteEveryMs = 25;

/** Starts an unresponsive TCP server. */
export const startTcpParty = (manner: Manner, answer: SlowAnswer, isGreeting = false): Promise<HangingParty> =>
  manner === 'swallows packets' ? startSwallower() : startListener(createListener(manner, answer, isGreeting));

function createListener(manner: Manner, answer: SlowAnswer, isGreeting: boolean) {
  let asked = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    asked++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    if (manner === 'never answers') return void socket.resume();
    if (isGreeting) dribble(socket, answer(Buffer.alloc(0)));
    socket.on('data', (request) => dribble(socket, answer(request)));
    socket.resume();
  });
  return { server, sockets, timesAsked: () => asked };
}

function dribble(socket: Socket, { beginning, rest }: ReturnType<SlowAnswer>): void {
  let at = 0;
  const timer = setInterval(() => {
    if (at >= beginning.length && rest.length === 0) return clearInterval(timer);
    const isBeginning = at < beginning.length;
    const byte = isBeginning ? beginning[at] : rest[(at - beginning.length) % rest.length];
    at++;
    socket.write(Uint8Array.of(byte as number));
  }, byteEveryMs);
  socket.once('close', () => clearInterval(timer));
}

async function startListener({ server, sockets, timesAsked }: ReturnType<typeof createListener>): Promise<HangingParty> {
  const port = await listen(server);
  return { port, timesAsked, close: () => end(server, sockets) };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function end(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
}

/** Starts a party whose packets get lost, by filling the queue of a listener that never accepts. */
async function startSwallower(): Promise<HangingParty> {
  const child = fork(fileURLToPath(new URL('./stopped-listener.ts', import.meta.url)), { execArgv: [] });
  const [port] = (await once(child, 'message')) as [number];
  const fillers: Socket[] = [];
  for (let isConnected = true; isConnected; ) {
    if (fillers.length > 16) throw new Error('The queue of the listener that never accepts does not fill up.');
    const filler = connect(port, '127.0.0.1').on('error', () => undefined);
    fillers.push(filler);
    isConnected = await Promise.race([once(filler, 'connect').then(() => true), delay(500, false)]);
  }
  return {
    port,
    timesAsked: () => undefined,
    close: async () => {
      for (const filler of fillers) filler.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Starts an unresponsive name server. If it swallows packets, it never responds over UDP. Otherwise
 * it requests TCP, where it is unresponsive.
 */
export async function startNameServer(manner: Manner): Promise<HangingParty> {
  // The announced length is never reached (RFC 1035, 4.2.2).
  const answer = () => ({ beginning: Buffer.from([0xff, 0xff]), rest: Buffer.alloc(1) });
  const listener = createListener(manner, answer, false);
  const port = await listen(listener.server);
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (question, { port, address }) => {
    asked++;
    if (manner !== 'swallows packets') socket.send(truncated(question), port, address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port,
    timesAsked: () => asked,
    close: async () => {
      socket.close();
      await end(listener.server, listener.sockets);
    },
  };
}

/** A truncated response, which makes the client use TCP (RFC 1035, 4.1.1: QR, RD, TC and RA). */
function truncated(question: Buffer): Buffer {
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8380, 2);
  return answer;
}
