import { chmodSync, rmSync } from 'node:fs';
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { openEngine } from './engine.ts';
import { socketPathOf, uriOf } from './protocol/address.ts';
import { type Handler, serveConnection, serveWithin } from './protocol/connection.ts';
import { DatabaseStartError } from './storage/file/start-error.ts';

/** Options of a database. */
export type DatabaseOptions = {
  /** The directory of its files. It is created if it does not exist. */
  readonly dataDir: string;
  /**
   * A port on the loopback interface in addition to the socket; 0 for any free one. Every account
   * of the machine can connect to it.
   */
  readonly port?: number | undefined;
  /** Wraps the command handler, e.g. for fail points in tests. */
  readonly intercept?: (handler: Handler) => Handler;
  /** Interval of the removal of expired documents, cursors and stored answers. */
  readonly sweepMillis?: number;
};

/** A connection of a client in this process, without a socket. */
export type ConnectionWithin = {
  /** The address that the database reports to clients. */
  readonly address: string;
  /** Sends a message and returns the encoded reply. */
  readonly call: (message: Buffer) => Promise<Buffer>;
  /**
   * A number that grows with each change of a collection's documents; `undefined` if the collection
   * does not exist.
   */
  readonly lastChange: (db: string, collection: string) => number | undefined;
};

/** A database that accepts connections. */
export type RunningDatabase = {
  /** The connection string of the socket, which only its owner can open. */
  readonly uri: string;
  readonly port: number | undefined;
  connect(client?: { isAlone?: () => boolean }): ConnectionWithin;
  /**
   * Closes the file immediately, so that it also works while the process exits. Resolves when all
   * connections have ended.
   */
  close(): Promise<void>;
};

/** Limits memory, because each connection may hold a message. */
const maxConnections = 1000;

/**
 * Opens the database in a directory and listens. If that fails, throws a DatabaseStartError that
 * says why in one sentence.
 */
export async function startDatabase(options: DatabaseOptions): Promise<RunningDatabase> {
  const { dataDir, intercept = (handler) => handler, sweepMillis } = options;
  const engine = await openEngine(dataDir, sweepMillis);
  const handle = intercept(engine.handle);
  const servers: Server[] = [];
  const sockets = new Set<Socket>();

  const listen = (where: ListenOptions, address: (server: Server) => string, isPrivate: boolean): Promise<Server> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      serveConnection(socket, handle, { address: address(server), isPrivate });
    });
    server.maxConnections = maxConnections;
    servers.push(server);
    return listening(server, where);
  };

  const close = async () => {
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    for (const socket of sockets) socket.destroy();
    engine.close();
    await Promise.all(closed);
  };

  try {
    const path = socketPathOf(dataDir);
    // This process holds the lock of the database, so an existing socket is a leftover.
    rmSync(path, { force: true });
    await listen({ path }, () => path, true);
    chmodSync(path, 0o600);
    const byPort = options.port === undefined ? undefined : { port: options.port, host: '127.0.0.1' };
    const server = byPort && (await listen(byPort, (server) => `127.0.0.1:${portOf(server)}`, false));
    const uri = uriOf(path);
    engine.announce(uri);
    let closing: Promise<void> | undefined;
    return {
      uri,
      port: server && portOf(server),
      connect: ({ isAlone } = {}) => ({ address: path, call: serveWithin(handle, path, isAlone), lastChange: engine.lastChange }),
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function portOf(server: Server): number {
  return (server.address() as { port: number }).port;
}

function listening(server: Server, where: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EADDRINUSE')
        reject(
          new DatabaseStartError('PORT_TAKEN', `Port ${where.port} of ${where.host} is taken: set DATABASE_PORT to another.`),
        );
      else reject(new DatabaseStartError('FAILED', `Cannot listen on ${where.path ?? `port ${where.port}`}: ${message}.`));
    });
    server.listen(where, () => resolve(server));
  });
}
