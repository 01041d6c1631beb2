import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { log } from '../../../lib/base/log.ts';

/**
 * The address that a request comes from. Each trusted proxy has appended the address that it saw to X-Forwarded-For: anyone may have written
 * what stands further left.
 */
export function sourceOf(request: IncomingMessage, trustedProxies: number): string {
  const nearest = nearestAddress(request.socket);
  const header = request.headers['x-forwarded-for'];
  if (header === undefined) return nearest;
  if (trustedProxies === 0) {
    warnOfProxy();
    return nearest;
  }
  const addresses = [...String(header).split(',').map(plainAddress), nearest];
  const source = addresses.at(-1 - trustedProxies) ?? addresses[0] ?? nearest;
  return isIP(source) ? source : nearest;
}

/** The address of the other end of a connection, which stays the same for all of its requests. */
function nearestAddress(socket: Socket): string {
  const known = nearestAddresses.get(socket);
  if (known !== undefined) return known;
  const address = plainAddress(socket.remoteAddress ?? '');
  if (address !== '') nearestAddresses.set(socket, address);
  return address;
}

const nearestAddresses = new WeakMap<Socket, string>();

/** An address without what some proxies write around it: a port, brackets, the prefix of IPv4 within IPv6. */
const plainAddress = (written: string): string =>
  written
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');

// Once is enough: behind a proxy, every request would say so.
let hasWarned = false;

function warnOfProxy(): void {
  if (hasWarned) return;
  hasWarned = true;
  const message =
    'X-Forwarded-For came and is ignored: set TRUST_PROXY=1 if a proxy stands before the service, or all share its limits';
  log('error', message);
}
