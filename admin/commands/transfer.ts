import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fillBeginnings } from '../../lib/accounts/fill-beginnings.ts';
import { trailCollections, trailOfImport } from '../../lib/audit/import.ts';
import {
  type Counts,
  entriesIn,
  exportTo,
  importFrom,
  isStandardOutput,
  type Progress,
  replacesFile,
} from '../../lib/database/export-import.ts';
import { bringFiles, copyFiles, type FileCounts, storedFilesAmong } from '../../lib/files/copies.ts';
import { forgetDayCounts } from '../../lib/messages/daily-counts.ts';
import { fillWords } from '../../lib/messages/search/fill-words.ts';
import { interruptImported } from '../../lib/messages/streaming/end.ts';
import { collectionNames } from '../../lib/operating/prepare.ts';
import type { Result, Run, Streams } from '../command.ts';
import { confirm } from '../confirm.ts';
import { openLeftovers, withDamagedDatabase } from '../leftovers.ts';
import { print } from '../output.ts';
import { progressBar } from '../progress.ts';
import { onData, recorded, recordedAfter, recordedIfPossible } from '../recorded.ts';

export const transferCommands: Record<string, Run> = {
  export: async ([file = ''], options, streams) => {
    if (await replacesFile(file))
      await confirm(`Replace ${file}?`, options.force === true, streams, `${file} exists: pass --force to replace it.`);
    const { result, leftOut, files } = await (options['skip-damaged'] === true ? exportLeftovers : exportAll)(file, streams);
    if (leftOut.length > 0)
      print(streams.stderr, `Left out, because they are not collections of the service: ${leftOut.join(', ')}.`);
    if (result.data.documents.users === undefined || result.data.documents.users === 0)
      print(streams.stderr, 'This database does not contain users. Check DATA_DIR or MONGODB_URI.');
    if (files && files.files > 0) print(streams.stderr, `The bytes of ${files.files} files are in ${filesBeside(file)}.`);
    return { ...result, isNote: isStandardOutput(file) };
  },
  import: ([file = ''], _options, streams) =>
    transfer(streams, async (progress) => {
      const trail = await trailOfImport(entriesIn(file, collectionNames));
      const work = async () => {
        const skip = trail === 'taken' ? [] : trailCollections;
        const documents = await importFrom(file, collectionNames, progress, { skip });
        // The saved counts of these days do not include the imported messages.
        await forgetDayCounts();
        await interruptImported();
        await fillBeginnings({ from: 'start' });
        await fillWords({ from: 'start' });
        return { documents, brought: await bringFiles(filesBeside(file)) };
      };
      const acts = onData('data.imported', { file: basename(file) });
      // A recorded entry would be lost if it came before the import, which replaces this log.
      const { documents, brought } = await (trail === 'taken' ? recordedAfter(acts, work) : recorded(acts, work));
      if (trail === 'left out') print(streams.stderr, 'The audit log of the file was left out: this database has another one.');
      if (brought === undefined && existsSync(filesBeside(file)))
        print(streams.stderr, `The bytes in ${filesBeside(file)} were left there: set FILES, and import again.`);
      return documents;
    }),
};

type ExportOutcome = { result: Result & { data: { documents: Counts } }; leftOut: string[]; files: FileCounts | undefined };

const exported = (file: string) => onData('data.exported', { file: basename(file) });

async function exportAll(file: string, streams: Streams): Promise<ExportOutcome> {
  const leftOut: string[] = [];
  const result = await transfer(streams, async (progress) => {
    const report = await recordedIfPossible(exported(file), streams.stderr, () =>
      exportTo(file, { collections: collectionNames, progress }),
    );
    leftOut.push(...report.leftOut);
    return report.documents;
  });
  return { result, leftOut, files: isStandardOutput(file) ? undefined : await copyFiles(filesBeside(file)) };
}

/**
 * Exports what can be read of a damaged database. Its files are read before the database is opened
 * for the entry in the audit log.
 */
async function exportLeftovers(file: string, { stderr }: Streams): Promise<ExportOutcome> {
  const leftovers = await openLeftovers();
  try {
    const leftOut: string[] = [];
    const result = await transfer({ stderr }, async (progress) => {
      const report = await exportTo(file, { collections: collectionNames, progress, source: leftovers });
      leftOut.push(...report.leftOut);
      for (const sentence of leftovers.losses()) print(stderr, sentence);
      return report.documents;
    });
    const documents = storedFilesAmong(leftovers.read('files'));
    const files = isStandardOutput(file) ? undefined : await copyFiles(filesBeside(file), documents);
    await withDamagedDatabase(stderr, () => recordedIfPossible(exported(file), stderr, async () => {}));
    return { result, leftOut, files };
  } finally {
    await leftovers.close();
  }
}

/** The directory with the bytes of an export's files. */
const filesBeside = (file: string) => `${file}.files`;

async function transfer(
  { stderr }: Pick<Streams, 'stderr'>,
  work: (progress: Progress) => Promise<Counts>,
): Promise<Result & { data: { documents: Counts } }> {
  const bar = progressBar(stderr);
  try {
    const documents = await work(bar.update);
    const lines = Object.entries(documents).map(([collection, count]) => `${collection}: ${count} documents`);
    return { data: { documents }, text: lines.join('\n') };
  } finally {
    bar.end();
  }
}
