import { Int32 } from 'bson';
import type { Counts } from '../plan/execute.ts';
import { above, explainFind } from '../plan/explain.ts';
import type { FindQuery } from '../plan/find.ts';
import { DatabaseError } from '../query/errors.ts';
import { splitOutput } from '../query/output-stage.ts';
import { type Doc, isDoc, type Value } from '../query/value.ts';
import { arrayArg, boolArg, collectionName, docArg, integerArg, required, stringArg } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { contextOf, statementContext } from './context.ts';
import { VERSION } from './limits.ts';
import { countQuery, findQuery, hintArg } from './query.ts';
import { prepareRead, prepareStages, type Read } from './read.ts';
import { reply } from './replies.ts';

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

function explain(database: Database, command: Command): Doc {
  const inner = required(docArg(command.args, 'explain'), 'explain');
  const verbosity = stringArg(command.args, 'verbosity') ?? 'allPlansExecution';
  if (!VERBOSITIES.includes(verbosity))
    throw new DatabaseError(2, `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
  const [name = ''] = inner.keys();
  return explained(database, { ...command, name, args: inner }, verbosity !== 'queryPlanner');
}

/** How a command would be carried out; with `execute`, it is tried out as far as it only reads. */
export function explained(database: Database, command: Command, execute: boolean): Doc {
  const { name, args, db } = command;
  const asked = Object.hasOwn(READS, name) ? READS[name] : undefined;
  if (asked === undefined) throw new DatabaseError(59, `Explain failed due to unknown command: ${name}`);
  const read = asked(database, command);
  const topStage = TOP_STAGES[name];
  const counts: Counts = { keys: 0, documents: 0 };
  const started = performance.now();
  const returned = execute ? countOf(read, name, counts) : 0;
  const stages = (looked?: Counts) => {
    const stage: Doc = read.find === undefined ? new Map([['stage', 'EOF']]) : explainFind(read.find, looked);
    return topStage === undefined ? stage : above(stage, topStage);
  };
  const fields: [string, Value][] = [['queryPlanner', planner(`${db}.${args.get(name)}`, read, stages())]];
  if (execute) fields.push(['executionStats', statistics(returned, performance.now() - started, counts, stages(counts))]);
  const cursor: Doc = new Map([['$cursor', new Map(fields)]]);
  return reply([
    ['explainVersion', '1'],
    ...(read.rest.length === 0 ? fields : ([['stages', [cursor, ...read.rest]]] satisfies [string, Value][])),
    ['command', new Map([...args, ['$db', db]])],
    [
      'serverInfo',
      new Map<string, Value>([
        ['host', database.address],
        ['version', VERSION],
      ]),
    ],
  ]);
}

/** What a command asks of the collection. */
const READS: Readonly<Record<string, (database: Database, command: Command) => Omit<Read, 'filter'>>> = {
  find: (database, command) => ask(database, command, findQuery(command.args)),
  count: (database, command) => ask(database, command, countQuery(command.args)),
  distinct: (database, command) => ask(database, command, selected(command.args, 'query', undefined)),
  findAndModify: (database, command) => ask(database, command, selected(command.args, 'query', 1)),
  update: (database, command) => askStatement(database, command, 'updates', ({ multi }) => !multi),
  delete: (database, command) => askStatement(database, command, 'deletes', ({ limit }) => limit === 1),
  aggregate(database, command) {
    const { stages } = splitOutput(required(arrayArg(command.args, 'pipeline'), 'aggregate.pipeline'));
    return prepareStages(database, command.db, collectionName(command), stages, hintArg(command.args), contextOf(command));
  },
};

const TOP_STAGES: Readonly<Record<string, string>> = {
  count: 'COUNT',
  update: 'UPDATE',
  findAndModify: 'UPDATE',
  delete: 'DELETE',
};

function ask(database: Database, command: Command, query: FindQuery): Read {
  return prepareRead(database, command.db, collectionName(command), query, contextOf(command));
}

function askStatement(
  database: Database,
  command: Command,
  field: string,
  isSingle: (of: { multi: boolean; limit: number | undefined }) => boolean,
): Read {
  const [statement, other] = arrayArg(command.args, field) ?? [];
  if (!isDoc(statement) || other !== undefined) throw new DatabaseError(72, `explained write batches must be of size 1`);
  const single = isSingle({ multi: boolArg(statement, 'multi') === true, limit: integerArg(statement, 'limit') });
  const context = statementContext(contextOf(command), statement);
  return prepareRead(database, command.db, collectionName(command), selected(statement, 'q', single ? 1 : undefined), context);
}

function selected(args: Doc, filter: string, limit: number | undefined): FindQuery {
  return { filter: docArg(args, filter) ?? new Map(), sort: docArg(args, 'sort'), hint: hintArg(args), limit };
}

/** Reads all that the command would, counting what is looked at; a count may need to look at nothing but keys. */
function countOf(read: Omit<Read, 'filter'>, name: string, counts: Counts): number {
  if (name !== 'count' || read.find?.plan.exact !== true) return Array.from(read.rows(counts), () => 1).length;
  const n = read.count();
  if (read.find.plan.index !== undefined) counts.keys = n;
  return n;
}

function planner(namespace: string, { find }: Omit<Read, 'filter'>, winningPlan: Doc): Doc {
  return new Map<string, Value>([
    ['namespace', namespace],
    ['indexFilterSet', false],
    ['parsedQuery', find?.query.filter ?? new Map()],
    ['winningPlan', winningPlan],
    ['rejectedPlans', []],
  ]);
}

function statistics(returned: number, millis: number, { keys, documents }: Counts, executionStages: Doc): Doc {
  return new Map<string, Value>([
    ['executionSuccess', true],
    ['nReturned', new Int32(returned)],
    ['executionTimeMillis', new Int32(Math.round(millis))],
    ['totalKeysExamined', new Int32(keys)],
    ['totalDocsExamined', new Int32(documents)],
    ['executionStages', new Map<string, Value>([...executionStages, ['nReturned', new Int32(returned)]])],
  ]);
}

/** Tells how a command is carried out. */
export const explainCommands: Readonly<Record<string, CommandEntry>> = {
  explain: { handle: explain, fields: ['verbosity'] },
};
