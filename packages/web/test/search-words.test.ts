import { describe, expect, it } from 'vitest';
import { readTyped } from '../src/store/search-words.ts';

const now = new Date(2026, 10, 28, 9);

describe('the operators of a search', () => {
  it.each<[typed: string, expected: object]>([
    ['release notes', { words: 'release notes' }],
    ['from:hanna release', { words: 'release', from: 'hanna' }],
    ['release from:@hanna', { words: 'release', from: 'hanna' }],
    ['from:"Hanna Vogel" release', { words: 'release', from: 'Hanna Vogel' }],
    ['in:#design in the table', { words: 'in the table', in: 'design' }],
    ['has:files HAS:link logo', { words: 'logo', has: 'link' }],
    ['on:today logo', { words: 'logo', since: '2026-11-28', until: '2026-11-28' }],
    ['on:yesterday logo', { words: 'logo', since: '2026-11-27', until: '2026-11-27' }],
    ['after:2026-02-28 before:2026-03-02 logo', { words: 'logo', since: '2026-03-01', until: '2026-03-01' }],
    // Operators without a meaning are searched for as they were typed.
    ['has:everything from: on:2026-02-31x', { words: 'has:everything from: on:2026-02-31x' }],
    ['after:tomorrow', { words: 'after:tomorrow' }],
    ['mail-from:hanna http://in:8080', { words: 'mail-from:hanna http://in:8080' }],
    ['  ', { words: '' }],
  ])('%j', (typed, expected) => {
    expect(readTyped(typed, now)).toEqual(expected);
  });
});
