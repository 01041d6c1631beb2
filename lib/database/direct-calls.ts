import { Connection } from 'mongodb/lib/cmap/connection.js';
import { MongoDBResponse } from 'mongodb/lib/cmap/wire_protocol/responses.js';
import { databaseIsWithinThisProcess } from './within-process.ts';

/** What is used of the driver (7.8.0): its connection, a message, and what it makes of an answer. */
type Caller = { readonly closed: boolean; throwIfAborted: () => void };
type Message = { moreToCome: boolean; toBin: () => Uint8Array[] };
type Made = { make: (bson: Uint8Array) => unknown };
type SendWire = (this: Caller, message: Message, options: object, made?: Made) => AsyncGenerator;

/**
 * Has the driver hand its messages to a database within this process and take the answers from it, without a socket: sending, polling and
 * receiving take more of the processor than most calls. Its connections are there as ever, and tell both sides when the other one ends.
 */
export function callDirectly(connect: (client: Caller) => (message: Buffer) => Promise<Buffer>): void {
  const { prototype } = Connection as { prototype: { sendWire?: SendWire } };
  const { sendWire } = prototype;
  if (!sendWire) throw new Error('This version of the mongodb driver has no Connection.sendWire.');
  databaseIsWithinThisProcess();
  const calls = new WeakMap<Caller, ReturnType<typeof connect>>();

  prototype.sendWire = async function* (message, options, made = MongoDBResponse) {
    if (message.moreToCome) {
      yield* sendWire.call(this, message, options, made);
      return;
    }
    this.throwIfAborted();
    const call = calls.get(this) ?? connect(this);
    calls.set(this, call);
    const answer = await call(Buffer.concat(message.toBin()));
    this.throwIfAborted();
    yield made.make(answer);
  };
}
