import { Int32 } from 'bson';
import { stageOf } from '../plan/pushdown.ts';
import { DatabaseError, failedToParse, notSupported } from '../query/errors.ts';
import { type Doc, isDoc, typeName, type Value } from '../query/value.ts';
import type { Command, Database } from './command.ts';
import { storageStats } from './statistics.ts';

/** The documents of a first stage that tells about the server itself; `undefined` for any other stage. */
export function serverStage(database: Database, command: Command, stage: Value | undefined): Doc[] | undefined {
  const [name, spec] = stageOf(stage);
  const make = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
  if (make === undefined) return undefined;
  const { args, db } = command;
  const onCollection = typeof args.get(command.name) === 'string';
  if (onCollection !== make.onCollection || (make.admin && db !== 'admin'))
    throw new DatabaseError(
      73,
      `${name} must be run against ${make.admin ? 'the admin database' : `a ${make.onCollection ? 'collection' : 'database'}`}`,
    );
  if (!isDoc(spec)) throw failedToParse(`${name} must take a nested object but found a ${typeName(spec)}`);
  return make.documents(database, command, spec);
}

interface ServerStage {
  readonly onCollection: boolean;
  readonly admin?: boolean;
  documents(database: Database, command: Command, spec: Doc): Doc[];
}

const STAGES: Readonly<Record<string, ServerStage>> = {
  $listLocalSessions: { onCollection: false, documents: ({ sessions }) => sessions.list() },
  $currentOp: { onCollection: false, admin: true, documents: (database, command) => [currentOperation(database, command)] },
  $collStats: { onCollection: true, documents: (database, command, spec) => [collectionStatistics(database, command, spec)] },
};

function collectionStatistics(database: Database, { args, db, name, now }: Command, spec: Doc): Doc {
  const collection = args.get(name) as string;
  const known = ['storageStats', 'count'];
  const unknown = [...spec.keys()].find((option) => !known.includes(option));
  if (unknown !== undefined) throw notSupported(`$collStats with '${unknown}' is not supported`);
  const stats = new Map(storageStats(database, db, collection));
  return new Map<string, Value>([
    ['ns', `${db}.${collection}`],
    ['host', database.address],
    ['localTime', now],
    ...(spec.has('storageStats') ? [['storageStats', stats] as const] : []),
    ...(spec.has('count') ? [['count', stats.get('count') as Value] as const] : []),
  ]);
}

/** Commands run one after the other, so that whoever asks for what is going on sees only itself. */
function currentOperation({ address }: Database, { args, connection, db, now }: Command): Doc {
  return new Map<string, Value>([
    ['type', 'op'],
    ['host', address],
    ['connectionId', new Int32(connection.id)],
    ...(connection.appName === undefined ? [] : [['appName', connection.appName] as const]),
    ['active', true],
    ['currentOpTime', now.toISOString()],
    ['op', 'command'],
    ['ns', `${db}.$cmd.aggregate`],
    ['command', args],
  ]);
}
