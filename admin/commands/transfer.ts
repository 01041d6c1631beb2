import { type Counts, exportTo, importFrom, type Progress } from '../../lib/database/export-import.ts';
import type { Command } from '../command.ts';
import { progressBar } from '../progress.ts';

export const transferCommands: Record<string, Command> = {
  export: {
    usage: 'export <file>',
    summary: 'Exports everything to a file, as one line of Extended JSON per document.',
    operands: 1,
    run: ([file = '']) => transfer((progress) => exportTo(file, progress)),
  },
  import: {
    usage: 'import <file>',
    summary: 'Imports everything from an exported file; each document replaces the one with the same id. May be repeated.',
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
