import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/*
 * A process that listens and then stops itself. It never accepts connections: once its short queue
 * is full, the kernel drops the packets of new ones, like a firewall.
 */

const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 });
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
process.send?.(port, () => process.kill(process.pid, 'SIGSTOP'));
