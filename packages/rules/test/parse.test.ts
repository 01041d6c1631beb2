import { array, assert, constantFrom, nat, oneof, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growth, linear } from '../../../test/support/growth.ts';
import { mentionsIn } from '../src/markdown/mentions.ts';
import { namesOf } from '../src/markdown/names.ts';
import { parse } from '../src/markdown/parse.ts';
import { inlinesOf, textOfBlocks } from '../src/markdown/plain.ts';
import { drawnOf, texts } from './texts.ts';

const people = ['ada', 'bob', 'bob.'];
const mentionedIn = (text: string) => [
  ...new Set(mentionsIn(text).flatMap((mention) => namesOf(mention).find((name) => people.includes(name)) ?? [])),
];
const linksIn = (text: string) => [...inlinesOf(parse(text))].flatMap((piece) => (piece.type === 'link' ? [piece.href] : []));
const onOneLine = (text: string) => text.replaceAll(' | ', ' ').replaceAll(/\s+/g, ' ').trim();

describe.each(Object.entries(texts))('texts and what people mean by them: %s', (_name, samples) => {
  it.each(samples)('a text is parsed as people mean it: $text', (sample) => {
    expect({
      drawn: onOneLine(textOfBlocks(parse(sample.text))),
      mentions: mentionedIn(sample.text),
      links: linksIn(sample.text),
    }).toEqual({ drawn: onOneLine(drawnOf(sample)), mentions: sample.mentions ?? [], links: sample.links ?? [] });
  });
});

it('there are more than 300 sample texts, in more than twenty scripts', () => {
  expect(Object.keys(texts).length).toBeGreaterThan(20);
  expect(Object.values(texts).flat().length).toBeGreaterThan(300);
});

/** Marks and similar characters, with words between them. */
const mark = constantFrom<string>(
  ...[
    '*',
    '**',
    '_',
    '__',
    '~~',
    '~',
    '`',
    '``',
    '```',
    '~~~',
    '[',
    ']',
    '](https://a.example/)',
    '](https://a.example/ "',
    '")',
  ],
  ...[
    '!',
    '![',
    '<',
    '>',
    '> ',
    '\n',
    '\n\n',
    '\n- ',
    '\n\t- ',
    '\n1. ',
    '\n7) ',
    '\n# ',
    '|',
    '\n|',
    '|\n|-|-|\n|',
    '\n```',
    '\n~~~',
  ],
  ...[
    '\\',
    '\\\\',
    '/',
    '@',
    '＠',
    ' @',
    ':',
    ' :',
    ' ',
    ' ',
    '.',
    '。',
    '「',
    '」',
    '“',
    '”',
    '(',
    ')',
    '\n---\n',
    '\t',
    'C:\\',
  ],
  ...['https://', ' https://', '^', "'", '#', '-', '=', '\n>', '\n|-|\n', '\u200b', '👍', 'です', '안녕', 'שלום', 'ไทย'],
);
const message = array(tuple(mark, nat(4)), { maxLength: 40 });
/** Words that are different and not contained in each other: each begins with `w`. */
const write = (pieces: [string, number][]) => pieces.map(([sign, kind], at) => `${sign}${kind === 0 ? '' : `w${at}x`}`).join('');

describe('the text of any message', () => {
  const shownIn = (text: string) => [textOfBlocks(parse(text)), ...linksIn(text)].join('\n');

  it('a text is drawn with each of its words', () => {
    assert(
      property(message, (pieces) => {
        const text = write(pieces);
        const shown = shownIn(text);
        for (const [word] of text.matchAll(/w\d+x/g)) expect(shown).toContain(word);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a text is drawn in its order, with nothing that comes from elsewhere', () => {
    assert(
      property(message, (pieces) => {
        const text = write(pieces);
        const drawn: string[] = textOfBlocks(parse(text)).match(/w\d+x/g) ?? [];
        const typed: string[] = text.match(/w\d+x/g) ?? [];
        // An address whose link leads elsewhere does not count as a word of it.
        expect(typed.filter((word) => drawn.includes(word))).toEqual(drawn);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a text mentions only the people who are marked in it', () => {
    const word = oneof(mark, constantFrom<string>('@ada', '@bob', '@bob.', '＠ada', ' @ada ', '@ada/', '\\@bob'));
    assert(
      property(array(word, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const notified = mentionedIn(text);
        const known = new Set(notified);
        const marked = [...inlinesOf(parse(text))].flatMap((piece) =>
          piece.type === 'mention' ? (namesOf(piece.text).find((name) => known.has(name)) ?? []) : [],
        );
        expect([...new Set(marked)]).toEqual(notified);
      }),
      { numRuns: 1_000 },
    );
  });
});

/**
 * Texts for which a parser that looks back, repeats or recurses per character would take more than
 * linear time.
 */
const hostile = [
  ...[
    '*a ',
    '_a**b',
    '*.',
    '**a* ',
    '[',
    '[a](',
    '![[',
    '](x',
    '[a](https://b.example)',
    '>',
    '> ',
    '>\n',
    '- ',
    '-\t',
    '|a',
    '<a ',
    '<https://',
  ],
  ...[
    'www.a.',
    'www.',
    'https://',
    'https://a(',
    '`` ` ',
    '` a',
    '```\n',
    '```a\n',
    '```\na```b\n',
    '~~~\n',
    '~~~\na\n',
    '~~a ',
    '@a ',
    '@a/',
    '@',
  ],
  ...[
    '\\',
    '\\*',
    '\\a',
    'C:\\',
    '\\\\',
    ':a',
    ':a:',
    '::',
    '|-|\n',
    '| |\n|-|\n',
    '---x\n|\n',
    '1. a\n',
    '\t- a\n',
    '- a\n\n',
    '#',
    '# ',
    ' ',
    '\t',
  ],
  ...[
    'a*',
    'a**',
    'f**k ',
    '__init__',
    '__a',
    '(*a',
    '_(',
    '- a\n+ b\n',
    '- ```\n',
    'a ```\n',
    'a ```x\nb``` c\n',
    '>~',
    "https://a's,",
  ],
  ...['a*b_', '**「a」**', '*_', '(*', '*^', '_@a', '¯\\_(', '。', 'です', '👍'],
];

describe('parsing', () => {
  it.each(hostile)('parsing takes time in proportion to the length of a text that repeats %j', (sign) => {
    const repeated = (length: number) => sign.repeat(Math.ceil(length / sign.length)).slice(0, length);
    expect(growth((length) => parse(repeated(length)))).toBeLessThan(linear);
  });

  it('parsing takes time in proportion to the length of a text that opens very much before it closes it', () => {
    const nested = (length: number) => `${'*a '.repeat(length / 6)}${' a*'.repeat(length / 6)}`;
    expect(growth((length) => parse(nested(length)))).toBeLessThan(linear);
    expect(growth((length) => parse(`\`${' '.repeat(length / 2)}a${'b'.repeat(length / 2)}\``))).toBeLessThan(linear);
    expect(growth((length) => parse(`a|b\n${'-'.repeat(length)}x`))).toBeLessThan(linear);
    expect(growth((length) => parse(`${'~'.repeat(length)}\``))).toBeLessThan(linear);
    expect(growth((length) => parse(`${'`'.repeat(3)}\n${'a\n'.repeat(length / 2)}`))).toBeLessThan(linear);
  });

  it('parsing nests nothing deeper than can be drawn', () => {
    const text = `${'*a **b '.repeat(1_000)}${' b** a*'.repeat(1_000)}${'> - '.repeat(500)}`;
    const depth = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depth));
    expect(depth(parse(text))).toBeLessThan(60);
  });
});
