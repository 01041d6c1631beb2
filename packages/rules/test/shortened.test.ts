import { beginningOf, shortened } from 'chat-service-rules/shortened';
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

  it('a text that is one letter with thousands of marks is cut, not dropped', () => {
    const text = `a${'\u0301'.repeat(5_000)}`;
    expect(beginningOf(text, 200)).toHaveLength(200);
  });
});
