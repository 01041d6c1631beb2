import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of all connections, one address may have one in so many, so that it leaves some to others. */
const share = 4;

/** Limits the connections of a server: all of them and, unless a proxy makes all of them, those of one address. */
export function limitConnections(server: Server, most: number, isBehindProxy: boolean): void {
  server.maxConnections = most;
  // Connections that wait for nothing give way to new ones.
  server.on('drop', () => server.closeIdleConnections());
  if (isBehindProxy) return;

  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress: address = '' } = socket;
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

/** So many turns of the event loop at most are left to the connections that wait to be accepted. */
const mostTurns = 1_000;

/**
 * What closes a server without resetting a connection on which a request may be under way: it accepts connections
 * that are established already, then none, and leaves so many milliseconds to those that are kept alive for a next
 * request, whose response should say `Connection: close`. `Server.close()` of Node.js destroys idle connections
 * immediately. Resolves when the last connection has ended.
 */
export function closeWithoutResets(server: Server): (quietTime: number) => Promise<void> {
  const open = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted++;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });

  return async (quietTime) => {
    // The system has established them, and would reset them. A turn accepts one of them; the first one has begun already.
    for (let turn = 0, none = 0; turn < mostTurns && none < 3; turn++) {
      const before = accepted;
      await nextTurn();
      none = accepted > before ? 0 : none + 1;
    }
    const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
    let idle: NodeJS.Timeout | undefined;
    const quiet = setTimeout(() => {
      // To Node.js, those that browsers have opened ahead of need are not idle.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      // Connections become idle when their last response is sent.
      idle = setInterval(() => server.closeIdleConnections(), 50);
    }, quietTime);
    await closed;
    clearTimeout(quiet);
    clearInterval(idle);
    // Nothing is left to close but the timer that watches connections.
    server.close();
  };
}
