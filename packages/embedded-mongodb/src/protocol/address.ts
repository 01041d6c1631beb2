import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseStartError } from '../storage/file/start-error.ts';

/** What drivers take for the name of a socket ends so. */
const socketName = 'database.sock';
/** The longest path of a socket, in bytes, that all systems take. */
const maxSocketPath = 103;

/** Where the socket of a database goes: into its directory, or, where that path is too long, into a private one for temporary files. */
export function socketPathOf(dataDir: string): string {
  const path = join(resolve(dataDir), socketName);
  return Buffer.byteLength(path) <= maxSocketPath ? path : join(temporaryDirectory(resolve(dataDir)), socketName);
}

/** The same each time, so that what a process leaves that was killed is used again; unless somebody else was there before. */
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

/** The connection string of a socket or of a port on this machine. */
export function uriOf(address: string | number): string {
  const host = typeof address === 'string' ? encodeURIComponent(address) : `127.0.0.1:${address}`;
  return `mongodb://${host}/?directConnection=true`;
}

/** Where a connection string of this machine leads. */
export function addressOf(uri: string): NetConnectOpts {
  const [, host = ''] = /^mongodb:\/\/([^/?]+)/.exec(uri) ?? [];
  const name = decodeURIComponent(host);
  if (name.includes('/')) return { path: name };
  const { hostname, port } = new URL(`tcp://${host}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 27017) };
}

/** The port that DATABASE_PORT names; an empty setting names none. */
export function portOf(setting: string | undefined): number | undefined {
  if (!setting) return undefined;
  if (/^\d{1,5}$/.test(setting) && Number(setting) <= 65_535) return Number(setting);
  throw new DatabaseStartError('FAILED', `Set DATABASE_PORT to a port from 0 to 65535, not '${setting}'.`);
}

/** The address of the database of a directory when it is opened. */
export const usualUri = (directory: string): string => uriOf(socketPathOf(directory));
