import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { sqlite } from '../../src/storage/file/sqlite.ts';

/*
 * The database with a fault built in, for tests that must find it: `--no-sync` acknowledges before anything is synced,
 * `--late-commit` before it is even committed.
 */

const [fault] = process.argv.splice(process.argv.length - 1);

if (fault === '--no-sync') neverSync();
else if (fault === '--late-commit') commitLate(20);
else throw new Error(`no such fault: ${fault}`);

await import('../../bin/serve.ts');

function neverSync(): void {
  const { exec } = sqlite.DatabaseSync.prototype;
  sqlite.DatabaseSync.prototype.exec = function (sql) {
    exec.call(this, sql.replace('synchronous = FULL', 'synchronous = OFF'));
  };
}

function commitLate(millis: number): void {
  const { run } = sqlite.StatementSync.prototype;
  const { exec } = sqlite.DatabaseSync.prototype;
  let commit: (() => void) | undefined;
  function runLate(this: StatementSync, ...values: SQLInputValue[]) {
    const begin = this.sourceSQL === 'BEGIN IMMEDIATE';
    if (this.sourceSQL !== 'COMMIT' && !(begin && commit !== undefined)) return run.apply(this, values as never);
    if (!begin && commit === undefined) {
      commit = () => {
        commit = undefined;
        run.call(this, {});
      };
      setTimeout(commit, millis);
    }
    return { changes: 0, lastInsertRowid: 0 };
  }
  sqlite.StatementSync.prototype.run = runLate as typeof run;
  // Whether commits are synced cannot be changed within the transaction that is still there.
  sqlite.DatabaseSync.prototype.exec = function (sql) {
    if (!sql.startsWith('PRAGMA synchronous')) exec.call(this, sql);
  };
}
