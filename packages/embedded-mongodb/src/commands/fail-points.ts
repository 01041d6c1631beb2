import { Int32 } from 'bson';
import { codeName, DatabaseError } from '../query/errors.ts';
import { type Doc, isDoc, isNumber, type Value } from '../query/value.ts';
import type { Connection } from '../wire/connection.ts';
import { arrayArg, boolArg, docArg, integerArg, required, stringArg } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { reply } from './replies.ts';

/** What a fail point makes of a command. */
export interface Failure {
  readonly delayMillis: number;
  readonly closeConnection: boolean;
  readonly error: DatabaseError | undefined;
  readonly writeConcernError: Doc | undefined;
  /** The labels of the error; `undefined`: those that it would have by itself. */
  readonly labels: Value[] | undefined;
}

interface FailPoint {
  skip: number;
  times: number;
  readonly data: Doc;
}

const NAMES = ['failCommand', 'onPrimaryTransactionalWrite'];

/** MongoDB's fail points that drivers' tests use; they can be set in test mode only. */
export function createFailPoints() {
  const active = new Map<string, FailPoint>();

  /** Whether a fail point strikes now, for it may wait for its turn or have done its part. */
  const strikes = (name: string, applies: (data: Doc) => boolean): Doc | undefined => {
    const point = active.get(name);
    if (point === undefined || !applies(point.data)) return undefined;
    if (point.skip > 0) {
      point.skip--;
      return undefined;
    }
    point.times--;
    if (point.times <= 0) active.delete(name);
    return point.data;
  };

  return {
    set(name: string, mode: Value | undefined, data: Doc): void {
      if (!NAMES.includes(name)) throw new DatabaseError(249, `Cannot find fail point ${name}`);
      const point = { skip: 0, times: Number.POSITIVE_INFINITY, data, ...modeOf(mode) };
      if (point.times <= 0) active.delete(name);
      else active.set(name, point);
    },

    /** `failCommand`: what befalls a command before it is carried out. */
    onCommand(name: string, connection: Connection): Failure | undefined {
      if (active.size === 0 || name === 'configureFailPoint') return undefined;
      const data = strikes('failCommand', (data) => {
        const appName = data.get('appName');
        return (arrayArg(data, 'failCommands') ?? []).includes(name) && (appName === undefined || appName === connection.appName);
      });
      return data && failureOf(data);
    },

    /** `onPrimaryTransactionalWrite`: what befalls a numbered write. */
    onRetryableWrite: (): Doc | undefined => (active.size === 0 ? undefined : strikes('onPrimaryTransactionalWrite', () => true)),
  };
}

/** Lets a numbered write fail where a fail point says so: it does not happen, or its answer does not reach the client. */
export function failRetryableWrite({ failPoints }: Database, connection: Connection): void {
  const data = failPoints.onRetryableWrite();
  if (data === undefined) return;
  if (boolArg(data, 'closeConnection') !== false) connection.hangsUp = true;
  const code = integerArg(data, 'failBeforeCommitExceptionCode');
  if (code !== undefined) throw new DatabaseError(code, 'Failing write due to failpoint. The write must not be reflected.');
}

/** What `createFailPoints` makes. */
export type FailPoints = ReturnType<typeof createFailPoints>;

function modeOf(mode: Value | undefined): { times: number } | { skip: number } {
  if (mode === 'off') return { times: 0 };
  if (mode === 'alwaysOn') return { times: Number.POSITIVE_INFINITY };
  const [name, value] = (isDoc(mode) ? [...mode][0] : undefined) ?? [];
  if ((name !== 'times' && name !== 'skip') || !isNumber(value)) throw new DatabaseError(2, `unknown mode: ${String(mode)}`);
  return name === 'times' ? { times: Number(value.toString()) } : { skip: Number(value.toString()) };
}

function failureOf(data: Doc): Failure {
  const code = integerArg(data, 'errorCode');
  const concern = docArg(data, 'writeConcernError');
  return {
    delayMillis: boolArg(data, 'blockConnection') === true ? (integerArg(data, 'blockTimeMS') ?? 0) : 0,
    closeConnection: boolArg(data, 'closeConnection') === true,
    error: code === undefined ? undefined : new DatabaseError(code, "Failing command via 'failCommand' failpoint"),
    writeConcernError: concern && namedError(concern),
    labels: arrayArg(data, 'errorLabels'),
  };
}

function namedError(concern: Doc): Doc {
  const code = integerArg(concern, 'code') ?? 0;
  return new Map<string, Value>([['code', new Int32(code)], ['codeName', codeName(code)], ...concern]);
}

function configureFailPoint({ failPoints, testMode }: Database, { args, db }: Command): Doc {
  if (!testMode) throw new DatabaseError(59, "no such command: 'configureFailPoint'");
  if (db !== 'admin') throw new DatabaseError(13, 'configureFailPoint may only be run against the admin database.');
  failPoints.set(
    required(stringArg(args, 'configureFailPoint'), 'configureFailPoint'),
    args.get('mode'),
    docArg(args, 'data') ?? new Map(),
  );
  return reply([['count', new Int32(0)]]);
}

/** Commands that are there for tests of the stable API: one that is deprecated, and one that is in no version 1. */
function testCommand({ testMode }: Database, { name, args }: Command): Doc {
  if (!testMode) throw new DatabaseError(59, `no such command: '${name}'`);
  if (name === 'testDeprecation' && boolArg(args, 'apiDeprecationErrors') === true)
    throw new DatabaseError(
      324,
      "Provided apiDeprecationErrors: true, but the command 'testDeprecation' is deprecated in API Version 1.",
    );
  return reply([]);
}

/** Sets fail points. */
export const failPointCommands: Readonly<Record<string, CommandEntry>> = {
  configureFailPoint: { handle: configureFailPoint, fields: ['mode', 'data'] },
  testDeprecation: { handle: testCommand, fields: [] },
  testVersion2: { handle: testCommand, fields: [] },
};
