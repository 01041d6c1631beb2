import { appendFileSync, existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { toPrintableJson } from '../lib/base/printable-json.ts';

/**
 * Records a command and its outcome in the file of the setting AUDIT_LOG, or else in the data
 * directory of an embedded database. Arguments do not contain secrets: passwords come from the
 * terminal or from standard input.
 */
export function noteCommand(command: string, words: string[], outcome: 'done' | 'failed'): void {
  const file = auditFile();
  if (!file) return;
  const line = { time: new Date().toISOString(), by: userInfo().username, command, words, outcome };
  appendFileSync(file, `${toPrintableJson(line)}\n`, { mode: 0o600 });
}

function auditFile(): string | undefined {
  const wanted = process.env.AUDIT_LOG?.trim();
  if (wanted) return wanted;
  const directory = process.env.DATA_DIR?.trim() || './data';
  return existsSync(directory) ? join(directory, 'audit.log') : undefined;
}
