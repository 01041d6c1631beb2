import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { tokensOf } from '../../../lib/messages/search/tokens.ts';

const author = new ObjectId();
const tokensIn = (text: string): string[] => tokensOf({ text }, author).trim().split(' ');

// Next to a text of another script, each run is processed by the rules for all scripts.
const other = ' ж';

describe('the tokens of a message', () => {
  it('a text of ASCII has the same tokens alone as beside a text of another script', () => {
    const word = fc.stringMatching(/^[a-zA-Z]{1,20}$/);
    const vowels = fc.stringMatching(/^[aeouAEOUst]{1,20}$/);
    const between = fc.stringMatching(/^[ -~\n\t]{0,3}$/);
    const text = fc
      .array(fc.oneof(word, vowels, fc.stringMatching(/^\d{1,12}$/), between), { maxLength: 12 })
      .map((parts) => parts.join(''));
    const onlyOther = new Set(tokensIn(other));
    fc.assert(
      fc.property(text, (sent) => {
        const beside = tokensIn(`${sent}${other}`);
        expect(tokensIn(sent).filter((token) => !onlyOther.has(token))).toEqual(beside.filter((token) => !onlyOther.has(token)));
      }),
      { numRuns: 2000 },
    );
  });
});
