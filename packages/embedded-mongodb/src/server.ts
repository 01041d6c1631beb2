import { chmodSync, rmSync } from 'node:fs';
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { openEngine } from './engine.ts';
import { socketPathOf, uriOf } from './protocol/address.ts';
import { type Handler, serveConnection, serveWithin } from './protocol/connection.ts';
import { DatabaseStartError } from './storage/file/start-error.ts';

/** How a database is started. */
export type DatabaseOptions = {
  /** Where its files are; created if need be. */
  readonly dataDir: string;
  /** A port on the loopback interface beside the socket, which every account of the machine can reach; 0: any free one. */
  readonly port?: number | undefined;
  /** Stands between the connections and the commands, as fail points do in tests. */
  readonly intercept?: (handler: Handler) => Handler;
  /** How often expired documents, cursors and answers are looked for. */
  readonly sweepMillis?: number;
};

/** What lets a client within this process do without a socket. */
export type ConnectionWithin = {
  /** The address by which clients know the database. */
  readonly address: string;
  /** Takes a message, and gives the document that answers it. */
  readonly call: (message: Buffer) => Promise<Buffer>;
  /** A number that is higher after each change of a collection's documents; undefined while there is no such collection. */
  readonly lastChange: (db: string, collection: string) => number | undefined;
};

/** A database that answers. */
export type RunningDatabase = {
  /** By its socket, which only its owner can open. */
  readonly uri: string;
  readonly port: number | undefined;
  connect(client?: { isAlone?: () => boolean }): ConnectionWithin;
  /** Closes the file at once, also while its process exits, and resolves when all connections have ended. */
  close(): Promise<void>;
};

/** More connections are refused, for each may hold a message. */
const maxConnections = 1000;

/** Opens the database of a directory and listens; what stands against it is one sentence in a DatabaseStartError. */
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
    // What lies there is left over, for the database's lock is held.
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
