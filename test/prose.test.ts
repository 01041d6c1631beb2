import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breaches, type Finding, parts } from './support/prose.ts';

/** How often each part breaks each rule. These numbers may only fall. A missing number is 0. */
const recorded: Record<string, Record<string, number>> = JSON.parse(readFileSync('test/prose.json', 'utf8'));

/** Writes the present counts of a part to the file. */
function record(part: string, counts: Record<string, number>): void {
  recorded[part] = Object.fromEntries(Object.entries(counts).sort());
  writeFileSync('test/prose.json', `${JSON.stringify(recorded, null, 2)}\n`);
}

const listedFindings = 40;
const changedAt = ({ place }: Finding) => statSync(place.split(':')[0] ?? '').mtimeMs;

describe('plain English', () => {
  it.each(Object.entries(parts))('no rule for prose is broken more often than recorded: %s', (part, find) => {
    const byPattern = Object.groupBy(find(), ({ pattern }) => pattern);
    const counts = Object.fromEntries(Object.entries(byPattern).map(([pattern, list = []]) => [pattern, list.length]));
    if (process.env.RECORD_PROSE) record(part, counts);
    const limits = recorded[part] ?? {};
    const tooMany = Object.keys(counts).filter((pattern) => (counts[pattern] ?? 0) > (limits[pattern] ?? 0));
    const listed = tooMany.flatMap((pattern) => byPattern[pattern] ?? []).sort((a, b) => changedAt(b) - changedAt(a));
    const report = listed.slice(0, listedFindings).map(({ pattern, place, text }) => `${place}: ${pattern}: ${text}`);
    // The files that changed last come first.
    expect(
      tooMany.map((pattern) => `${pattern}: ${counts[pattern]}, at most ${limits[pattern] ?? 0}`),
      `Rewrite in plain English:\n${report.join('\n')}\n`,
    ).toEqual([]);
    if (Object.keys(limits).some((pattern) => (counts[pattern] ?? 0) < (limits[pattern] ?? 0)))
      console.info(`Lower the numbers: RECORD_PROSE=1 npx vitest run test/prose.test.ts ("${part}" has fewer).`);
  });

  it.each([
    ['What is damaged is left out.', ['relative opening', 'what is']],
    ['It has no name.', ['is no']],
    ['The key by which it is found.', ['by which']],
    ['The caller is told.', ['is told']],
    ['Only those who are in it.', ['those who']],
    ["Changes one's own name.", ['one as a person']],
    ['It does not exist any more.', ['odd word']],
    [`This sentence has${' very'.repeat(30)} many words.`, ['long sentence']],
    ['`What is damaged` is a heading. What is damaged? The second one is.', []],
  ])('a rule for prose is broken by its example: %s', (text, patterns) => {
    expect(breaches({ file: 'example.md', line: 1, text }).map(({ pattern }) => pattern)).toEqual(patterns);
  });
});
