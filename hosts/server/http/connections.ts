import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { networkOf } from '../../../lib/identity/slots.ts';

/** One address, or IPv6 network of 64 bits, may have a quarter of all connections. */
const share = 4;

/** Limits the connections of a server in total and, unless it is behind a proxy, per address. */
export function limitConnections(server: Server, most: number, isBehindProxy: boolean): void {
  server.maxConnections = most;
  // At the limit, idle connections are closed to admit new ones.
  server.on('drop', () => server.closeIdleConnections());
  if (isBehindProxy) return;

  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const count = open.get(address) ?? 0;
    if (count >= most / share) {
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** Limits the turns of the event loop that wait for pending connections. */
const mostTurns = 1_000;

/**
 * Returns a function that closes a server without resetting connections with requests in progress.
 * It accepts the connections that are already established, stops listening, and only then calls
 * `begin`. From then on, responses should say `Connection: close`. Earlier, they would make clients
 * open new connections, which the system resets if the server stops listening at that moment.
 * `begin` returns the milliseconds that kept-alive connections have for a next request.
 * `Server.close()` of Node.js would destroy idle connections immediately. Resolves when all
 * connections have ended.
 */
export function closeWithoutResets(server: Server): (begin: () => number) => Promise<void> {
  const open = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted++;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });

  return async (begin) => {
    // The system has already established these connections, and would reset them. Each turn accepts
    // one; the first turn may have started before.
    for (let turn = 0, none = 0; turn < mostTurns && none < 3; turn++) {
      const before = accepted;
      await nextTurn();
      none = accepted > before ? 0 : none + 1;
    }
    const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
    const quietTime = begin();
    let idle: NodeJS.Timeout | undefined;
    const quiet = setTimeout(() => {
      // Node.js does not consider connections idle that browsers opened in advance.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      // Connections become idle when their last response is sent.
      idle = setInterval(() => server.closeIdleConnections(), 50);
    }, quietTime);
    await closed;
    clearTimeout(quiet);
    clearInterval(idle);
    // All connections are closed. This stops the timer that checks them.
    server.close();
  };
}
