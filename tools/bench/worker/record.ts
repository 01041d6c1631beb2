import type { CommandStartedEvent, CommandSucceededEvent, Document } from 'mongodb';
import { client } from '../../../lib/database/client.ts';
import { type Operation, prepared } from '../operations.ts';

/** The commands of one request, in stages: those of one stage go out together, when those of the one before are answered. */
export type Plan = { collection: string; name: string; command: Document }[][];

/** Calls a function and notes what it asks the database; needs a client that monitors its commands. */
export async function record(operation: Operation): Promise<Plan> {
  const call = await prepared(operation);
  // The first call of a token notes that it was used, and nothing waits for that.
  await call();
  await new Promise((resolve) => setTimeout(resolve, 50));

  const plan: Plan = [];
  const stageOf = new Map<number, number>();
  let answered = -1;
  const begin = ({ requestId, commandName: name, command }: CommandStartedEvent) => {
    const stage = answered + 1;
    stageOf.set(requestId, stage);
    plan[stage] = [...(plan[stage] ?? []), { name, collection: command[name], command: essence(command) }];
  };
  // A stage is over when all of it is answered: what starts earlier belongs to it.
  const end = ({ requestId }: CommandSucceededEvent) => {
    const stage = stageOf.get(requestId) ?? 0;
    stageOf.delete(requestId);
    if (![...stageOf.values()].includes(stage)) answered = Math.max(answered, stage);
  };
  client.on('commandStarted', begin).on('commandSucceeded', end);
  try {
    await call();
  } finally {
    client.off('commandStarted', begin).off('commandSucceeded', end);
  }
  return plan;
}

/** Without what the driver adds to every command by itself. */
const essence = ({ lsid, txnNumber, $clusterTime, $db, ...command }: Document) => command;
