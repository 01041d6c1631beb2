import { describe, expect, it } from 'vitest';
import { isAddress, namesIn, splitTyped } from '../src/view/text/picked.ts';

describe('the text in a field for people', () => {
  it.each([
    ['a name that is being typed', 'han', [], 'han'],
    ['a full name, which has a blank', 'maria lind', [], 'maria lind'],
    ['a name before a comma', 'hanna, ma', ['hanna'], 'ma'],
    ['names on lines of their own', '@hanna\nmaria;kenji\n', ['hanna', 'maria', 'kenji'], ''],
    ['an address that is being typed', 'ann@example.org', [], 'ann@example.org'],
    ['an address before a blank', 'ann@example.org ', ['ann@example.org'], ''],
    [
      'addresses that were pasted',
      'ann@example.org bob@example.org\tcarol@example.net',
      ['ann@example.org', 'bob@example.org', 'carol@example.net'],
      '',
    ],
    ['addresses as a mail program writes them', 'ann@example.org, bob@example.org; ', ['ann@example.org', 'bob@example.org'], ''],
    ['nothing', '', [], ''],
    ['separators alone', ' ,; ', [], ''],
  ])('of %s, the complete parts become chips', (_what, typed, done, rest) => {
    expect(splitTyped(typed)).toEqual({ done, rest });
  });

  it('a form gets usernames and addresses apart, with or without the sign of a mention', () => {
    expect(namesIn(' @hanna maria,kenji;  ann@example.org\n')).toEqual(['hanna', 'maria', 'kenji', 'ann@example.org']);
  });

  it.each([
    ['ann@example.org', true],
    ['@hanna', false],
    ['hanna', false],
    ['ann@localhost', false],
    ['ann@example.', false],
    ['a b@example.org', false],
  ])('%s is an address: %s', (text, expected) => {
    expect(isAddress(text)).toBe(expected);
  });
});
