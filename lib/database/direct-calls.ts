import { type ErrorDescription, MongoServerError } from 'mongodb';
import { OpMsgRequest } from 'mongodb/lib/cmap/commands.js';
import operations from 'mongodb/lib/operations/execute_operation.js';
import { databaseIsWithinThisProcess, type LastChange } from './within-process.ts';

/**
 * The internals of the driver (7.8.0) that are used: a connected client, and an operation with its
 * parser of answers.
 */
type Client = { readonly topology?: { readonly s: { readonly servers: ReadonlyMap<string, object> } } };
type Answer = { readonly ok: number; toObject: (options: object) => ErrorDescription };
type Operation = {
  server?: object;
  readonly ns: { readonly db: string };
  readonly bsonOptions: object;
  readonly SERVER_COMMAND_RESPONSE_TYPE: { make: (bson: Uint8Array) => Answer };
  buildCommand: (server: object) => object;
  handleOk: (answer: Answer) => unknown;
  handleError: (error: unknown) => unknown;
};
/**
 * A database within this process: its address, the function that calls it, and the last change of
 * each collection.
 */
type DatabaseWithin = { address: string; call: (message: Buffer) => Promise<Buffer>; lastChange: LastChange };
type Execute = (client: Client, operation: Operation, ...options: unknown[]) => Promise<unknown>;

/**
 * Makes the driver call a database within this process directly, once a client is connected to it
 * in the usual way. This bypasses sockets, the pool, server selection and sessions, which use more
 * CPU time than most operations. Nothing can get lost on the way, so no retry is needed.
 */
export function callDirectly({ address, call, lastChange }: DatabaseWithin): void {
  const driver = operations as { executeOperation?: Execute };
  const { executeOperation } = driver;
  if (!executeOperation) throw new Error('This version of the mongodb driver lacks executeOperation.');
  databaseIsWithinThisProcess(lastChange);

  driver.executeOperation = async (client, operation, ...options) => {
    const server = client.topology?.s.servers.get(address);
    if (server === undefined) return executeOperation(client, operation, ...options);
    operation.server = server;
    const { ns, bsonOptions, SERVER_COMMAND_RESPONSE_TYPE: response } = operation;
    const message = new OpMsgRequest(ns.db, { ...operation.buildCommand(server) }, bsonOptions);
    try {
      const answer = response.make(await call(Buffer.concat(message.toBin())));
      if (answer.ok === 0) throw new MongoServerError(answer.toObject(bsonOptions));
      return operation.handleOk(answer);
    } catch (error) {
      return operation.handleError(error);
    }
  };
}
