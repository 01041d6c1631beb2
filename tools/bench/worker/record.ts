import type { CommandStartedEvent, CommandSucceededEvent, Document } from 'mongodb';
import { client } from '../../../lib/database/client.ts';
import { type Operation, prepared } from '../operations.ts';

/** The commands of one request, in stages: those of a stage are sent together, when those of the stage before are answered. */
export type Plan = { collection: string; name: string; command: Document }[][];

/** Calls a function and records its database commands; needs a client that monitors them. */
export async function record(operation: Operation): Promise<Plan> {
  const call = await prepared(operation);
  // The first call with a token records its use, and nothing waits for that.
  await call();
  await new Promise((resolve) => setTimeout(resolve, 50));

  const plan: Plan = [];
  const stageOf = new Map<number, number>();
  let answered = -1;
  const begin = ({ requestId, commandName: name, command }: CommandStartedEvent) => {
    // What the first call has noted in read markers is stored a moment after it.
    if (name === 'update' && command[name] === 'reads') return;
    const stage = answered + 1;
    stageOf.set(requestId, stage);
    plan[stage] = [...(plan[stage] ?? []), { name, collection: command[name], command: withoutDriverFields(command) }];
  };
  // A stage ends when all of its commands are answered: a command that starts before belongs to it.
  const end = ({ requestId }: CommandSucceededEvent) => {
    const stage = stageOf.get(requestId);
    stageOf.delete(requestId);
    if (stage === undefined) return;
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

/** A command without the fields that the driver adds to every one. */
const withoutDriverFields = ({ lsid, txnNumber, $clusterTime, $db, ...command }: Document) => command;
