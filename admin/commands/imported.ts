import { closeSync, openSync, writeSync } from 'node:fs';
import { mostImportDays } from '../../lib/credentials/codes.ts';
import { type Invitee, inviteImported } from '../../lib/imports/invite.ts';
import { findImport, listImports, nameOfImport, type UndoReport, undoImport } from '../../lib/imports/undo.ts';
import { requireMail } from '../../lib/net/mail.ts';
import { config } from '../../lib/settings/config.ts';
import { type Options, type Run, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { table } from '../output.ts';
import { progressBar } from '../progress.ts';
import { onData, recorded } from '../recorded.ts';

/** The commands for imported data. */
export const importedCommands: Record<string, Run> = {
  'import list': async () => {
    const all = await listImports();
    const rows = all.map(({ name, source, last_at, undone_at, accounts, unclaimed, rooms }) => [
      ...[name, source, last_at.toISOString(), undone_at?.toISOString() ?? ''],
      ...[accounts, unclaimed, rooms].map(String),
    ]);
    const data = all.map(({ _id, undone: _, ...one }) => one);
    return { data, text: table(['NAME', 'FROM', 'LAST', 'UNDONE', 'ACCOUNTS', 'UNUSED', 'ROOMS'], rows) };
  },
  'import undo': async ([name = ''], options, streams) => {
    const found = await findImport(name);
    const bar = progressBar(streams.stderr);
    try {
      const planned = await undoImport(found, { isDryRun: true, progress: bar.update });
      bar.end();
      if (options['dry-run'] === true)
        return { data: { ...planned, is_dry_run: true }, text: `${undoText(planned)}\nNothing was deleted.` };
      await confirm(`${undoText(planned)}\nUndo the import ${name}?`, options.yes === true, streams);
      const acts = onData('data.conversion_undone', { from: found.source, workspace: found.workspace });
      const report = await recorded(acts, () => undoImport(found, { isDryRun: false, progress: bar.update }));
      return { data: { ...report, is_dry_run: false }, text: undoText(report) };
    } finally {
      bar.end();
    }
  },
  'import invite': async ([name = ''], options, { stderr }) => {
    const file = options.to;
    if ((typeof file === 'string') === (options.mail === true)) throw new UsageError('Pass either --mail or --to <file>.');
    const days = daysOf(options);
    if (options.mail === true) requireMail();
    const found = await findImport(name);
    const bar = progressBar(stderr);
    const list = typeof file === 'string' ? openList(file) : undefined;
    try {
      const acts = onData('data.links_created', { from: found.source, workspace: nameOfImport(found) });
      const sendsAgain = options.again === true;
      const report = await recorded(acts, () =>
        inviteImported(found, { days, write: list?.write, sendsAgain, progress: bar.update }),
      );
      const left = Object.entries(report.leftOut).map(([reason, count]) => `  ${count} ${reason}`);
      const done = list ? `Wrote ${report.invited} links, valid for ${days} days.` : `Sent ${report.invited} e-mails.`;
      return { data: report, text: [done, ...(left.length > 0 ? ['Left out:', ...left] : [])].join('\n') };
    } finally {
      bar.end();
      list?.close();
    }
  },
};

function daysOf({ days = '7' }: Options): number {
  const number = Number(days);
  if (!Number.isInteger(number) || number < 1 || number > mostImportDays)
    throw new UsageError(`The option --days must be a whole number from 1 to ${mostImportDays}.`);
  return number;
}

const undoText = ({ rooms, messages, accounts }: UndoReport): string =>
  table(
    ['', 'DELETED', 'KEPT'],
    Object.entries({ rooms, messages, accounts }).map(([kind, { deleted, kept }]) => [kind, String(deleted), String(kept)]),
  );

/**
 * The file for links, as CSV. It must be new, and only its owner can read it, because each link
 * opens an account.
 */
function openList(path: string): { write: (person: Invitee) => void; close: () => void } {
  const file = openSync(path, 'wx', 0o600);
  const line = (fields: string[]) => void writeSync(file, `${fields.map(field).join(',')}\r\n`);
  line(['username', 'name', 'email', config.publicUrl === '' ? 'path' : 'link', 'expires']);
  return {
    write: ({ username, name, email, link, expires_at }) => line([username, name, email, link, expires_at]),
    close: () => closeSync(file),
  };
}

/** A CSV field. Spreadsheets treat a text that begins with one of these characters as a formula. */
const field = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
