import { Reader } from 'chat-service-rules/formats/reader';
import { beginningOf, firstCharacters, shortened } from 'chat-service-rules/shortened';
import { describe, expect, it } from 'vitest';

const family = '👨‍👩‍👧‍👦';

describe('a text that is shortened', () => {
  it.each<[string, string, number, string]>([
    ['stays as it is if it fits', 'Hello', 5, 'Hello'],
    ['ends in an ellipsis', 'Hello world', 7, 'Hello…'],
    ['has no half of an emoji', `ab${family}cd`, 6, 'ab…'],
    ['has no half of a flag', 'ab🇩🇪cd', 6, 'ab…'],
    ['has no letter without its accents', 'abe\u0301\u0302cd', 5, 'ab…'],
    ['has the whole emoji that still fits', `ab${family}cdef`, 14, `ab${family}…`],
  ])('a text that is shortened %s', (_what, text, most, expected) => {
    expect(shortened(text, most)).toBe(expected);
  });

  it.each<[string, string, number, string]>([
    ['is as long as it may be', '😀😀😀', 3, '😀😀😀'],
    ['has too many characters outside the basic plane', '😀😀😀', 2, '😀😀'],
    ['has half of an emoji at the limit', `ab${family}`, 5, 'ab'],
    ['has half of a flag at the limit', 'ab🇩🇪', 3, 'ab'],
    ['has half of a surrogate pair at the limit', 'ab\ud83d', 2, 'ab'],
  ])('a text that is cut by characters %s', (_what, text, most, expected) => {
    expect(firstCharacters(text, most)).toBe(expected);
  });

  it('a text of another program is cut between two characters', () => {
    const text = new Reader(`${'x'.repeat(19_999)}😀😀`).text();
    expect(text).toBe(`${'x'.repeat(19_999)}😀`);
  });

  it('a text that is one letter with thousands of marks is cut, not dropped', () => {
    const text = `a${'\u0301'.repeat(5_000)}`;
    expect(beginningOf(text, 200)).toHaveLength(200);
  });
});
