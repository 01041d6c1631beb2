import { describe, expect, it } from 'vitest';
import { comparePersons, matchesName, matchesPerson } from '../src/words/names.ts';

describe('names that match typed text', () => {
  it.each([
    ['the beginning of a later word', 'All hands', 'hands'],
    ['the beginnings of two words', 'All hands', 'all ha'],
    ['words in another order', 'All hands', 'hands all'],
    ['two letters for an umlaut', 'Büro Köln', 'buero koeln'],
    ['an umlaut for two letters', 'Buero', 'büro'],
    ['part of a script without spaces', '项目讨论', '讨论'],
    ['hiragana for katakana', 'ラーメン部', 'らーめん'],
    ['a word after a hyphen', 'dev-ops', 'ops'],
    ['its sign', '#general', '#gen'],
    ['a sign that it lacks', 'general', '#gen'],
    ['an at sign', 'bob', '@bob'],
    ['signs within it', 'R&D', 'r&d'],
    ['the name of an emoji room', '🎉party', 'party'],
    ['a number', 'team42', '42'],
  ])('a name is found by %s', (_what, name, typed) => expect(matchesName(name, typed)).toBe(true));

  it.each([
    ['a part within a word', 'joanna', 'anna'],
    ['one word that it lacks', 'All hands', 'all feet'],
    ['two letters that are no umlaut', 'trug', 'true'],
  ])('a name is not found by %s', (_what, name, typed) => expect(matchesName(name, typed)).toBe(false));

  it('names that begin with the typed text come first', () => {
    const people = ['bob.anna', 'zoe', 'anna'].map((username) => ({ username, name: username === 'zoe' ? 'Anna Zoe' : 'Bo' }));
    expect(people.sort(comparePersons('@Anna')).map(({ username }) => username)).toEqual(['anna', 'zoe', 'bob.anna']);
  });

  it.each(['zo', 'Bäcker', 'anne zoe', 'zoe b'])('a person is found by %s', (typed) =>
    expect(matchesPerson({ username: 'zoe', name: 'Anne-Marie Baecker' }, typed)).toBe(true),
  );
});
