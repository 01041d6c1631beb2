import { finishDeletions } from '../../lib/accounts/deletion.ts';
import { ensureIndexes } from '../../lib/prepare.ts';
import type { Command } from '../command.ts';

export const databaseCommands: Record<string, Command> = {
  'database check': {
    usage: 'database check',
    summary: 'Creates missing indexes, finishes interrupted deletions, and reports both.',
    operands: 0,
    run: async () => {
      const indexes = await ensureIndexes();
      const finishedDeletions = await finishDeletions();
      const lines = Object.entries(indexes).map(([collection, count]) => `${collection}: ${count} indexes`);
      if (finishedDeletions > 0) lines.push(`interrupted deletions, now finished: ${finishedDeletions}`);
      return { data: { indexes, finished_deletions: finishedDeletions }, text: lines.join('\n') };
    },
  },
};
