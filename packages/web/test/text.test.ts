import { safeAddress } from 'chat-service-rules/markdown/addresses';
import { parse } from 'chat-service-rules/markdown/parse';
import type { Block, Inline } from 'chat-service-rules/markdown/pieces';
import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJumbo } from '../src/text/jumbo.ts';
import { hiddenHost, shortAddress } from '../src/text/links.ts';
import { initialsOf } from '../src/text/names.ts';
import { nameRooms, splitAtRooms } from '../src/text/room-names.ts';

const text = (value: string): Inline => ({ type: 'text', text: value });
const paragraph = (...children: Inline[]): Block => ({ type: 'paragraph', children });

describe('the text of a message', () => {
  it.each<[string, Block[]]>([
    ['plain', [paragraph(text('plain'))]],
    ['**bold** and *not', [paragraph({ type: 'strong', children: [text('bold')] }, text(' and *not'))]],
    ['snake_case_name', [paragraph(text('snake_case_name'))]],
    ['`a*b*`', [paragraph({ type: 'code', text: 'a*b*' })]],
    ['~~no~~', [paragraph({ type: 'del', children: [text('no')] })]],
    ['\\*no\\*', [paragraph(text('*no*'))]],
    ['<b>no</b>', [paragraph(text('<b>no</b>'))]],
    ['> a\n> b', [{ type: 'quote', children: [paragraph(text('a\nb'))] }]],
    ['3. a\n4. b', [{ type: 'list', start: 3, items: [[paragraph(text('a'))], [paragraph(text('b'))]] }]],
    ['```ts\na < b\n```', [{ type: 'code', text: 'a < b', language: 'ts' }]],
    ['hi @ann.', [paragraph(text('hi '), { type: 'mention', text: '@ann.' })]],
    ['ann@example.org', [paragraph(text('ann@example.org'))]],
    [
      'see https://example.org/a_(b).',
      [
        paragraph(
          text('see '),
          { type: 'link', href: 'https://example.org/a_(b)', children: [text('https://example.org/a_(b)')] },
          text('.'),
        ),
      ],
    ],
    ['[a](javascript:b)', [paragraph(text('[a](javascript:b)'))]],
  ])('the text of a message is parsed into blocks: %j', (source, blocks) => {
    expect(parse(source)).toEqual(blocks);
  });

  it('the text of a message loses no letters between any signs', () => {
    const piece = constantFrom(
      '*',
      '**',
      '_',
      '~~',
      '`',
      '[',
      '](https://a.example/)',
      '!',
      '<',
      '>',
      '\n',
      '- ',
      '1. ',
      '> ',
      '|',
      '\\',
      '@',
      ' ',
      '#',
    );
    assert(
      property(array(piece, { maxLength: 60 }), (pieces) => {
        const source = pieces.map((sign, at) => `${sign}w${at}`).join('');
        const shown = JSON.stringify(parse(source));
        return pieces.every((_, at) => shown.includes(`w${at}`));
      }),
      { numRuns: 2_000 },
    );
  });

  it('the text of a message links only to the web and to e-mail', () => {
    const hrefs = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : [...('href' in value ? [String(value.href)] : []), ...Object.values(value).flatMap(hrefs)];
    const scheme = constantFrom(
      'javascript:',
      'data:',
      'https://',
      'http://',
      'mailto:',
      'vbscript:',
      'www.',
      'file:',
      ' ',
      '\t',
    );
    assert(
      property(scheme, string({ maxLength: 30 }), (start, rest) =>
        hrefs(parse(`[a](${start}${rest}) <${start}${rest}> ${start}${rest}`)).every((href) => /^(https?|mailto):/.test(href)),
      ),
      { numRuns: 2_000 },
    );
  });

  // Each of these breaks a parser with backtracking or recursion: it overflows the stack or exceeds
  // the time of a test.
  it.each(['*a ', '_a**b', '[', '[a](', '![[', '>', '- ', '|a', '<a ', 'www.a.', '`` ` ', '~~a ', '@a '])(
    'the text of a message is parsed however often something is opened and not closed: %j',
    (sign) => {
      const source = sign.repeat(10_000 / sign.length);
      expect(parse(source).length).toBeGreaterThan(0);
    },
  );
});

