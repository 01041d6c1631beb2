import { mentionsIn } from 'chat-service-rules/markdown/mentions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openFence } from '../src/text/fence.ts';
import {
  continueLine,
  type Edit,
  isAddress,
  makeLink,
  type TextSelection,
  toggleCode,
  toggleMark,
  togglePrefix,
} from '../src/text/markup.ts';
import { quoteOf } from '../src/text/quote.ts';

/** A text with `[` and `]` around the selection, or `|` at the caret. */
function selected(marked: string): TextSelection {
  const start = marked.search(/[[|]/);
  const value = marked.replace(/[[\]|]/g, '');
  return { value, start, end: marked.includes('|') ? start : marked.indexOf(']') - 1 };
}

/** The text after an edit, with marks for the selection. */
function after({ value }: TextSelection, edit: Edit | undefined): string | undefined {
  if (!edit) return undefined;
  const { start, end, text, from, to } = edit;
  const now = value.slice(0, start) + text + value.slice(end);
  return from === to
    ? `${now.slice(0, from)}|${now.slice(from)}`
    : `${now.slice(0, from)}[${now.slice(from, to)}]${now.slice(to)}`;
}

const bold = (one: TextSelection) => toggleMark(one, '**');
const italic = (one: TextSelection) => toggleMark(one, '*');
const quote = (one: TextSelection) => togglePrefix(one, '> ');
const list = (one: TextSelection) => togglePrefix(one, '- ');

it.each<[string, (one: TextSelection) => Edit | undefined, string, string]>([
  ['bold', bold, 'a [b] c', 'a **[b]** c'],
  ['bold, which it was', bold, 'a **[b]** c', 'a [b] c'],
  ['bold, without the blanks around it', bold, 'a[ b ]c', 'a **[b]** c'],
  ['bold before anything is typed', bold, 'a |', 'a **|**'],
  ['italic, of what is bold', italic, '**[b]**', '***[b]***'],
  ['code', toggleCode, 'call [f()]', 'call `[f()]`'],
  ['a block of code', toggleCode, 'so:\n[a\nb]', 'so:\n```\n[a\nb]\n```'],
  ['a quote', quote, 'one\n[two\nthree]', 'one\n[> two\n> three]'],
  ['a quote, which it was', quote, '> [two]', 'two|'],
  ['a list', list, '|', '- |'],
])('a tool makes the selection %s', (_what, change, before, wanted) => {
  expect(after(selected(before), change(selected(before)))).toBe(wanted);
});

it.each([
  ['- one|', '- one\n- |'],
  ['  * one|', '  * one\n  * |'],
  ['9. nine|', '9. nine\n10. |'],
  ['> so|', '> so\n> |'],
  ['- one\n- |', '- one\n|'],
  ['no list|', undefined],
  ['3.5|', undefined],
])('a new line continues a list or a quote, and an empty item ends it: %s', (before, wanted) => {
  expect(after(selected(before), continueLine(selected(before)))).toBe(wanted);
});

it('a link takes the selection as its text, and the caret goes where something is missing', () => {
  const at = (value: string, start: number, end: number, address?: string) => {
    const { start: from, end: to, text, from: caret } = makeLink({ value, start, end }, address);
    return [value.slice(0, from) + text + value.slice(to), caret];
  };
  expect(at('see the plan', 4, 12, 'https://example.org/p')).toEqual(['see [the plan](https://example.org/p)', 37]);
  expect(at('see the plan', 4, 12)).toEqual(['see [the plan]()', 15]);
  expect(at('', 0, 0)).toEqual(['[]()', 1]);
});

it.each([
  ['https://example.org/a?b=c#d', true],
  ['http://localhost:3000', true],
  ['https://example.org and more', false],
  ['javascript:alert(1)', false],
  ['example.org', false],
])('only the address of a page becomes a link when it is pasted: %s', (text, is) => {
  expect(isAddress(text)).toBe(is);
});

it('a tool that is used twice leaves the text as it was', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z \n]{0,20}$/), fc.nat(20), fc.nat(20), (value, one, other) => {
      const [start, end] = [Math.min(one, other, value.length), Math.min(Math.max(one, other), value.length)];
      const once = bold({ value, start, end });
      const marked = value.slice(0, once.start) + once.text + value.slice(once.end);
      const twice = bold({ value: marked, start: once.from, end: once.to });
      expect(marked.slice(0, twice.start) + twice.text + marked.slice(twice.end)).toBe(value);
    }),
  );
});

describe('a quote', () => {
  const of = (text: string) => quoteOf({ author: 'ann', address: 'https://chat.example/rooms/1/2', text });
  const head = '[ann](https://chat.example/rooms/1/2):\n';

  it('a quote has each line after a mark, below who said it with a link', () => {
    expect(of('one\n\n- two')).toBe(`${head}> one\n> \n> - two`);
  });

  it('a quote mentions nobody again, and keeps names in code as they are', () => {
    const text = 'ask @bob or @carol, not `@dan`, mail ann@example.org\n```\n@eve\n```';
    expect(mentionsIn(text)).toEqual(['@bob', '@carol']);
    const quoted = of(text);
    expect(quoted).toBe(`${head}> ask \\@bob or \\@carol, not \`@dan\`, mail ann@example.org\n> \`\`\`\n> @eve\n> \`\`\``);
    expect(mentionsIn(quoted)).toEqual([]);
  });

  it('a quote of a long message is cut off, and a block of code in it is closed', () => {
    const quoted = of(`\`\`\`\n${'🚀 line\n'.repeat(1_200)}\`\`\``);
    expect([[...quoted].length < 4_100, openFence(quoted), quoted.endsWith('…\n> ```')]).toEqual([true, '', true]);
  });
});
