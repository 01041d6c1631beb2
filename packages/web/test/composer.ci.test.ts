import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, press, textsOf, visit } from './support.ts';

/** A room with two members; one has the caret in the message field. */
async function writing() {
  const [owner, other] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner, members: [other] });
  const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: owner });
  const field = page.locator('.room-pane .composer textarea');
  await page.locator('.room-pane .composer textarea:focus').waitFor();
  await page.locator('.room-pane .beginning').waitFor();
  const stored = async () => {
    const { body } = await call('GET', `/api/messages?room=${room.id}`, { token: owner.token });
    return (body as { text: string }[]).map(({ text }) => text);
  };
  return { owner, other, room, page, context, problems, field, stored };
}

describe('the field for a message', () => {
  it('the field for a message is one line high on a phone, however long the name of the room is', async () => {
    const owner = await anAccount();
    const heights: (number | undefined)[] = [];
    for (const name of ['Short', 'A long name of many words '.repeat(4).trim().slice(0, 100)]) {
      const room = await aRoom({ owner, name });
      const { page, context } = await visit({ path: `/rooms/${room.id}`, width: 390, height: 844, as: owner });
      heights.push((await page.locator('.room-pane .composer textarea').boundingBox())?.height);
      await context.close();
    }
    expect(heights[1]).toBe(heights[0]);
  });
});

describe('Enter', () => {
  it('Enter makes a new line in a block of code that is open, and sends it once it is closed', async () => {
    const { page, context, stored, field } = await writing();
    for (const line of ['Look:', '```js', 'let a = 1;', '```']) {
      await page.keyboard.type(line);
      await page.keyboard.press(line === 'Look:' ? 'Shift+Enter' : 'Enter');
    }
    await expect.poll(stored).toEqual(['Look:\n```js\nlet a = 1;\n```']);
    await page.keyboard.type('```');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('```\n');
    expect(await page.evaluate('getComputedStyle(document.activeElement).fontFamily')).toMatch(/monospace/);
    await page.keyboard.press('Control+Enter');
    await expect.poll(stored).toHaveLength(2);
    await context.close();
  });

  it('Enter sends a text with a colon before a word, a time or an emoticon as it was typed', async () => {
    const { page, context, stored, field } = await writing();
    const texts = [
      'note :see',
      'the list :fire',
      'at :30',
      'well :-D',
      'ok :-P',
      'hm :o)',
      'at 10:30',
      'a :x',
      'yes :D',
      'to :all',
    ];
    for (const text of texts) {
      await page.keyboard.type(text);
      // By now, any list would have opened.
      await page.waitForTimeout(150);
      await page.keyboard.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('');
    }
    await expect.poll(stored).toEqual(texts);
    await context.close();
  });

  it('Enter completes nothing after a lone @, and completes a name that was begun', async () => {
    const { page, context, stored, other, field } = await writing();
    await page.keyboard.type('see you @');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(stored).toEqual(['see you @']);
    await page.keyboard.type(`hello @${other.username.slice(0, 9)}`);
    await page.getByRole('option', { selected: true }).waitFor();
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe(`hello @${other.username} `);
    await context.close();
  });

  it('Enter says in a sentence that a text is too long, and loses nothing of it', async () => {
    const { page, context, stored, field } = await writing();
    await field.fill('a'.repeat(10_007));
    await field.press('Enter');
    await page.locator('.toast', { hasText: 'this message is 7 characters too long' }).waitFor();
    expect([await field.inputValue(), await stored()]).toEqual(['a'.repeat(10_007), []]);
    // Text that is not sent does not count.
    await field.fill(`${'a'.repeat(10_000)}\n\n`);
    await field.press('Enter');
    await expect.poll(stored).toEqual(['a'.repeat(10_000)]);
    await context.close();
  });
});

describe('the tools of the composer', () => {
  it('the tools of the composer format the selection, by key and by button, and undo reverts it', async () => {
    const { page, context, field, stored } = await writing();
    await page.keyboard.type('see the plan');
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await page.keyboard.press('Control+b');
    expect(await field.inputValue()).toBe('see the **plan**');
    await page.keyboard.press('Control+z');
    expect(await field.inputValue()).toBe('see the plan');
    await page.getByRole('button', { name: 'Italic' }).click();
    expect(await field.inputValue()).toBe('see the *plan*');
    // The caret stays with the text.
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toEqual(['see the *plan*!']);
    await context.close();
  });

  it('the tools of the composer continue a list on a new line, and end it after an empty item', async () => {
    const { page, context, field } = await writing();
    await page.keyboard.type('- one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    expect(await field.inputValue()).toBe('- one\n- two');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    expect(await field.inputValue()).toBe('- one\n- two\n');
    await context.close();
  });

  it('the tools of the composer make a link of the selection when an address is pasted over it', async () => {
    const { page, context, field } = await writing();
    await page.keyboard.type('see the plan');
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'https://example.org/plan');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    expect(await field.inputValue()).toBe('see the [plan](https://example.org/plan)');
    await context.close();
  });
});

