import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Words that plain English does without; "no more than", "no more pages than" and the like compare, and are plain. */
const unwanted = /\b(whoever|anew|as ever|from when on|any more|no more(?!( \w+){0,2} than))\b/i;

/** Files that are generated, consist of texts in many languages or of what users type, or name the words themselves. */
const excluded = [
  'docs/api.md',
  'packages/client/src/contract.ts',
  'packages/rules/test/texts.ts',
  'packages/web/test/tabs.ci.test.ts',
  'test/corpora/',
  'test/words.test.ts',
];

const folders = ['admin', 'docs', 'functions', 'hosts', 'lib', 'packages', 'test', 'tools'];
const sources = [
  ...readdirSync('.').filter((file) => file.endsWith('.md')),
  ...folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))),
].filter(
  (file) =>
    /\.(tsx?|md)$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file) && !excluded.some((path) => file.startsWith(path)),
);

it('the sources use none of the words that are not plain English', () => {
  expect(sources.length).toBeGreaterThan(500);
  const found = sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (unwanted.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
