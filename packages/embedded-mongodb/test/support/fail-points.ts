import { Double, Int32 } from 'bson';
import type { Connection, Handler } from '../../src/protocol/connection.ts';
import type { Message } from '../../src/protocol/messages.ts';
import { decode, encode } from '../../src/values/bson.ts';
import { codeName } from '../../src/values/errors.ts';
import { type Doc, isDoc, type Value } from '../../src/values/value.ts';

/*
 * Fail points of MongoDB that drivers' tests use, implemented between connections and commands.
 * `failCommand` acts before a command runs, `onPrimaryTransactionalWrite` on the statements of a
 * numbered write.
 */

type FailPoint = { skip: number; times: number; readonly data: Doc };

/** Wraps a handler so that it supports `configureFailPoint`. */
export function withFailPoints(handler: Handler): Handler {
  const active = new Map<string, FailPoint>();
  const appNames = new Map<number, Value | undefined>();
  const carriedOut = new Set<string>();

  /**
   * The fail point's data if it is active now. It may have to skip some commands first, and ends
   * after some.
   */
  const strikes = (name: string): Doc | undefined => {
    const point = active.get(name);
    if (point === undefined) return undefined;
    if (point.skip > 0) {
      point.skip--;
      return undefined;
    }
    point.times--;
    if (point.times <= 0) active.delete(name);
    return point.data;
  };

  const appliesTo = (data: Doc, name: string, connection: Connection) => {
    const appName = data.get('appName');
    const commands = data.get('failCommands');
    return (
      Array.isArray(commands) && commands.includes(name) && (appName === undefined || appName === appNames.get(connection.id))
    );
  };

  /** The first statement of a numbered write that fails, unless the write was executed before. */
  const struckStatement = (message: Message): { index: number; data: Doc } | undefined => {
    const { body } = message;
    const number = body.get('txnNumber');
    if (number === undefined || !active.has('onPrimaryTransactionalWrite')) return undefined;
    const key = `${encode(new Map([['key', [body.get('lsid') ?? null, number]]]))}`;
    if (carriedOut.has(key)) return undefined;
    for (let index = 0; index < statementsOf(message); index++) {
      const data = strikes('onPrimaryTransactionalWrite');
      if (data === undefined) continue;
      if (!data.has('failBeforeCommitExceptionCode')) carriedOut.add(key);
      return { index, data };
    }
    return undefined;
  };

  return (message, connection, done) => {
    const { body } = message;
    const [name = ''] = body.keys();
    const answer = (doc: Doc) => done(encode(doc));
    if (name === 'configureFailPoint') {
      configure(active, body);
      answer(new Map<string, Value>([['ok', new Double(1)]]));
      return;
    }
    if (name === 'hello' || name.toLowerCase() === 'ismaster') appNames.set(connection.id, appNameOf(body));
    const point = active.get('failCommand');
    const data = point !== undefined && appliesTo(point.data, name, connection) ? strikes('failCommand') : undefined;
    if (data !== undefined) {
      const proceed = () => failCommand(data, message, connection, handler, done);
      setTimeout(proceed, data.get('blockConnection') === true ? Number(data.get('blockTimeMS')) : 0);
      return;
    }
    const struck = struckStatement(message);
    if (struck === undefined) {
      handler(message, connection, done);
      return;
    }
    const closed = () => done(undefined);
    if (!struck.data.has('failBeforeCommitExceptionCode')) handler(message, connection, closed);
    else if (struck.index === 0) closed();
    else handler(firstStatements(message, struck.index), connection, closed);
  };
}

function configure(active: Map<string, FailPoint>, body: Doc): void {
  const mode = body.get('mode');
  const [[kind, count] = [mode, 0]] = isDoc(mode) ? mode : [];
  const data = body.get('data');
  const times = kind === 'off' ? 0 : kind === 'times' ? Number(count) : Number.POSITIVE_INFINITY;
  const point: FailPoint = { skip: kind === 'skip' ? Number(count) : 0, times, data: isDoc(data) ? data : new Map() };
  const name = String(body.get('configureFailPoint'));
  if (times === 0) active.delete(name);
  else active.set(name, point);
}

function failCommand(data: Doc, message: Message, connection: Connection, handler: Handler, done: Parameters<Handler>[2]): void {
  const labels = data.get('errorLabels') as Value[] | undefined;
  const answer = (doc: Doc) => done(encode(labelled(doc, message.body, labels)));
  const code = data.get('errorCode');
  const concern = data.get('writeConcernError');
  if (data.get('closeConnection') === true) done(undefined);
  else if (code !== undefined) answer(errorReply(Number(code), "Failing command via 'failCommand' failpoint"));
  else if (!isDoc(concern)) handler(message, connection, done);
  else
    handler(message, connection, (reply) => {
      const named = new Map<string, Value>([['codeName', codeName(Number(concern.get('code')))], ...concern]);
      answer(decode(reply as Buffer).set('writeConcernError', named));
    });
}

/** Errors after which a driver may retry a numbered write. */
const retryable = new Set([6, 7, 89, 91, 134, 189, 262, 358, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Adds error labels: those of the fail point, or MongoDB's. */
function labelled(reply: Doc, args: Doc, given: Value[] | undefined): Doc {
  const concern = reply.get('writeConcernError');
  const codes = [reply.get('code'), isDoc(concern) ? concern.get('code') : undefined];
  const isRetryable = args.has('txnNumber') && codes.some((code) => code instanceof Int32 && retryable.has(code.value));
  const labels = given ?? (isRetryable ? ['RetryableWriteError'] : []);
  return labels.length === 0 ? reply : reply.set('errorLabels', labels);
}

function errorReply(code: number, message: string): Doc {
  return new Map<string, Value>([
    ['ok', new Double(0)],
    ['errmsg', message],
    ['code', new Int32(code)],
    ['codeName', codeName(code)],
  ]);
}

function appNameOf(body: Doc): Value | undefined {
  const client = body.get('client');
  const application = isDoc(client) ? client.get('application') : undefined;
  return isDoc(application) ? application.get('name') : undefined;
}

function statementsOf({ body, sequences }: Message): number {
  const lists = ['documents', 'updates', 'deletes'].map((field) => sequences.get(field) ?? body.get(field));
  const list = lists.find((found) => Array.isArray(found));
  return list === undefined ? 1 : (list as unknown[]).length;
}

function firstStatements(message: Message, count: number): Message {
  return { ...message, sequences: new Map([...message.sequences].map(([field, list]) => [field, list.slice(0, count)])) };
}
