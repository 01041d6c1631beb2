import { createServer, type Server, type Socket } from 'node:net';
import type { Database } from './protocol/command.ts';
import { type Handler, serveConnection } from './protocol/connection.ts';
import { createDispatcher } from './protocol/dispatch.ts';
import { createCursors } from './sessions/cursors.ts';
import { createRetryableWrites } from './sessions/retryable-writes.ts';
import { Catalog } from './storage/catalog.ts';
import { type DatabaseFile, openDatabaseFile } from './storage/file.ts';
import { createGroupCommit, type GroupCommit } from './storage/group-commit.ts';
import { DatabaseStartError } from './storage/start-error.ts';
import { removeExpired } from './storage/ttl.ts';

/** How a database is started. */
export type DatabaseOptions = {
  /** Where its files are; created if need be. */
  readonly dataDir: string;
  /** 0: any free one. */
  readonly port: number;
  readonly host?: string;
  /** Stands between the connections and the commands, as fail points do in tests. */
  readonly intercept?: (handler: Handler) => Handler;
  /** How often expired documents, cursors and sessions are looked for. */
  readonly sweepMillis?: number;
};

/** A database that answers. */
export type RunningDatabase = {
  readonly uri: string;
  readonly port: number;
  close(): Promise<void>;
};

/** Opens the database of a directory and listens; what stands against it is one sentence in a DatabaseStartError. */
export async function startDatabase(options: DatabaseOptions): Promise<RunningDatabase> {
  const { dataDir, host = '127.0.0.1', intercept = (handler) => handler, sweepMillis = 60_000 } = options;
  const file = await openDatabaseFile(dataDir);
  const server = createServer();
  const sockets = new Set<Socket>();
  try {
    const port = await listen(server, options.port, host);
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const database = assemble(file, address);
    const handle = intercept(createDispatcher(database));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      serveConnection(socket, handle);
    });
    const sweep = () => {
      database.cursors.expire();
      if (database.commits.failure !== undefined) return;
      database.retryableWrites.expire();
      removeExpired(file, database.catalog);
    };
    sweep();
    const sweeper = setInterval(sweep, sweepMillis).unref();
    const uri = `mongodb://${address}/?directConnection=true`;
    file.announce(uri);
    const close = async () => {
      clearInterval(sweeper);
      database.commits.flush();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      file.close();
    };
    let closing: Promise<void> | undefined;
    return {
      uri,
      port,
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

function assemble(file: DatabaseFile, address: string): Database {
  const commits: GroupCommit = createGroupCommit(file, () => catalog.load());
  const catalog = new Catalog(file, () => commits);
  const retryableWrites = createRetryableWrites(file, () => commits);
  return {
    file,
    catalog,
    commits,
    cursors: createCursors(),
    retryableWrites,
    address,
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const message = taken ? `Port ${port} of ${host} is taken.` : `Cannot listen on ${host}:${port}: ${error.message}.`;
      reject(new DatabaseStartError(taken ? 'PORT_TAKEN' : 'FAILED', message));
    });
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}
