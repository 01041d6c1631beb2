import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A load balancer: each connection goes to the next server that accepts it. */
export type Balancer = { url: string; close: () => Promise<void> };

/**
 * Starts a load balancer in front of these ports. It does not use sticky sessions and never repeats
 * forwarded requests.
 */
export async function startBalancer(ports: string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer({ pauseOnConnect: true }, (near) => {
    sockets.add(near);
    near.on('error', () => undefined).on('close', () => sockets.delete(near));
    const first = turn++;
    const reach = (attempt: number) => {
      if (attempt === ports.length) return void near.destroy();
      const far = connect(Number(ports[(first + attempt) % ports.length]), 'localhost');
      const next = () => reach(attempt + 1);
      far.once('error', next).once('connect', () => {
        far.off('error', next).on('error', () => near.destroy());
        near.on('close', () => far.destroy());
        far.on('close', () => near.end());
        near.pipe(far);
        far.pipe(near);
      });
    };
    reach(0);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
