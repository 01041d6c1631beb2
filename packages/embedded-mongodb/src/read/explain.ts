import { Int32 } from 'bson';
import { explainFind } from '../plan/explain.ts';
import type { Counts } from '../plan/plan.ts';
import { arrayArg, collectionName, docArg, required, stringArg } from '../protocol/args.ts';
import type { Command, CommandEntry, Database, Work } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import { DatabaseError } from '../values/errors.ts';
import type { Doc, Value } from '../values/value.ts';
import { contextOf, findQuery } from './find.ts';
import { prepareRead, prepareStages, type ReadPlan } from './read.ts';

const verbosities = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/**
 * Describes the plan of a find or a pipeline. With any verbosity except `queryPlanner`, it also
 * runs it and counts.
 */
function* explain(database: Database, command: Command): Work {
  const { db } = command;
  const args = required(docArg(command.args, 'explain'), 'explain');
  const verbosity = stringArg(command.args, 'verbosity') ?? 'allPlansExecution';
  if (!verbosities.includes(verbosity))
    throw new DatabaseError(2, `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
  const [name = ''] = args.keys();
  const read = planCommand(database, { ...command, name, args });
  const counts: Counts = { keys: 0, documents: 0 };
  let returned = 0;
  for (const row of verbosity === 'queryPlanner' ? [] : read.rows(counts)) {
    if (row === undefined) yield undefined;
    else returned++;
  }
  const fields: [string, Value][] = [['queryPlanner', planner(`${db}.${args.get(name)}`, read)]];
  if (verbosity !== 'queryPlanner') fields.push(['executionStats', statistics(returned, counts, stagesOf(read, counts))]);
  const cursor: Doc = new Map([['$cursor', new Map(fields)]]);
  return reply([
    ['explainVersion', '1'],
    ...(read.rest.length === 0 ? fields : ([['stages', [cursor, ...read.rest]]] satisfies [string, Value][])),
    ['command', new Map([...args, ['$db', db]])],
  ]);
}

function planCommand(database: Database, command: Command): ReadPlan {
  const { name, args, db } = command;
  if (name === 'find') return prepareRead(database, db, collectionName(command), findQuery(args), contextOf(command));
  if (name !== 'aggregate') throw new DatabaseError(59, `Explain failed due to unknown command: ${name}`);
  const stages = required(arrayArg(args, 'pipeline'), 'aggregate.pipeline');
  return prepareStages(database, db, collectionName(command), stages, contextOf(command));
}

function stagesOf({ find }: ReadPlan, counts?: Counts): Doc {
  return find === undefined ? new Map([['stage', 'EOF']]) : explainFind(find, counts);
}

function planner(namespace: string, read: ReadPlan): Doc {
  return new Map<string, Value>([
    ['namespace', namespace],
    ['parsedQuery', read.find?.query.filter ?? new Map()],
    ['winningPlan', stagesOf(read)],
    ['rejectedPlans', []],
  ]);
}

function statistics(returned: number, { keys, documents }: Counts, executionStages: Doc): Doc {
  return new Map<string, Value>([
    ['executionSuccess', true],
    ['nReturned', new Int32(returned)],
    ['totalKeysExamined', new Int32(keys)],
    ['totalDocsExamined', new Int32(documents)],
    ['executionStages', executionStages.set('nReturned', new Int32(returned))],
  ]);
}

/** The command `explain`. */
export const explainCommands: Readonly<Record<string, CommandEntry>> = {
  explain: { handle: explain, fields: ['verbosity'] },
};
