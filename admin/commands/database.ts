import { resolve } from 'node:path';
import { finishDeletions } from '../../lib/accounts/deletion.ts';
import { countAdministrators } from '../../lib/accounts/last-admin.ts';
import { backUp, type CopyCounts, checkEverything } from '../../lib/database/backup.ts';
import { renewEpoch } from '../../lib/database/epoch.ts';
import { isDamagedDatabase } from '../../lib/database/failures.ts';
import { checkAllPages, readFileState } from '../../lib/database/file-state.ts';
import { fillWords } from '../../lib/messages/fill-words.ts';
import { ensureIndexes } from '../../lib/prepare.ts';
import type { Run } from '../command.ts';
import { print } from '../output.ts';

export const databaseCommands: Record<string, Run> = {
  'database check': async (_operands, { full }) => {
    const file = await checkAllPages();
    if (file?.damage) throw new Error(`The database file is damaged: ${file.damage} ${whatToDo}`);
    const documents = full ? await checkEverything() : undefined;
    const indexes = await ensureIndexes();
    await fillWords();
    const finishedDeletions = await finishDeletions();
    const administrators = await countAdministrators();
    const lines = Object.entries(indexes).map(([collection, count]) => `${collection}: ${count} indexes`);
    if (documents) lines.push(...countLines(documents));
    if (finishedDeletions > 0) lines.push(`interrupted deletions, now finished: ${finishedDeletions}`);
    lines.push(`administrators: ${administrators}`);
    if (file?.dropped) lines.push(file.dropped);
    const data = { indexes, documents, finished_deletions: finishedDeletions, administrators, dropped: file?.dropped };
    return { data, text: lines.join('\n') };
  },
  'database restored': async () => {
    await renewEpoch();
    return { data: {}, text: 'Clients will read everything again.' };
  },
  backup: async ([word = ''], _options, { stderr }) => {
    const directory = resolve(word);
    try {
      const documents = await backUp(directory);
      const { dropped } = await readFileState();
      if (dropped) print(stderr, dropped);
      const lines = [`The database was copied into ${directory}, and the copy is right.`, ...countLines(documents)];
      return { data: { directory, documents, dropped }, text: lines.join('\n') };
    } catch (error) {
      if (!isDamagedDatabase(error)) throw error;
      throw new Error(`${(error as Error).message} Nothing was kept. ${whatToDo}`);
    }
  },
};

const countLines = (documents: CopyCounts) => Object.entries(documents).map(([name, count]) => `${name}: ${count} documents`);

const whatToDo = "Keep your earlier backups; see 'When the file is damaged' in docs/operating.md.";
