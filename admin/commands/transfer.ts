import {
  type Counts,
  exportTo,
  importFrom,
  isStandardOutput,
  type Progress,
  replacesFile,
} from '../../lib/database/export-import.ts';
import { fillWords } from '../../lib/messages/fill-words.ts';
import type { Result, Run, Streams } from '../command.ts';
import { confirm } from '../confirm.ts';
import { print } from '../output.ts';
import { progressBar } from '../progress.ts';

export const transferCommands: Record<string, Run> = {
  export: async ([file = ''], options, streams) => {
    if (await replacesFile(file))
      await confirm(`Replace ${file}?`, options.force === true, streams, `${file} exists: pass --force to replace it.`);
    const result = await transfer(streams, (progress) => exportTo(file, progress));
    if (result.data.documents.users === undefined || result.data.documents.users === 0)
      print(streams.stderr, 'There are no users in this database: is it the right one? DATA_DIR or MONGODB_URI names it.');
    return { ...result, isNote: isStandardOutput(file) };
  },
  import: ([file = ''], _options, streams) =>
    transfer(streams, async (progress) => {
      const documents = await importFrom(file, progress);
      await fillWords({ from: 'start' });
      return documents;
    }),
};

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