describe('a link', () => {
  it('a link says where it leads when its text says otherwise', () => {
    expect(hiddenHost('bank.example', 'https://evil.example/')).toBe('evil.example');
    for (const text of ['https://bank@evil.example', 'https://bank.example:x@evil.example/', 'here'])
      expect(hiddenHost(text, 'https://bank@evil.example/')).toBe('evil.example');
    expect(hiddenHost('bank.example@evil.example', 'https://evil.example/')).toBe('evil.example');
    expect(hiddenHost('ann.smith@example.org', 'mailto:ann.smith@example.org')).toBeUndefined();
    expect(hiddenHost('www.bank.example/in', 'https://bank.example/out')).toBeUndefined();
    expect(hiddenHost('click here', 'https://evil.example/')).toBeUndefined();
    expect(safeAddress('javascript:alert(1)')).toBeUndefined();
  });
});

describe('an address in a message', () => {
  it.each([
    ['https://www.example.org/', 'example.org'],
    ['http://example.org/notes', 'example.org/notes'],
    ['https://design.example.org/northwind/projects/2027/invoices-v4', 'design.example.org/…/invoices-v4'],
    ['https://example.org/a/b/c?utm_source=chat&utm_medium=message&x=1', 'example.org/…/c…'],
    ['https://example.org/?q=a-very-long-search-for-something-that-is-not-there', 'example.org…'],
    ['https://example.org/an-article-whose-name-goes-on-and-on-and-on', 'example.org/an-article-whose-name-goes-…'],
    [
      'https://login.example.org.evil.example.net/a-path-that-is-long/example.org',
      'login.example.org.evil.example.net/…/example.org',
    ],
  ])('an address in a message is shown short, with its host as a whole: %s', (address, shown) => {
    expect(shortAddress(address)).toBe(shown);
  });
});

describe('a message of emoji', () => {
  it.each([
    ['🎉', true],
    ['👍🏽 ❤️ 👩‍👩‍👧', true],
    [':tada:', true],
    ['🎉🎉🎉🎉', false],
    ['🎉 yes', false],
    ['1', false],
    ['**🎉**', false],
    [':nothing:', false],
    ['🎉\n\n🎉', false],
    ['', false],
  ])('a message of emoji is shown large if it has one to three of them and nothing else: %j', (source, isLarge) => {
    expect(isJumbo(parse(source), (code) => (code === ':tada:' ? '🎉' : undefined))).toBe(isLarge);
  });
});

describe('the name of a room', () => {
  const rooms = nameRooms([{ name: 'Design' }, { name: 'Design system' }, { name: 'People & Culture' }, { name: 'ÄRGER' }]);
  it.each([
    ['see #Design', ['Design']],
    ['see #design.', ['Design']],
    ['(#design system, or #design)', ['Design system', 'Design']],
    ['#people & culture!', ['People & Culture']],
    ['#ärger #nothing #', ['ÄRGER']],
    ['a#design ##design https://example.org/#design #designs', []],
    ['#design\nsystem', ['Design']],
  ])('the name of a room after its sign leads there, the longest one that fits: %j', (source, names) => {
    const parts = splitAtRooms(source, rooms);
    expect(parts.flatMap(({ room }) => (room ? [room.name] : []))).toEqual(names);
    expect(parts.map(({ text }) => text).join('')).toBe(source);
  });
});

describe('the initials of a name', () => {
  it.each([
    ['maria.lindqvist', 2, 'ML'],
    ['Ana de la Cruz', 2, 'AD'],
    ['Ana de la Cruz', 1, 'A'],
    ['(3) --', 2, '3'],
    ['سلمى الخطيب', 2, 'س\u200cا'],
    ['…', 2, ''],
  ])('the initials of %j, at most %i, are not joined to a word: %j', (name, count, initials) => {
    expect(initialsOf(name, count)).toBe(initials);
  });
});
