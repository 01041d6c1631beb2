import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createRandom, testSeed } from '../../packages/embedded-mongodb/test/support/random.ts';

/** A TCP proxy that can misbehave like networks and suspended machines. */
export type Proxy = {
  port: number;
  set: (mode: Mode) => void;
  /**
   * For this share of the chunks, cuts the connection after the chunk is forwarded and before it is
   * answered.
   */
  cut: (share: number) => void;
  /** Forwards to another server from now on. */
  aim: (target: string) => void;
  close: () => Promise<void>;
};

/**
 * `pass` everything; `slow`: delay responses by a third of a second; `mute`: drop responses;
 * `down`: close and refuse every connection.
 */
export type Mode = 'pass' | 'slow' | 'mute' | 'down';

/**
 * Starts a proxy in front of the server at `target`: "host:port", or a socket as in connection
 * strings.
 */
export async function startProxy(target: string): Promise<Proxy> {
  let to = placeOf(target);
  let mode: Mode = 'pass';
  let cutShare = 0;
  const random = createRandom(testSeed);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    }
    near.on('data', (chunk) => {
      const isLast = random.fraction() < cutShare;
      far.write(chunk, () => isLast && near.destroy());
    });
    far.on('data', (chunk) => {
      if (mode === 'pass') near.write(chunk);
      else if (mode === 'slow') setTimeout(() => near.write(chunk), 330);
    });
    near.on('close', () => far.end());
    far.on('close', () => near.destroy());
    if (mode === 'down') near.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    set: (next) => {
      mode = next;
      if (next === 'down') cut();
    },
    cut: (share) => {
      cutShare = share;
    },
    aim: (next) => {
      to = placeOf(next);
    },
    close: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}

function placeOf(target: string) {
  const { hostname, port } = new URL(`tcp://${target}`);
  const path = decodeURIComponent(hostname);
  return path.startsWith('/') ? { path } : { host: hostname, port: Number(port) };
}
