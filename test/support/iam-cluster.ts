import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Binary, type Document, deserialize, serialize } from 'bson';

/*
 * A stand-in for an Atlas cluster with authentication by AWS credentials (`MONGODB-AWS`). It only
 * supports the authentication.
 */

/**
 * A cluster, with the proofs of its clients: a signature for STS, its date, and the session token.
 */
export type IamCluster = { port: number; shown: Document[]; close: () => void };

/** Starts a cluster that accepts every signature. */
export async function startCluster(): Promise<IamCluster> {
  const shown: Document[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        socket.write(reply(message, shown));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, shown, close };
}

const query = 2004;

/**
 * Answers an OP_MSG, or the OP_QUERY that opens a connection. Both have four numbers of 32 bits,
 * then fields of their kind, then a document.
 */
function reply(message: Buffer, shown: Document[]): Buffer {
  const isQuery = message.readInt32LE(12) === query;
  const begin = isQuery ? message.indexOf(0, 20) + 9 : 21;
  const answer = serialize(answerTo(deserialize(message.subarray(begin)), shown));
  const between = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery) between.writeInt32LE(1, 16);
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + between.length + answer.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(isQuery ? 1 : 2013, 12);
  return Buffer.concat([head, between, answer]);
}

function answerTo(command: Document, shown: Document[]): Document {
  if (command.saslStart) {
    const { r } = deserialize(command.payload.buffer);
    const nonce = Buffer.concat([r.buffer, randomBytes(32)]);
    const payload = serialize({ s: new Binary(nonce), h: 'sts.eu-central-1.amazonaws.com' });
    return { conversationId: 1, done: false, payload: new Binary(payload), ok: 1 };
  }
  if (command.saslContinue) {
    shown.push(deserialize(command.payload.buffer));
    return { conversationId: 1, done: true, payload: new Binary(Buffer.alloc(0)), ok: 1 };
  }
  return { isWritablePrimary: true, helloOk: true, minWireVersion: 0, maxWireVersion: 25, maxBsonObjectSize: 16_777_216, ok: 1 };
}
