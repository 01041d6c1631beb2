import { resolve } from 'node:path';
import { finishDeletions } from '../../lib/accounts/deletion.ts';
import { countAdministrators } from '../../lib/accounts/last-admin.ts';
import { backUp } from '../../lib/database/backup.ts';
import { renewEpoch } from '../../lib/database/epoch.ts';
import { fillWords } from '../../lib/messages/fill-words.ts';
import { ensureIndexes } from '../../lib/prepare.ts';
import type { Run } from '../command.ts';

export const databaseCommands: Record<string, Run> = {
  'database check': async () => {
    const indexes = await ensureIndexes();
    await fillWords();
    const finishedDeletions = await finishDeletions();
    const administrators = await countAdministrators();
    const lines = Object.entries(indexes).map(([collection, count]) => `${collection}: ${count} indexes`);
    if (finishedDeletions > 0) lines.push(`interrupted deletions, now finished: ${finishedDeletions}`);
    lines.push(`administrators: ${administrators}`);
    return { data: { indexes, finished_deletions: finishedDeletions, administrators }, text: lines.join('\n') };
  },
  'database restored': async () => {
    await renewEpoch();
    return { data: {}, text: 'Clients will read everything again.' };
  },
  backup: async ([word = '']) => {
    const directory = resolve(word);
    await backUp(directory);
    return { data: { directory }, text: `The database was copied into ${directory}.` };
  },
};
