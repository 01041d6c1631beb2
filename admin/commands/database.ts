import { resolve } from 'node:path';
import { finishDeletions } from '../../lib/accounts/deletion.ts';
import { fillBeginnings } from '../../lib/accounts/fill-beginnings.ts';
import { countAdministrators } from '../../lib/accounts/last-admin.ts';
import { type CopyCounts, checkEverything } from '../../lib/database/backup.ts';
import { renewEpoch } from '../../lib/database/epoch.ts';
import { isDamagedDatabase } from '../../lib/database/failures.ts';
import { checkAllPages, readFileState } from '../../lib/database/file-state.ts';
import { backUpAll, checkFiles, type FileCounts } from '../../lib/files/copies.ts';
import { sweepFiles } from '../../lib/files/removal.ts';
import { fillWords } from '../../lib/messages/search/fill-words.ts';
import { ensureIndexes } from '../../lib/operating/prepare.ts';
import { finishRoomDeletions } from '../../lib/rooms/deletion.ts';
import type { Run } from '../command.ts';
import { print } from '../output.ts';
import { onData, recorded, recordedIfPossible } from '../recorded.ts';

export const databaseCommands: Record<string, Run> = {
  'database check': async (_operands, { full }) => {
    const file = await checkAllPages();
    if (file?.damage) throw new Error(`The database file is damaged: ${file.damage} ${whatToDo}`);
    const documents = full ? await checkEverything() : undefined;
    const indexes = await ensureIndexes();
    // Also what an earlier version renamed since: it may have served beside this one.
    await fillBeginnings({ from: 'start' });
    await fillWords();
    const finishedDeletions = (await finishDeletions()) + (await finishRoomDeletions());
    const administrators = await countAdministrators();
    const { removed, orphans } = await sweepFiles({ isThorough: true });
    const found = await checkFiles();
    const files = found && { ...found, removed: removed + orphans };
    const lines = Object.entries(indexes).map(([collection, count]) => `${collection}: ${count} indexes`);
    if (documents) lines.push(...countLines(documents));
    if (finishedDeletions > 0) lines.push(`interrupted deletions, now finished: ${finishedDeletions}`);
    if (files) lines.push(filesLine(files));
    if (files && files.removed > 0) lines.push(`files without a message, now removed: ${files.removed}`);
    lines.push(`administrators: ${administrators}`);
    if (file?.dropped) lines.push(file.dropped);
    const data = { indexes, documents, finished_deletions: finishedDeletions, files, administrators, dropped: file?.dropped };
    return { data, text: lines.join('\n') };
  },
  'database restored': async () => {
    await recorded(onData('data.restored'), renewEpoch);
    return { data: {}, text: 'Clients will read everything again.' };
  },
  backup: async ([word = ''], _options, { stderr }) => {
    const directory = resolve(word);
    try {
      const { documents, files } = await recordedIfPossible(onData('data.backed_up', { directory }), stderr, () =>
        backUpAll(directory),
      );
      const { dropped } = await readFileState();
      if (dropped) print(stderr, dropped);
      const lines = [`The database was copied into ${directory}, and the copy is right.`, ...countLines(documents)];
      if (files) lines.push(filesLine(files));
      return { data: { directory, documents, files, dropped }, text: lines.join('\n') };
    } catch (error) {
      if (!isDamagedDatabase(error)) throw error;
      throw new Error(`${(error as Error).message} Nothing was kept. ${whatToDo}`);
    }
  },
};

const countLines = (documents: CopyCounts) => Object.entries(documents).map(([name, count]) => `${name}: ${count} documents`);

const filesLine = ({ files, missing }: FileCounts) =>
  `files: ${files}${missing > 0 ? `, of which the bytes of ${missing} are missing` : ''}`;

const whatToDo = "Keep your earlier backups; see 'When the file is damaged' in docs/operating.md.";
