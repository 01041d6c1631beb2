import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { sqlite } from '../../src/storage/file/sqlite.ts';

/*
 * The database with a deliberate fault that tests must detect. `--no-sync` acknowledges writes
 * before they are synced, `--late-commit` even before they are committed.
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
  // SQLite does not allow changing the synchronous mode inside the open transaction.
  sqlite.DatabaseSync.prototype.exec = function (sql) {
    if (!sql.startsWith('PRAGMA synchronous')) exec.call(this, sql);
  };
}
