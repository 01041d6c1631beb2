import { Int32 } from 'bson';
import { arrayArg, boolArg, integerArg, wrongType } from '../protocol/args.ts';
import type { Command, Database } from '../protocol/command.ts';
import { asDatabaseError, writeError } from '../protocol/error-fields.ts';
import { maxBatch } from '../protocol/limits.ts';
import { reply } from '../protocol/replies.ts';
import { isDamageError, noteDamage } from '../storage/file/damage.ts';
import { DatabaseError } from '../values/errors.ts';
import { RawCursor, rawDocument, rawField } from '../values/raw.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';

/** The results of the statements of a batch. */
type Outcome = {
  readonly answers: readonly { readonly index: number; readonly answer: Doc }[];
  readonly errors: readonly { readonly index: number; readonly error: DatabaseError }[];
  readonly retried: readonly number[];
};

/** Runs the statements of a batch. A statement that the client retries is not executed twice. */
export function runBatch<Statement>(
  database: Database,
  { args }: Command,
  statements: readonly Statement[],
  run: (statement: Statement) => Doc,
): Outcome {
  const retry = database.retryableWrites.begin(args);
  const ordered = boolArg(args, 'ordered') !== false;
  const ids = arrayArg(args, 'stmtIds')?.map((id) => Number(String(id)));
  const firstId = integerArg(args, 'stmtId') ?? 0;
  const answers: { index: number; answer: Doc }[] = [];
  const errors: { index: number; error: DatabaseError }[] = [];
  const retried: number[] = [];
  for (const [index, statement] of statements.entries()) {
    const id = ids?.[index] ?? firstId + index;
    const before = retry?.done(id);
    if (before !== undefined) {
      answers.push({ index, answer: before });
      retried.push(id);
      continue;
    }
    try {
      const answer = run(statement);
      answers.push({ index, answer });
      retry?.record(id, answer);
    } catch (error) {
      if (isDamageError(error)) noteDamage(database.file.sums, error);
      errors.push({ index, error: asDatabaseError(error) });
      if (ordered) break;
    }
  }
  retry?.save();
  return { answers, errors, retried };
}

/** The reply to a batch. */
export function batchReply({ errors, retried }: Outcome, fields: readonly (readonly [string, Value])[]): Doc {
  const all: (readonly [string, Value])[] = [...fields];
  if (errors.length > 0) all.push(['writeErrors', errors.map(writeError)]);
  if (retried.length > 0) all.push(['retriedStmtIds', retried.map((id) => new Int32(id))]);
  return reply(all);
}

/** The sum of a field over all answers. */
export function sum({ answers }: Outcome, field: string): number {
  return answers.reduce((total, { answer }) => total + (integerArg(answer, field) ?? 0), 0);
}

/**
 * A statement or document of a batch, encoded. If it was part of the message body, also decoded.
 */
export type SentDocument = { readonly bytes: Buffer; readonly doc?: Doc };

/** The statements or documents of a batch, from a document sequence or the body. */
export function documentsOf({ message, name }: Command, field: string): readonly SentDocument[] {
  const beside = message.sequences.get(field)?.map((bytes) => ({ bytes }));
  const list = beside ?? documentsInBody(message.bytes, message.body, field);
  if (list === undefined) throw new DatabaseError(40414, `BSON field '${name}.${field}' is missing but a required field`);
  if (list.length === 0 || list.length > maxBatch)
    throw new DatabaseError(16, `Write batch sizes must be between 1 and ${maxBatch}. Got ${list.length} operations.`);
  return list;
}

function documentsInBody(bytes: Buffer, body: Doc, field: string): SentDocument[] | undefined {
  const list = arrayArg(body, field);
  const raw = list && rawField(rawDocument(bytes), Buffer.from(field));
  if (list === undefined || raw === undefined) return undefined;
  const item = new RawCursor(raw);
  return list.map((doc) => {
    if (!isDoc(doc)) throw wrongType(field, doc, 'object');
    item.next();
    return { bytes: bytes.subarray(item.start, item.end), doc };
  });
}