describe('a list of suggestions', () => {
  it('a list of suggestions inserts an emoji by Tab, or by Enter once it is chosen', async () => {
    const { page, context, field } = await writing();
    await page.keyboard.type(':rocket');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('🚀 ');
    await page.keyboard.type(':tada');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('🚀 🎉 ');
    await context.close();
  });

  it('a suggestion that was found for an earlier key replaces all that is typed by then, or is not taken at all', async () => {
    const { page, context, field } = await writing();
    // Between two keys, nothing can be looked for.
    const typeAtOnce = (text: string) =>
      page.evaluate(`document.execCommand('insertText', false, '${text}');
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true, cancelable: true }))`);
    await page.keyboard.type(':rock');
    await page.getByRole('option', { name: ':rocket:' }).waitFor();
    await typeAtOnce('et');
    expect(await field.inputValue()).toBe('🚀 ');
    await page.keyboard.type(':rock');
    await page.getByRole('option', { name: ':rocket:' }).waitFor();
    await typeAtOnce('xx');
    expect(await field.inputValue()).toBe('🚀 :rockxx');
    await context.close();
  });

  it('a list of suggestions does not open in code', async () => {
    const { page, context } = await writing();
    await page.keyboard.type('`npm @bo');
    await page.waitForTimeout(300);
    expect(await page.getByRole('option').count()).toBe(0);
    await context.close();
  });
});

describe('undoing', () => {
  it('undo reverts a completion, and then the text before it', async () => {
    const { page, context, other, field } = await writing();
    // As one edit: the browser splits typing into several steps to undo when an element of the page
    // is removed meanwhile, such as a suggestion.
    await page.keyboard.insertText(`hello @${other.username.slice(0, 9)}`);
    await page.getByRole('option', { selected: true }).waitFor();
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe(`hello @${other.username} `);
    await page.keyboard.press('Control+z');
    expect(await field.inputValue()).toBe(`hello @${other.username.slice(0, 9)}`);
    await page.keyboard.press('Control+z');
    expect(await field.inputValue()).toBe('');
    await page.keyboard.press('Control+Shift+z');
    expect(await field.inputValue()).toBe(`hello @${other.username.slice(0, 9)}`);
    await context.close();
  });

  it('undoing takes back an emoji that was picked', async () => {
    const { page, context, field } = await writing();
    await page.keyboard.type('well done ');
    await page.getByRole('button', { name: 'Choose an emoji' }).click();
    await page.getByRole('button', { name: 'thumbs up', exact: true }).first().click();
    expect(await field.inputValue()).toBe('well done 👍');
    await page.keyboard.press('Control+z');
    expect(await field.inputValue()).toBe('well done ');
    await context.close();
  });
});

describe('an edit', () => {
  it('an edit asks before it loses typed text, and only then', async () => {
    const { page, context, owner, room } = await writing();
    await aMessage(owner, room.id, { text: 'as it was' }, call);
    await page.getByText('as it was').waitFor();
    const field = page.locator('li.message textarea');
    const begin = async () => {
      await press(page.locator('li.message'), 'e');
      await page.locator('li.message textarea:focus').waitFor();
    };
    await begin();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await begin();
    await page.keyboard.type(', and more');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard what you typed?' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('as it was, and more');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await field.waitFor({ state: 'detached' });
    expect(await textsOf(page)).toEqual(['as it was']);
    await context.close();
  });
});

/** True if the page prevents the browser's default for this drop or paste. */
const isKept = (page: Page, type: 'drop' | 'dragover' | 'paste', where: string, fill: string) =>
  page.evaluate<boolean>(`(() => {
    const data = new DataTransfer();
    ${fill};
    const event = ${type === 'paste' ? `new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })` : `new DragEvent('${type}', { dataTransfer: data, bubbles: true, cancelable: true })`};
    return !document.querySelector('${where}').dispatchEvent(event);
  })()`);

const aFile = "data.items.add(new File(['a'], 'a.png', { type: 'image/png' }))";
const aText = "data.setData('text/plain', 'a text')";
const aLink = "data.setData('text/uri-list', 'https://example.org/')";

describe('a file', () => {
  it.each([
    ['is dropped on the messages', 'drop', '.messages'],
    ['is dropped on the composer', 'drop', '.composer textarea'],
    ['is dropped on the list of rooms', 'drop', '.sidebar'],
    ['is pasted into the composer', 'paste', '.composer textarea'],
    ['is pasted anywhere', 'paste', 'body'],
  ] as const)('a file that %s does not open, and goes with the next message', async (_what, type, where) => {
    const { page, context } = await writing();
    if (type === 'drop') expect(await isKept(page, 'dragover', where, aFile)).toBe(true);
    expect(await isKept(page, type, where, aFile)).toBe(true);
    await page.locator('.tray li', { hasText: 'a.png' }).waitFor();
    await context.close();
  });

  it('nothing but files is taken: texts can be dropped and pasted, and a link does not lead away', async () => {
    const { page, context } = await writing();
    expect(await isKept(page, 'paste', '.composer textarea', aText)).toBe(false);
    expect(await isKept(page, 'paste', '.composer textarea', `${aText}; ${aFile}`)).toBe(false);
    expect(await isKept(page, 'drop', '.composer textarea', aText)).toBe(false);
    expect(await isKept(page, 'drop', '.messages', aLink)).toBe(true);
    expect(await page.locator('.toast').count()).toBe(0);
    await context.close();
  });
});
