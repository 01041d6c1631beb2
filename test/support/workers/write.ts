import { openSync, writeSync } from 'node:fs';
import type { Message } from '../../../lib/messages/messages.ts';
import { createRandom, type Random } from '../../../packages/embedded-mongodb/test/support/random.ts';
import type { Account } from '../accounts.ts';
import { serveParent } from './serve-parent.ts';

/** The changes of a process in a room, like those of a function's instances. */
export type WriteJob = {
  room: string;
  /** The authors, who write concurrently. */
  accounts: Account[];
  /** The number of changes of each author. */
  changes: number;
  /**
   * True to only send messages, and to retry each under its key until it is acknowledged.
   * Otherwise, each author makes every kind of change once.
   */
  retries: boolean;
  /** The error of the process's clock, in milliseconds. */
  clock: number;
  /** The probability that it is killed instead of inserting a document. */
  killShare: number;
  /** The seed of its random choices. */
  seed: number;
  /** The file with all attempts and acknowledgements, which remains after the process is killed. */
  log: string;
};

/** A line of that file. A message that was not acknowledged does not have an id. */
export type Attempt = { type: string; actor: string; message?: string | undefined; isDone: boolean };

serveParent(async ({ room, accounts, changes, retries, clock, killShare, seed, log }: WriteJob) => {
  // Before any import that could read the time.
  const TrueDate = Date;
  globalThis.Date = class extends TrueDate {
    constructor(...args: [] | [number]) {
      super(args.length === 0 ? TrueDate.now() + clock : args[0]);
    }
    static override now = () => TrueDate.now() + clock;
  } as DateConstructor;
  const { inProcess } = await import('../transports.ts');
  const { client } = await import('../../../lib/database/client.ts');

  const random = createRandom(seed);
  const file = openSync(log, 'a');
  const record = (attempt: Attempt) => writeSync(file, `${JSON.stringify(attempt)}\n`);
  client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'insert' && random.fraction() < killShare) process.kill(process.pid, 'SIGKILL');
  });
  await Promise.all(accounts.map(write));

  async function write({ id: actor, token }: Account): Promise<void> {
    const mine: string[] = [];
    for (let done = 0; done < changes; done++) {
      const message = retries ? undefined : mine.at(random.below(mine.length));
      const { type, method, path, body } = pick(random, room, message, done);
      const headers = { 'idempotency-key': crypto.randomUUID() };
      record({ type, actor, message, isDone: false });
      let reply = await inProcess(method, path, { token, body, headers });
      while (retries && reply.status !== 201) reply = await inProcess(method, path, { token, body, headers });
      if (reply.status >= 300) continue;
      const id = type === 'message.created' ? (reply.body as Message)._id.$oid : message;
      record({ type, actor, message: id, isDone: true });
      if (type === 'message.created' && id) mine.push(id);
      if (type === 'message.deleted') mine.splice(mine.indexOf(id ?? ''), 1);
    }
  }
});

function pick(random: Random, room: string, message: string | undefined, turn: number) {
  const chance = random.fraction();
  const path = `/api/messages/${message}`;
  if (message === undefined || chance < 0.5)
    return { type: 'message.created', method: 'POST', path: '/api/messages', body: { room, text: `Message ${turn}` } };
  if (chance < 0.7) return { type: 'message.edited', method: 'PATCH', path, body: { text: `Text ${turn}` } };
  if (chance < 0.95) return { type: 'reaction.added', method: 'PUT', path: `${path}/reactions/e${turn}`, body: {} };
  return { type: 'message.deleted', method: 'DELETE', path, body: undefined };
}
