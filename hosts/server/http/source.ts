import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { log } from '../../../lib/base/log.ts';

/**
 * The client address of a request. Each trusted proxy has appended the address that it saw to
 * X-Forwarded-For. Addresses further left may be forged.
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

/** The peer address of a connection. It is cached, because it is the same for all requests. */
function nearestAddress(socket: Socket): string {
  const known = nearestAddresses.get(socket);
  if (known !== undefined) return known;
  const address = plainAddress(socket.remoteAddress ?? '');
  if (address !== '') nearestAddresses.set(socket, address);
  return address;
}

const nearestAddresses = new WeakMap<Socket, string>();

/**
 * Strips additions of some proxies from an address: a port, brackets, and the prefix of IPv4 within
 * IPv6.
 */
const plainAddress = (written: string): string =>
  written
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');

// Warns only once, because behind a proxy this concerns every request.
let hasWarned = false;

function warnOfProxy(): void {
  if (hasWarned) return;
  hasWarned = true;
  const message =
    'X-Forwarded-For came and is ignored: set TRUST_PROXY=1 if a proxy stands before the service, or all share its limits';
  log('error', message);
}
