import type { Socket } from 'node:net';
import { type Message, maxMessageBytes, messageLength, ProtocolError, parseMessage, replyBytes } from './messages.ts';

/** Answers a message by calling `done` once, now or later: with the encoded document, or with nothing, which closes the connection. */
export type Handler = (message: Message, connection: Connection, done: (answer: Buffer | undefined) => void) => void;

/** One client's connection, as commands see it. */
export type Connection = {
  readonly id: number;
  /** By which the client reached the database. */
  readonly address: string;
  /** Whether nobody but the database's owner can have opened it. */
  readonly isPrivate: boolean;
  /** Whether the client is gone. */
  readonly isClosed: boolean;
  /**
   * Whether nothing else is at work, of a client within this process: its writes need not wait for others. Such a client
   * ends with this process.
   */
  readonly isAlone?: () => boolean;
};

/** Bytes of answers that may wait for a slow reader before its next command is looked at. */
const maxWaitingBytes = 1_000_000;

/** What all clients together may have sent that is not yet answered; beyond, one that has sent much is cut off. */
const mostOfAll = 256 * 1024 * 1024;
const much = 1024 * 1024;

let connections = 0;
let replies = 0;
let unanswered = 0;

/** Serves one connection until it ends; whatever breaks the protocol ends this connection and nothing else. */
export function serveConnection(socket: Socket, handle: Handler, way: Pick<Connection, 'address' | 'isPrivate'>): void {
  const connection: Connection & { isClosed: boolean } = { id: ++connections, ...way, isClosed: false };
  const inbox = createInbox();
  let busy = false;
  let working = 0;
  let own = 0;

  const account = (bytes: number) => {
    own += bytes;
    unanswered += bytes;
  };

  const next = () => {
    if (busy || socket.destroyed) return;
    if (socket.writableLength > maxWaitingBytes) {
      socket.pause();
      socket.once('drain', resume);
      return;
    }
    const bytes = inbox.take();
    if (bytes === undefined) return;
    const message = parseMessage(bytes);
    busy = true;
    working = bytes.length;
    handle(message, connection, (answer) => {
      busy = false;
      // Nothing, if the connection is closed by now.
      account(-Math.min(working, own));
      working = 0;
      if (socket.isPaused()) socket.resume();
      if (answer === undefined) socket.destroy();
      else if (message.expectsReply && !socket.destroyed) socket.write(replyBytes(message, ++replies, answer));
      guarded(next);
    });
  };

  const resume = () => {
    socket.resume();
    guarded(next);
  };

  const guarded = (step: () => void) => {
    try {
      step();
    } catch (error) {
      socket.destroy();
      if (!(error instanceof ProtocolError)) console.error('A connection of the database broke:', error);
    }
  };

  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    connection.isClosed = true;
    account(-own);
  });
  socket.on('data', (chunk) => {
    guarded(() => {
      inbox.add(chunk);
      account(chunk.length);
      if (unanswered > mostOfAll && own > much) throw new ProtocolError('clients have sent too much at once');
      if (busy && inbox.waiting > maxMessageBytes) socket.pause();
      next();
    });
  });
}

/** Serves a client within this process, which needs no socket: takes a message and gives the encoded document that answers it. */
export function serveWithin(
  handle: Handler,
  address: string,
  isAlone: () => boolean = () => false,
): (message: Buffer) => Promise<Buffer> {
  const connection: Connection = { id: ++connections, address, isPrivate: true, isClosed: false, isAlone };
  return (bytes) =>
    new Promise((resolve, reject) =>
      handle(parseMessage(bytes), connection, (answer) => {
        if (answer === undefined) reject(new Error('The database has broken the connection off.'));
        else resolve(answer);
      }),
    );
}

/** Collects the bytes of a connection and gives whole messages. */
function createInbox() {
  let chunks: Buffer[] = [];
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    add(chunk: Buffer) {
      chunks.push(chunk);
      waiting += chunk.length;
    },
    take(): Buffer | undefined {
      if (waiting < 16) return undefined;
      let [first] = chunks as [Buffer];
      if (first.length < 16) {
        first = Buffer.concat(chunks);
        chunks = [first];
      }
      const length = messageLength(first);
      if (waiting < length) return undefined;
      if (first.length < length) first = Buffer.concat(chunks);
      chunks =
        first.length > length ? [first.subarray(length), ...(first.length === waiting ? [] : chunks.slice(1))] : chunks.slice(1);
      if (first.length === waiting && first.length === length) chunks = [];
      waiting -= length;
      return first.subarray(0, length);
    },
  };
}
