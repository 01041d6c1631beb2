import { describe, expect, it } from 'vitest';
import { growth, linear } from '../../../test/support/growth.ts';
import { endsInCode, isFenceOpen } from '../src/text/fence.ts';

describe('a block of code', () => {
  it.each([
    ['that begins', '```', true],
    ['that begins with a language', '```js', true],
    ['that has a line', '```\nlet a = 1;', true],
    ['of tildes', '~~~\nlet a = 1;', true],
    ['in a quote', '> ```\n> let a = 1;', true],
    ['in a list', '- see:\n  ```\n  let a = 1;', true],
    ['that begins an item of a list', '1. ```sh\n   ls', true],
    ['after another one that is closed', '```\na\n```\nand\n```', true],
    ['with a longer fence than a line in it', '````\n```\na', true],
    ['with a fence of the other kind in it', '```\n~~~', true],
  ])('a block of code is open: one %s', (_what, text) => {
    expect([isFenceOpen(text), endsInCode(text)]).toEqual([true, true]);
  });

  it.each([
    ['when it is closed', '```\na\n```'],
    ['when it is closed by more marks', '```\na\n`````'],
    ['when it is closed in a quote', '> ```\n> a\n> ```'],
    ['when it is on one line', '```hello```'],
    ['when its tildes are on one line', '~~~ lunch ~~~'],
    ['when there are too few marks', '``\na'],
    ['in a line that has words before it', 'so ```'],
    ['in no text', ''],
  ])('a block of code is not open %s', (_when, text) => {
    expect(isFenceOpen(text)).toBe(false);
  });
});

describe('a text', () => {
  it.each([
    ['ends in code after a lone backtick', 'run `npm @b', true],
    ['does not end in code after two backticks', 'run `npm` and @b', false],
    ['does not end in code on the next line', 'a ` alone\n@b', false],
  ])('a text %s', (_what, text, isCode) => {
    expect(endsInCode(text)).toBe(isCode);
  });

  it.each(['`', '~', '> ', '- ', '```\n', '1. ', '``` `', '~~~ '])(
    'a text is examined in time in proportion to its length when it repeats %j',
    (part) => {
      const repeated = (length: number) => part.repeat(length / part.length);
      for (const end of ['', ' `', '\n`'])
        expect(growth((length) => endsInCode(`${repeated(length)}${end}`))).toBeLessThan(linear);
    },
  );
});
