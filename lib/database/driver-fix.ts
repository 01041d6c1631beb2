import type { Socket } from 'node:net';
import { BSON, type MongoClient, MongoNetworkError } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { CursorResponse } from 'mongodb/lib/cmap/wire_protocol/responses.js';

/*
 * The driver (7.8.0) hangs when it writes to a socket that has just closed: such a socket never
 * drains. After a restart of the database this could hang requests, each with its connection of the
 * pool. It could also hang the driver's monitor, without which it never finds the database again.
 * With this patch such a write fails as on any other broken connection, and is retried.
 */
type PendingWrite = { socket: Socket; onClose: () => void; error?: Error };
const { prototype } = Connection as {
  prototype: { writeCommand?: (this: PendingWrite, ...options: unknown[]) => Promise<void> };
};
const { writeCommand } = prototype;
if (!writeCommand)
  throw new Error('This version of the mongodb driver lacks Connection.writeCommand: check whether the patch is still needed.');

prototype.writeCommand = async function (...options) {
  if (this.socket.destroyed) {
    this.onClose();
    throw this.error ?? new MongoNetworkError('The connection is closed.');
  }
  return writeCommand.apply(this, options);
};

/*
 * Before the driver (7.8.0) decodes a document of a cursor, it makes a table of the fields and does
 * not use it. It keeps the tables as long as the cursor. This patch omits them: they take more time
 * and memory than the documents.
 */
type Field = readonly [type: number, nameAt: number, nameLength: number, at: number, length: number];
type Batch = { bson: Uint8Array; batch: { elements: readonly Field[] }; batchSize: number; iterated: number };
type Shift = (this: Batch, options: { raw?: boolean } | undefined) => unknown;
const response = CursorResponse.prototype as { shift?: Shift };
if (!response.shift) throw new Error('This version of the mongodb driver lacks CursorResponse.shift.');

response.shift = function (options) {
  if (this.iterated >= this.batchSize) return null;
  const [, , , index, length] = this.batch.elements[this.iterated++] as Field;
  if (options?.raw) return this.bson.subarray(index, index + length);
  return BSON.deserialize(this.bson, { ...options, index, allowObjectSmallerThanBufferSize: true });
};

/**
 * The driver (7.8.0) keeps a topology that it closed because its first connection failed. Then all
 * later calls of the client fail immediately, as long as the process lives. Without the topology,
 * the next call connects again.
 */
export function connectAfterFailure(client: MongoClient): MongoClient {
  const connecting = client as unknown as { topology?: unknown };
  return client.on('topologyClosed', () => {
    connecting.topology = undefined;
  });
}
