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
import { bringFiles, copyFiles } from '../../lib/files/copies.ts';
import { forgetDayCounts } from '../../lib/messages/daily-counts.ts';
import { fillWords } from '../../lib/messages/search/fill-words.ts';
import { collectionNames } from '../../lib/operating/prepare.ts';
import type { Result, Run, Streams } from '../command.ts';
import { confirm } from '../confirm.ts';
import { print } from '../output.ts';
import { progressBar } from '../progress.ts';
import { onData, recorded, recordedAfter, recordedIfPossible } from '../recorded.ts';

export const transferCommands: Record<string, Run> = {
  export: async ([file = ''], options, streams) => {
    if (await replacesFile(file))
      await confirm(`Replace ${file}?`, options.force === true, streams, `${file} exists: pass --force to replace it.`);
    const leftOut: string[] = [];
    const skipDamaged = options['skip-damaged'] === true;
    const result = await transfer(streams, async (progress) => {
      const exported = await recordedIfPossible(onData('data.exported', { file: basename(file) }), streams.stderr, () =>
        exportTo(file, { collections: collectionNames, skipDamaged, progress }),
      );
      leftOut.push(...exported.leftOut);
      for (const [name, count] of Object.entries(exported.unreadable))
        if (count > 0) print(streams.stderr, `Left out: ${count} documents of ${name} that cannot be read.`);
      return exported.documents;
    });
    if (leftOut.length > 0)
      print(streams.stderr, `Left out, because they are not collections of the service: ${leftOut.join(', ')}.`);
    if (result.data.documents.users === undefined || result.data.documents.users === 0)
      print(streams.stderr, 'There are no users in this database: is it the right one? DATA_DIR or MONGODB_URI names it.');
    const files = isStandardOutput(file) ? undefined : await copyFiles(filesBeside(file));
    if (files && files.files > 0) print(streams.stderr, `The bytes of ${files.files} files are in ${filesBeside(file)}.`);
    return { ...result, isNote: isStandardOutput(file) };
  },
  import: ([file = ''], _options, streams) =>
    transfer(streams, async (progress) => {
      const trail = await trailOfImport(entriesIn(file, collectionNames));
      const work = async () => {
        const skip = trail === 'taken' ? [] : trailCollections;
        const documents = await importFrom(file, collectionNames, progress, { skip });
        // What the overview had counted of days before was counted without these messages.
        await forgetDayCounts();
        await fillBeginnings({ from: 'start' });
        await fillWords({ from: 'start' });
        return { documents, brought: await bringFiles(filesBeside(file)) };
      };
      const acts = onData('data.imported', { file: basename(file) });
      // An entry that came first would not be in the trail that takes the place of this one.
      const { documents, brought } = await (trail === 'taken' ? recordedAfter(acts, work) : recorded(acts, work));
      if (trail === 'left out') print(streams.stderr, 'The audit trail of the file was left out: this database has another one.');
      if (brought === undefined && existsSync(filesBeside(file)))
        print(streams.stderr, `The bytes in ${filesBeside(file)} were left there: set FILES, and import again.`);
      return documents;
    }),
};

/** Where the bytes of the files are that an export has. */
const filesBeside = (file: string) => `${file}.files`;

async function transfer(
  { stderr }: Streams,
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
