import { type Counts, exportTo, importFrom, type Progress } from '../../lib/database/export-import.ts';
import type { Command } from '../command.ts';
import { progressBar } from '../progress.ts';

export const transferCommands: Record<string, Command> = {
  export: {
    usage: 'export <file>',
    summary: 'Writes everything to a file: a line of Extended JSON for each document.',
    operands: 1,
    run: ([file = '']) => transfer((progress) => exportTo(file, progress)),
  },
  import: {
    usage: 'import <file>',
    summary:
      'Writes everything in such a file to the database, each thing in the place of the one with the same id; may be repeated.',
    operands: 1,
    run: ([file = '']) => transfer((progress) => importFrom(file, progress)),
  },
};

async function transfer(work: (progress: Progress) => Promise<Counts>) {
  const bar = progressBar(process.stderr);
  try {
    const documents = await work(bar.update);
    const lines = Object.entries(documents).map(([collection, count]) => `${collection}: ${count} documents`);
    return { data: { documents }, text: lines.join('\n') };
  } finally {
    bar.end();
  }
}
