import type { Socket } from 'node:net';
import { type Message, maxMessageBytes, messageLength, ProtocolError, parseMessage, replyBytes } from './messages.ts';

/**
 * Handles a message. Calls `done` once, now or later, with the encoded reply, or with nothing to
 * close the connection.
 */
export type Handler = (message: Message, connection: Connection, done: (answer: Buffer | undefined) => void) => void;

/** The connection of one client, as commands see it. */
export type Connection = {
  readonly id: number;
  /** The address at which the client reached the database. */
  readonly address: string;
  /** True if only the database's owner can have opened the connection. */
  readonly isPrivate: boolean;
  /** True if the client has disconnected. */
  readonly isClosed: boolean;
  /**
   * Set for a client in this process. True if nothing else is running, so that its writes need not
   * wait for a group commit. Such a client ends with this process.
   */
  readonly isAlone?: () => boolean;
};

/** Pending reply bytes after which the connection's next command must wait. */
const maxWaitingBytes = 1_000_000;

/**
 * Limit for the unanswered bytes of all clients together. Beyond it, a client with more than `much`
 * is disconnected.
 */
const mostOfAll = 256 * 1024 * 1024;
const much = 1024 * 1024;

let connections = 0;
let replies = 0;
let unanswered = 0;

/** Serves one connection until it ends. A protocol error closes this connection only. */
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
      // Does nothing if the connection has closed meanwhile.
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

/**
 * Serves a client in this process, without a socket. The returned function takes a message and
 * returns the encoded reply.
 */
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

/** Reassembles messages from the chunks of a connection. */
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
