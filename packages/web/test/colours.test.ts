import { assert, asyncProperty, constantFrom, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodePiece, colour } from '../src/text/colours.ts';

const textOf = (pieces: CodePiece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(piece.pieces))).join('');
const kindsIn = (pieces: CodePiece[]): string[] =>
  pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.kind, ...kindsIn(piece.pieces)]));

describe('code in colours', () => {
  it.each([
    ['ts', 'const answer = "42"; // of course', ['keyword', 'string', 'comment']],
    ['Python', 'def answer():\n    return 42', ['keyword', 'title', 'number']],
    ['sh', 'echo "$HOME"', ['string', 'name']],
    ['json', '{"answer": 42}', ['name', 'number']],
    ['diff', '-old\n+new', ['removed', 'added']],
    ['html', '<p class="x">Hello</p>', ['keyword', 'name', 'string']],
  ])('code in %s has the colours of its words', async (language, code, kinds) => {
    const pieces = (await colour(code, language)) ?? [];
    expect(kindsIn(pieces)).toEqual(expect.arrayContaining(kinds));
    expect(textOf(pieces)).toBe(code);
  });

  it('highlighted code has exactly the text that was written', async () => {
    const languages = constantFrom('ts', 'py', 'sql', 'html', 'css', 'yaml', 'md', 'bash', 'rust', 'diff');
    await assert(
      asyncProperty(languages, string({ unit: 'grapheme', maxLength: 200 }), async (language, code) => {
        expect(textOf((await colour(code, language)) ?? [])).toBe(code);
      }),
    );
  });

  it.each([
    ['in a language that nobody knows', 'x', 'klingon'],
    ['in a name of every object', 'x', 'constructor'],
    ['of more than 20 000 characters', 'x'.repeat(20_001), 'ts'],
  ])('code gets no colours %s', async (_what, code, language) => {
    expect(await colour(code, language)).toBe(undefined);
  });
});
