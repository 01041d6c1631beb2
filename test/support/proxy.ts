import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can be told to misbehave as networks and frozen machines do. */
export type Proxy = {
  port: number;
  set: (mode: Mode) => void;
  /** Cuts, of all chunks that go out, this share of their connections, when the chunk is on its way and before the answer is. */
  cut: (share: number) => void;
  close: () => Promise<void>;
};

/** `pass` all; `slow`: everything comes a third of a second late; `mute`: take everything, answer nothing; `down`: refuse and cut every connection. */
export type Mode = 'pass' | 'slow' | 'mute' | 'down';

/** Starts a proxy before the server at `target`: "host:port", or a socket as connection strings have it. */
export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const path = decodeURIComponent(hostname);
  let mode: Mode = 'pass';
  let cutShare = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(path.startsWith('/') ? { path } : { host: hostname, port: Number(port) });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    }
    near.on('data', (chunk) => {
      const isLast = Math.random() < cutShare;
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
    close: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
