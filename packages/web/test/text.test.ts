import { safeAddress } from 'chat-service-rules/markdown/addresses';
import { parse } from 'chat-service-rules/markdown/parse';
import type { Block, Inline } from 'chat-service-rules/markdown/pieces';
import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenHost } from '../src/text/links.ts';

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

  it('the text of a message loses no letters, whatever signs are around them', () => {
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

  it('the text of a message has links only to the web and to e-mail, whatever is written', () => {
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

  // Each of them takes a parser that looks back, or calls itself for each sign, out of its stack or beyond the time of a test.
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
