import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Words that plain English does without; "no more than", "no more pages than" and the like compare, and are plain. */
const unwanted = /\b(whoever|anew|as ever|from when on|any more|no more(?!( \w+){0,2} than))\b/i;

/** Files that are generated, record what was, consist of texts in many languages, or name the words themselves. */
const excluded = [
  'CHANGELOG.md',
  'docs/api.md',
  'packages/client/src/contract.ts',
  'packages/client/test/texts.ts',
  'test/corpora/',
  'test/words.test.ts',
  'tools/bench/',
];

/** Lines that may have the words, because they are not prose about the code. */
const exceptions: [file: string, line: string][] = [
  // The text of an error.
  ['lib/database/backup.ts', "throw new Error('The database does not answer any more.');"],
  ['tools/harness/scrolling.ts', "throw new Error('No more messages came ' + (isUp ? 'before ' : 'after ') + before);"],
  // Text that a user types.
  ['packages/web/test/tabs.test.ts', "await third.keyboard.type(' and no more');"],
  ['packages/web/test/tabs.test.ts', ".toEqual(['', ['once and no more']]);"],
  // The title of a test.
  ['test/lib/identity/write-rate.test.ts', "it('allows one burst and no more', async () => {"],
];

const sources = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.md'], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => file && !/(^|\/)node_modules\//.test(file) && !excluded.some((path) => file.startsWith(path)));

it('the sources use none of the words that are not plain English', () => {
  expect(sources.length).toBeGreaterThan(500);
  const found = sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (unwanted.test(line) ? [{ file, at: at + 1, line: line.trim() }] : [])),
  );
  const allows = ([file, text]: (typeof exceptions)[number], line: (typeof found)[number]) =>
    line.file === file && line.line.includes(text);
  expect(
    found
      .filter((line) => !exceptions.some((exception) => allows(exception, line)))
      .map(({ file, at, line }) => `${file}:${at}: ${line}`),
  ).toEqual([]);
  expect(exceptions.filter((exception) => !found.some((line) => allows(exception, line)))).toEqual([]);
});
