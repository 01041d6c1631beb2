import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseStartError } from '../storage/file/start-error.ts';

/** Drivers recognize the path of a socket by the suffix `.sock`. */
const socketName = 'database.sock';
/** The longest socket path that all systems accept, in bytes. */
const maxSocketPath = 103;

/**
 * The socket path of a database: in its directory or, if that path is too long, in a private
 * temporary directory.
 */
export function socketPathOf(dataDir: string): string {
  const path = join(resolve(dataDir), socketName);
  return Buffer.byteLength(path) <= maxSocketPath ? path : join(temporaryDirectory(resolve(dataDir)), socketName);
}

/**
 * Uses the same directory each time, so that leftovers of a killed process are reused. If somebody
 * else owns that directory, it creates a new one.
 */
function temporaryDirectory(dataDir: string): string {
  const name = `embedded-mongodb-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const directory = join(tmpdir(), name);
  try {
    mkdirSync(directory, 0o700);
    return directory;
  } catch {
    const { uid, mode } = lstatSync(directory);
    const isOwn = uid === process.getuid?.() && (mode & 0o170777) === 0o040700;
    return isOwn ? directory : mkdtempSync(`${directory}-`);
  }
}

/** The connection string of a socket or a port of this machine. */
export function uriOf(address: string | number): string {
  const host = typeof address === 'string' ? encodeURIComponent(address) : `127.0.0.1:${address}`;
  return `mongodb://${host}/?directConnection=true`;
}

/** The socket or host and port of a connection string. */
export function addressOf(uri: string): NetConnectOpts {
  const [, host = ''] = /^mongodb:\/\/([^/?]+)/.exec(uri) ?? [];
  const name = decodeURIComponent(host);
  if (name.includes('/')) return { path: name };
  const { hostname, port } = new URL(`tcp://${host}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 27017) };
}

/** The port in DATABASE_PORT; `undefined` if it is empty or not set. */
export function portOf(setting: string | undefined): number | undefined {
  if (!setting) return undefined;
  if (/^\d{1,5}$/.test(setting) && Number(setting) <= 65_535) return Number(setting);
  throw new DatabaseStartError('FAILED', `Set DATABASE_PORT to a port from 0 to 65535, not '${setting}'.`);
}

/** The address of the database in a directory while it is open. */
export const usualUri = (directory: string): string => uriOf(socketPathOf(directory));
