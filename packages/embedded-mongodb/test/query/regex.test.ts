import { describe, expect, it } from 'vitest';
import { compileRegex, literalPrefix } from '../../src/query/regex.ts';
import { GuardedRegExp } from '../../src/query/regex-guard.ts';
import { codeOf } from './notation.ts';

describe('a regular expression means what it means to PCRE', () => {
  it.each<[string, string, string, string[], string[]]>([
    ['. stops at line ends only', 'a.c', '', ['a\rc', 'a\u2028c', 'a😀c'], ['a\nc']],
    ['s lets . pass them', 'a.c', 's', ['a\nc'], ['ac']],
    ['^ and $ stand at the ends of the text', '^a$', '', ['a', 'a\n'], ['b\na', 'a\nb', 'a\r\n']],
    ['m lets them stand at each line', '^a$', 'm', ['b\na', 'a\nb'], ['ba']],
    ['i ignores case beyond ASCII', 'STRAßE|é', 'i', ['straße', 'É'], ['x']],
    ['x ignores blanks and comments', 'a b # c', 'x', ['ab'], ['a b']],
    ['flags may stand in front', '(?i)abc', '', ['ABC'], ['ab']],
    ['\\d, \\w and \\s mean ASCII', '^\\d\\w\\s$', '', ['1a '], ['١a ', '1ü ', '1a\u00a0']],
    ['\\w and the like stand in classes, beside a hyphen', '^[\\w-.]+$', '', ['a-b.c'], ['a b']],
    ['POSIX classes', '^[[:alpha:]_]+$', '', ['ab_'], ['a1']],
    ['\\A, \\z and \\Z', '\\Aab\\z', '', ['ab'], ['ab\n']],
    ['\\Q quotes', '^\\Qa.b\\E+$', '', ['a.bb'], ['axb']],
    ['braces that are no bounds stand for themselves', '^a{,b}$', '', ['a{,b}'], ['aa']],
    ['brackets that close nothing stand for themselves', '^a]}$', '', ['a]}'], ['a']],
    ['a bracket in front of a class is its member', '^[]a]+$', '', [']a'], ['[']],
    ['escaped signs stand for themselves', '^\\-\\_\\@$', '', ['-_@'], ['x']],
    ['named groups and what refers to them', '^(?P<x>a|b)\\k<x>$', '', ['aa'], ['ab']],
    ['looking ahead and behind', '(?<=a)b(?!c)', '', ['ab'], ['abc', 'b']],
    ['properties of characters', '^\\p{Lu}\\p{Greek}$', '', ['ÜΩ'], ['üω1']],
    ['characters by number', '^\\x41\\x{1F600}$', '', ['A😀'], ['a']],
    ['characters beyond the basic plane are one', '^.$', '', ['😀'], ['ab']],
  ])('%s', (_story, pattern, options, found, notFound) => {
    const regex = compileRegex(pattern, options);
    expect(found.filter((text) => !regex.test(text))).toEqual([]);
    expect(notFound.filter((text) => regex.test(text))).toEqual([]);
  });

  it.each(['(', '[a', 'a**', '(?>a)', 'a++', '\\', '(?(1)a)', '[[:what:]]', '(*ACCEPT)', '\\C'])(
    '%s is refused with 51091',
    (pattern) => {
      expect(codeOf(() => compileRegex(pattern, ''))).toBe(51091);
    },
  );
});

describe('a regular expression that repeats a repetition', () => {
  it('is stopped with 51156 where it would run for years', () => {
    const regex = compileRegex('^(a+)+$', '');
    expect(regex.test('a'.repeat(40))).toBe(true);
    expect(codeOf(() => regex.test(`${'a'.repeat(40)}!`))).toBe(51156);
    expect(regex.exec(`${'a'.repeat(40)}`)?.[1]).toBe('a'.repeat(40));
  });

  it.each([
    '(a+)+',
    '(a*)*b',
    '(\\w+\\s?)*$',
    '(?:\\d+|-)+$',
    '((a+))+',
    '([a-z]*){2,}',
    '(?<x>\\p{L}+)*',
    '((ab)*)*',
    '(a|b+)*!',
  ])('%s is watched', (pattern) => {
    expect(compileRegex(pattern, '')).toBeInstanceOf(GuardedRegExp);
  });

  it.each([
    '^abc',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$',
    '^(\\d{1,3}\\.){3}\\d{1,3}$',
    '^(a|b)*$',
    '(a?b)+',
    '(a+)?b+',
    'a+b+c*',
    '[(]+[+*]+',
    '\\(+\\)+',
    '(?=a+)b+',
    '^a.*b$',
  ])('%s is not', (pattern) => {
    expect(compileRegex(pattern, '')).not.toBeInstanceOf(GuardedRegExp);
  });
});

describe('literalPrefix', () => {
  it.each([
    ['^abc', '', 'abc'],
    ['^abc*', '', 'ab'],
    ['^abc+', '', 'abc'],
    ['^ab{2}', '', 'a'],
    ['^a.c', '', 'a'],
    ['abc', '', ''],
    ['^abc', 'i', ''],
    ['^abc', 'm', ''],
    ['^a|b', '', ''],
    ['^a\\.b', '', 'a'],
  ])('of /%s/%s is "%s"', (pattern, options, prefix) => {
    expect(literalPrefix({ pattern, options })).toBe(prefix);
  });
});
