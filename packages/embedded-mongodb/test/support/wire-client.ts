import { connect, type Socket } from 'node:net';
import { type Document, deserialize, serialize } from 'bson';
import { addressOf } from '../../src/protocol/address.ts';
import { decode, encode } from '../../src/values/bson.ts';
import type { Doc, Value } from '../../src/values/value.ts';

const opMsg = 2013;
const headerBytes = 16;

/**
 * A client that does not retry. Unlike with the driver, a test knows exactly which commands were
 * sent and answered.
 */
export type WireClient = {
  /** Resolves to the reply, even if it is an error. Rejects if the connection ends first. */
  command(db: string, body: Document): Promise<Document>;
  /** Works like `command`, with documents that preserve all BSON types. */
  exact(db: string, body: Doc): Promise<Doc>;
  close(): void;
};

/** Connects to a database of this machine. It sends one command at a time. */
export async function connectWire(uri: string): Promise<WireClient> {
  const socket = connect(addressOf(uri));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const answers = answersOf(socket);
  const exchange = async (body: Uint8Array) => {
    const answer = answers.next();
    socket.write(message(body));
    return (await answer).subarray(headerBytes + 5);
  };
  return {
    command: async (db, body) =>
      deserialize(await exchange(serialize({ ...body, $db: db }, { ignoreUndefined: true })), { promoteBuffers: true }),
    exact: async (db, body) => decode(await exchange(encode(new Map<string, Value>([...body, ['$db', db]])))),
    close: () => socket.destroy(),
  };
}

/** An OP_MSG with one encoded body and no flags. */
export function message(document: Uint8Array, requestId = 1): Buffer {
  const bytes = Buffer.alloc(headerBytes + 5 + document.length);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(requestId, 4);
  bytes.writeInt32LE(opMsg, 12);
  bytes.set(document, headerBytes + 5);
  return bytes;
}

/** Reads complete messages from a socket, each for the caller that waits. */
export function answersOf(socket: Socket) {
  let received = Buffer.alloc(0);
  let waiting: { resolve: (bytes: Buffer) => void; reject: (error: Error) => void } | undefined;
  let ended: Error | undefined;
  const end = (error: Error) => {
    ended ??= error;
    waiting?.reject(ended);
    waiting = undefined;
  };
  const deliver = () => {
    if (waiting === undefined || received.length < 4 || received.length < received.readInt32LE(0)) return;
    const length = received.readInt32LE(0);
    waiting.resolve(received.subarray(0, length));
    received = received.subarray(length);
    waiting = undefined;
  };
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    deliver();
  });
  socket.on('error', end);
  socket.on('close', () => end(new Error('the connection was closed')));
  return {
    next: () =>
      new Promise<Buffer>((resolve, reject) => {
        if (ended !== undefined) reject(ended);
        else waiting = { resolve, reject };
        deliver();
      }),
  };
}
