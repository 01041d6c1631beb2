import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/characters.ts';
import { growth, linear } from '../../../test/support/growth.ts';
import { normaliseReaction } from '../src/reactions.ts';
import { findControlCharacter, isBlank, normaliseCredential, normaliseName, normaliseText } from '../src/texts.ts';

describe('a text as it is stored', () => {
  it.each([
    ['line breaks of Windows', 'a\r\nb\r\n', 'a\nb\n'],
    ['line breaks of old Macs and of progress bars', '10 %\r20 %\r', '10 %\n20 %\n'],
    ['line breaks of slides', 'a\vb', 'a\nb'],
    ['form feeds', 'a\fb', 'a\nb'],
    ['next lines', 'a\u0085b', 'a\nb'],
    ['separators of lines and of paragraphs', 'a\u2028b\u2029c', 'a\nb\nc'],
    ['colours', '\u001b[1;31mFAIL\u001b[0m test \u001b[38;2;10;20;30mok\u001b[m', 'FAIL test ok'],
    ['colours with colons', '\u001b[4:3mwavy\u001b[24m', 'wavy'],
    ['movements of a cursor before a line break', 'a\r\u001b[2K\nb', 'a\nb'],
    ['modes of a terminal', '\u001b[?25l...\u001b[?2004h', '...'],
    ['introducers of one character', '\u009b31mred\u009b0m \u009d0;title\u009cdone', 'red done'],
    ['titles', '\u001b]0;build #7\u0007started \u001b]2;done\u001b\\', 'started '],
    ['links', '\u001b]8;;https://example.org\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['character sets and single functions', '\u001b(B\u001b7text\u001b8\u001b=\u001bc', 'text'],
    ['a sequence that is cut off', 'end \u001b[38;5', 'end '],
    ['a title that is cut off', 'a \u001b]0;title', 'a 0;title'],
    ['a lone escape', 'a\u001b', 'a'],
    ['an escape before an escape', '\u001b\u001b[31m[31m', '[31m'],
  ])('a text is stored without %s', (_what, sent, stored) => {
    expect(normaliseText(sent)).toBe(stored);
    expect(findControlCharacter(stored)).toBeUndefined();
  });

  it.each([
    ['tabs and blanks', ' a\tb \n '],
    ['families of emoji', '👨‍👩‍👧‍👦 and 👩🏽‍💻'],
    ['selectors', '❤️ and ❤ and ☎︎'],
    ['flags of tags', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['joiners of Persian and Hindi', 'می‌خواهم क्‍ष'],
    ['marks of direction', '\u2067שלום\u2069 \u200eabc'],
    ['Vietnamese in either encoding', 'Tiếng Việt Tiê\u0301ng Viê\u0323t'],
    ['Tibetan stacks', 'རྣམ་རྒྱལ་'],
    ['a vowel that is drawn out', `वा${'ा'.repeat(40)}ह`],
  ])('a stored text keeps %s', (_what, text) => {
    expect(normaliseText(text)).toBe(text);
  });

  it('a stored text has at most 20 marks on a letter, also with joiners between them', () => {
    expect(normaliseText(`Z${'\u0301'.repeat(500)}a`)).toBe(`Z${'\u0301'.repeat(20)}a`);
    expect(normaliseText(`Z${'\u0301\u200d\u034f\ufe0f'.repeat(100)}`).match(/\p{M}/gu)).toHaveLength(20);
    expect(normaliseText(`Z${'\u0e49'.repeat(21)} Y${'\u0301'.repeat(20)}`)).toBe(
      `Z${'\u0e49'.repeat(20)} Y${'\u0301'.repeat(20)}`,
    );
  });

  it('any stored text stays the same when it is stored again', () => {
    const piece = constantFrom(
      '\u001b',
      '[',
      ']',
      '0',
      ';',
      'm',
      '\r',
      '\n',
      '\u009b',
      '\u009d',
      '\u0007',
      '\\',
      'Z',
      '\u0301',
      ' ',
    );
    assert(
      property(array(piece, { maxLength: 40 }), (pieces) => {
        const stored = normaliseText(pieces.join(''));
        return normaliseText(stored) === stored && normaliseName(normaliseName(stored)) === normaliseName(stored);
      }),
      { numRuns: 1_000 },
    );
    assert(property(string({ unit: anyCharacter }), (text) => normaliseText(normaliseText(text)) === normaliseText(text)));
  });

  it.each([
    '\u001b',
    '\u001b]',
    '\u009d',
    '\u001b[',
    '\u001b[0;',
    '\u0301',
    ' ',
    '\r',
    '\u200b',
    '\u2800',
    'a\u0301\u200d',
    '[ ',
  ])('storing a text takes time in proportion to its length when it repeats %j', (piece) => {
    const works = [normaliseText, normaliseName, normaliseCredential, isBlank, findControlCharacter, normaliseReaction];
    const run = (length: number) => works.map((work) => work(`${piece.repeat(length / piece.length)}x`));
    expect(growth(run)).toBeLessThan(linear);
  });
});

describe('a control character', () => {
  it('a control character is found with its line and its position in it', () => {
    expect(findControlCharacter('a\nb🦉\u0007c')).toEqual({ code: 'U+0007', line: 2, character: 3 });
    expect(findControlCharacter('a\tb\nc')).toBeUndefined();
    expect(findControlCharacter('a\u0092b')).toEqual({ code: 'U+0092', line: 1, character: 2 });
  });
});

describe('a blank text', () => {
  it.each([
    ['white space', ' \t\n\u00a0\u3000\u2003'],
    ['an empty Braille cell', '\u2800'],
    ['fillers of Hangul', '\u3164\u115f\u1160\uffa0'],
    ['zero-width spaces and joiners', '\u200b\u200c\u200d\u2060\ufeff'],
    ['marks of direction', '\u200e\u200f\u202a\u202e\u2066\u2069\u061c'],
    ['soft hyphens and selectors', '\u00ad\ufe0f\ufe0e\u{e0100}'],
    ['tags and musical controls', '\u{e0020}\u{e007f}\u{1d173}\u{1d159}'],
    ['vowels of Khmer and Mongolian that nobody sees', '\u17b4\u17b5\u180b\u180e'],
    ['invisible signs of mathematics', '\u2061\u2062\u2063\u2064'],
    ['annotations', '\ufff9\ufffa\ufffb'],
    ['nothing', ''],
  ])('a blank text may consist of %s', (_what, text) => {
    expect(isBlank(text)).toBe(true);
    expect(isBlank(`${text}.${text}`)).toBe(false);
  });
});

describe('a name', () => {
  it.each([
    ['Team\r\nMars', 'Team Mars'],
    ['  Team  Mars\t', '  Team  Mars\t'],
    ['\nTeam\u2028\n\vMars\r\n', 'Team Mars'],
    ['Mars ❤️', 'Mars ❤️'],
    ['\u202eMars\u202c \u2067الفريق\u2069\u200f\u061c', 'Mars الفريق'],
    ['क्\u200d', 'क्\u200d'],
  ])('a name is put on one line, and cannot turn the direction of the text around it: %j becomes %j', (sent, stored) => {
    expect(normaliseName(sent)).toBe(stored);
  });
});

describe('a reaction', () => {
  it.each([
    ['❤', '❤️'],
    ['❤️', '❤️'],
    ['❤︎', '❤️'],
    ['👍️', '👍'],
    ['👍', '👍'],
    ['👍🏽', '👍🏽'],
    ['☝️🏽', '☝🏽'],
    ['1⃣', '1️⃣'],
    ['1️⃣', '1️⃣'],
    ['🏳‍🌈', '🏳️‍🌈'],
    ['🏳️‍🌈', '🏳️‍🌈'],
    ['👁‍🗨', '👁️‍🗨️'],
    ['👩‍❤‍👩', '👩‍❤️‍👩'],
    ['🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['🇩🇪', '🇩🇪'],
    ['©', '©️'],
    [':owl:', ':owl:'],
    ['+1', '+1'],
    ['100', '100'],
    ['1', '1'],
    ['LGTM\u200b', 'LGTM'],
    ['cafe\u0301', 'café'],
    ['ありがとう', 'ありがとう'],
    ['می‌خواهم', 'می‌خواهم'],
    ['धन्यवाद', 'धन्यवाद'],
    ['¯\\_(ツ)_/¯', '¯\\_(ツ)_/¯'],
  ])('a reaction has one form: %s becomes %s', (sent, stored) => {
    expect(normaliseReaction(sent)).toBe(stored);
    expect(normaliseReaction(stored)).toBe(stored);
  });

  it.each([
    ['two emoji', '👍👍'],
    ['emoji that were joined by somebody', '👍\u200d👍\u200d👍\u200d👍\u200d👍'],
    ['a word and an emoji', 'ok👍'],
    ['two words', 'a b'],
    ['two lines', 'a\nb'],
    ['blanks', '\u200b\u2800\u3164'],
    ['an empty text', ''],
    ['words with blanks that nobody sees between them', 'a\u2800b'],
    ['65 characters', 'x'.repeat(65)],
    ['a control character', 'a\u0007'],
    ['a step in a path', '..'],
    ['a step in a path that stays', '.'],
  ])('a reaction cannot be %s', (_what, sent) => {
    expect(normaliseReaction(sent)).toBeUndefined();
  });

  it('a reaction has at most 20 marks on a letter', () => {
    expect(normaliseReaction(`Z${'\u0335'.repeat(40)}`)).toBe(`Z${'\u0335'.repeat(20)}`);
  });
});
