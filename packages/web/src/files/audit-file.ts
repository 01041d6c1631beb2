import type { AuditEntry } from 'chat-service-client';

/* The audit log as a file: every field of every entry that was found. */

/** The kinds of file, with their media types. */
export const auditFiles = { jsonl: 'application/x-ndjson', csv: 'text/csv' } as const;
export type AuditFile = keyof typeof auditFiles;

const columns: Record<string, (entry: AuditEntry) => string> = {
  seq: ({ seq }) => String(seq),
  at: ({ at }) => at.$date,
  actor_kind: ({ actor }) => actor.kind,
  actor_id: ({ actor }) => actor._id?.$oid ?? '',
  actor_name: ({ actor }) => actor.name ?? '',
  action: ({ action }) => action,
  target_kind: ({ target }) => target?.kind ?? '',
  target_id: ({ target }) => target?._id?.$oid ?? '',
  target_name: ({ target }) => target?.name ?? '',
  details: ({ details }) => (Object.keys(details).length === 0 ? '' : JSON.stringify(details)),
  source: ({ source }) => source ?? '',
  failed: ({ failed }) => (failed === null ? '' : String(failed)),
  previous: ({ previous }) => previous,
  hash: ({ hash }) => hash,
};

/** The line before the entries, if there is one. */
export const headOf = (kind: AuditFile): string => (kind === 'csv' ? lineOf(Object.keys(columns)) : '');

/** Some entries as lines of such a file. */
export const linesOf = (kind: AuditFile, entries: readonly AuditEntry[]): string =>
  entries
    .map((entry) => (kind === 'csv' ? lineOf(Object.values(columns).map((read) => read(entry))) : `${JSON.stringify(entry)}\n`))
    .join('');

const lineOf = (cells: string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/** A cell by RFC 4180. The apostrophe prevents a spreadsheet from reading the text as a formula. */
const cellOf = (text: string): string => `"${text.replace(/^\s*[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
