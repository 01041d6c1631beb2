import type { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection.js';

/*
 * The driver (7.8.0) waits forever when it writes to a socket that closed a moment ago: such a socket takes nothing and never drains. After
 * a restart of the database this could hang requests, each with its connection of the pool, and the driver's monitor, without which it never
 * finds the database again. With this patch such a write fails like one on any other broken connection, and is retried.
 */
type Writing = { socket: Socket; onClose: () => void; error?: Error };
const { prototype } = Connection as { prototype: { writeCommand?: (this: Writing, ...options: unknown[]) => Promise<void> } };
const { writeCommand } = prototype;
if (!writeCommand)
  throw new Error('This version of the mongodb driver has no Connection.writeCommand: check whether the patch is still needed.');

prototype.writeCommand = async function (...options) {
  if (this.socket.destroyed) {
    this.onClose();
    throw this.error ?? new MongoNetworkError('The connection is closed.');
  }
  return writeCommand.apply(this, options);
};
