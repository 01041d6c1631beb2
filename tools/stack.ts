import { SourceMap } from 'node:module';
import { buffer, text } from 'node:stream/consumers';
import { type Entry, openPromise } from 'yauzl';

/*
 * `npm run --silent stack -- source-maps.zip < log` replaces bundle positions in stack traces, as
 * logged by a deployment on AWS, by source positions.
 */

const [archive] = process.argv.slice(2);
if (archive === undefined) {
  process.stderr.write('Usage: npm run --silent stack -- <source-maps.zip> < <log>\n');
  process.exit(2);
}

/** A position in a bundle: file, line and column. It may be part of a JSON line. */
const place = /(?:file:\/\/)?\/var\/task\/(functions\/[\w-]+\.mjs|hosts\/aws\/runtime\/[\w-]+\.mjs):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap>();
const log = await text(process.stdin);
const wanted = new Set([...log.matchAll(place)].map(([, file]) => `${file}.map`));
const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
  if (!wanted.has(entry.fileName)) continue;
  const map = await buffer(await zip.openReadStreamPromise(entry));
  maps.set(entry.fileName, new SourceMap(JSON.parse(map.toString())));
}
zip.close();

process.stdout.write(
  log.replaceAll(place, (written, file: string, line: string, column: string) => {
    const entry = maps.get(`${file}.map`)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return written;
    return `${entry.originalSource.replace(/^(\.\.\/)+/, '')}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  }),
);
