import type { Server } from 'node:http';

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
