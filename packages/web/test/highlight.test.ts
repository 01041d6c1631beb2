import { describe, expect, it } from 'vitest';
import { said, searches } from '../../../test/corpora/searches.ts';
import { partsOf } from '../src/text/highlight.ts';

const markedIn = (text: string, sought: string) =>
  partsOf(text, sought)
    .filter(({ isSought }) => isSought)
    .map(({ text }) => text);

describe('the result of a search', () => {
  it.each(searches)('the matches of a search are marked, and the text stays complete: %s: %j', (_what, sought, found) => {
    for (const name of found) {
      expect(
        partsOf(said[name], sought)
          .map(({ text }) => text)
          .join(''),
      ).toBe(said[name]);
      expect(markedIn(said[name], sought)).not.toEqual([]);
    }
  });

  it('the matches of a search are marked as they are written in the text', () => {
    expect(markedIn('Frau Müller und Herr Mueller', 'mueller')).toEqual(['Müller', 'Mueller']);
    expect(markedIn('ｶﾞｲﾄﾞﾌﾞｯｸを見る', 'ガイド')).toEqual(['ｶﾞｲﾄﾞ']);
    expect(markedIn('한국어'.normalize('NFD'), '한국')).toEqual(['한국'.normalize('NFD')]);
    expect(markedIn('so long 👋🏽', '👋')).toEqual(['👋🏽']);
    expect(markedIn('The ﬁnal oﬃce', 'final')).toEqual(['ﬁnal']);
    expect(markedIn('onboarding', 'onboard')).toEqual(['onboard']);
  });
});
