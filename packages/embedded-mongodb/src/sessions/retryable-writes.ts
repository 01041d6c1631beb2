import { Binary } from 'bson';
import type { DatabaseFile } from '../storage/file/file.ts';
import { type GroupCommit, ifPossible } from '../storage/group-commit.ts';
import { decodeStored, encodeAnswer } from '../values/bson.ts';
import { DatabaseError } from '../values/errors.ts';
import { longField } from '../values/numbers.ts';
import { type Doc, isDoc } from '../values/value.ts';

/** How long an answer is kept for a retry, in minutes: as long as a session lives. */
export const sessionMinutes = 30;

/** The state of a retryable write: the answers of its statements that were already executed. */
type Retry = {
  /** The answer of a statement that was executed before. */
  done(statement: number): Doc | undefined;
  /** Records the answer of a statement. */
  record(statement: number, answer: Doc): void;
  /** Stores the recorded answers in the same transaction as the writes. */
  save(): void;
};

/**
 * Creates the store of retryable writes. It keeps the answers to each session's latest numbered
 * write.
 */
export function createRetryableWrites(file: DatabaseFile, commits: () => GroupCommit) {
  return {
    /** The retry state of a command that has `lsid` and `txnNumber`; otherwise `undefined`. */
    begin(args: Doc): Retry | undefined {
      const number = args.get('txnNumber');
      const lsid = args.get('lsid');
      const id = isDoc(lsid) ? lsid.get('id') : undefined;
      if (number === undefined || !(id instanceof Binary)) return undefined;
      return openRetry(id.buffer, longField(number, 'txnNumber'));
    },

    /** Deletes the answers of expired sessions. */
    expire(now = Date.now()): void {
      const before = now - sessionMinutes * 60_000;
      const stale = file.prepare('SELECT 1 FROM retryable_writes WHERE used < ? LIMIT 1').get(before);
      if (stale === undefined) return;
      ifPossible(() => commits().write(() => file.prepare('DELETE FROM retryable_writes WHERE used < ?').run(before)));
    },
  };

  function openRetry(session: Uint8Array, number: bigint): Retry {
    // Usually the number is new and no row matches.
    const row = file
      .prepare('SELECT CAST(number AS TEXT), results FROM retryable_writes WHERE session = ? AND number >= ?')
      .get(session, number);
    const [last, results] = (row ?? []) as unknown as [string, Uint8Array] | [];
    if (last !== undefined && BigInt(last) > number) throw tooOld(number, last);
    const answers: Doc = results === undefined ? new Map() : decodeStored(results);
    let noted = false;
    return {
      done: (statement) => answers.get(String(statement)) as Doc | undefined,
      record(statement, answer) {
        noted = true;
        answers.set(String(statement), answer);
      },
      save() {
        if (!noted) return;
        // Encode before the write: an error inside `write` would fail everything in this turn.
        const results = encodeAnswer(answers);
        commits().write(() => {
          file
            .prepare('INSERT OR REPLACE INTO retryable_writes (session, number, used, results) VALUES (?, ?, ?, ?)')
            .run(session, number, Date.now(), results);
        });
      },
    };
  }
}

export type RetryableWrites = ReturnType<typeof createRetryableWrites>;

function tooOld(number: bigint, last: string): DatabaseError {
  return new DatabaseError(
    225,
    `Retryable write with txnNumber ${number} is prohibited on session because a newer transaction with txnNumber ${last} has already started on this session.`,
  );
}
