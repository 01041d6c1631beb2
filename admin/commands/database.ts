import { resolve } from 'node:path';
import { finishDeletions } from '../../lib/accounts/deletion.ts';
import { fillBeginnings } from '../../lib/accounts/fill-beginnings.ts';
import { countAdministrators } from '../../lib/accounts/last-admin.ts';
import { type CopyCounts, checkEverything } from '../../lib/database/backup.ts';
import { renewEpoch } from '../../lib/database/epoch.ts';
import { isDamagedDatabase } from '../../lib/database/failures.ts';
import { acknowledgeDamage, checkAllPages, readFileState } from '../../lib/database/file-state.ts';
import { backUpAll, checkFiles, type FileCounts } from '../../lib/files/copies.ts';
import { sweepFiles } from '../../lib/files/removal.ts';
import { fillWords } from '../../lib/messages/search/fill-words.ts';
import { ensureIndexes } from '../../lib/operating/prepare.ts';
import { finishRoomDeletions } from '../../lib/rooms/deletion.ts';
import type { Run, Streams } from '../command.ts';
import { print } from '../output.ts';
import { progressLine } from '../progress.ts';
import { onData, recorded, recordedIfPossible } from '../recorded.ts';

export const databaseCommands: Record<string, Run> = {
  'database check': async (_operands, { full }, { stderr }) => {
    const file = await checkAllPages();
    if (file?.damage) throw new Error(`The database file is damaged: ${file.damage} ${whatToDo}`);
    const documents = full ? await withProgress(stderr, checkEverything) : undefined;
    const indexes = await ensureIndexes();
    // Includes names that an earlier version changed since, because it may have served
    // concurrently.
    await fillBeginnings({ from: 'start' });
    await fillWords();
    const finishedDeletions = (await finishDeletions()) + (await finishRoomDeletions());
    const administrators = await countAdministrators();
    const { removed, orphans } = await sweepFiles({ isThorough: true });
    const found = await checkFiles();
    const files = found && { ...found, removed: removed + orphans };
    const lines = Object.entries(indexes).map(([collection, count]) => `${collection}: ${count} indexes`);
    if (documents) lines.unshift('The database is healthy: all pages, documents and index entries are valid.');
    else if (file) lines.unshift('No page of the database is damaged.');
    if (documents) lines.push(...countLines(documents));
    if (finishedDeletions > 0) lines.push(`interrupted deletions, now finished: ${finishedDeletions}`);
    if (files) lines.push(filesLine(files));
    if (files && files.removed > 0) lines.push(`files without a message, now removed: ${files.removed}`);
    lines.push(`administrators: ${administrators}`);
    if (file?.dropped) lines.push(file.dropped);
    const data = { indexes, documents, finished_deletions: finishedDeletions, files, administrators, dropped: file?.dropped };
    return { data, text: lines.join('\n') };
  },
  'database acknowledge': async (_operands, _options, { stderr }) => {
    const before = await recordedIfPossible(onData('data.loss_acknowledged'), stderr, acknowledgeDamage);
    const lines = [before?.dropped, before?.damage].filter((line) => line !== undefined);
    return { data: { ...before }, text: lines.length > 0 ? lines.join('\n') : 'There is nothing to acknowledge.' };
  },
  'database restored': async () => {
    await recorded(onData('data.restored'), renewEpoch);
    return { data: {}, text: 'Clients will read everything again.' };
  },
  backup: async ([word = ''], _options, { stderr }) => {
    const directory = resolve(word);
    const copy = (progress: (what: string) => void) => backUpAll(directory, progress);
    const { documents, files } = await recordedIfPossible(onData('data.backed_up', { directory }), stderr, () =>
      withProgress(stderr, copy, 'Nothing was kept.'),
    );
    const { dropped } = await readFileState();
    if (dropped) print(stderr, dropped);
    const lines = [`The database was copied into ${directory}, and the copy is valid.`, ...countLines(documents)];
    if (files) lines.push(filesLine(files));
    return { data: { directory, documents, files, dropped }, text: lines.join('\n') };
  },
};

/**
 * Runs some work and shows its progress on a terminal. If it finds damage, the error says what to
 * do.
 */
async function withProgress<T>(
  stderr: Streams['stderr'],
  work: (progress: (what: string) => void) => Promise<T>,
  outcome = '',
): Promise<T> {
  const line = progressLine(stderr);
  try {
    return await work(line.update);
  } catch (error) {
    if (!isDamagedDatabase(error)) throw error;
    throw new Error([(error as Error).message, outcome, whatToDo].filter(Boolean).join(' '));
  } finally {
    line.end();
  }
}

const countLines = (documents: CopyCounts) => Object.entries(documents).map(([name, count]) => `${name}: ${count} documents`);

const filesLine = ({ files, missing }: FileCounts) =>
  `files: ${files}${missing > 0 ? ` (the bytes of ${missing} are missing)` : ''}`;

const whatToDo = "Keep your earlier backups; see 'When the file is damaged' in docs/operating.md.";
