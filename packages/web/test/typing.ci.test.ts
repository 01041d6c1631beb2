import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, visit } from './support.ts';

const composer = (page: Page) => page.locator('.room-pane .composer textarea');
const rows = (page: Page) => page.locator('.room-pane li.message[data-seq]:not(.deleted)');

/**
 * Presses an action of one of the last messages. Rows move while others come and go: then, as
 * people do, once more.
 */
async function press(page: Page, fromEnd: number, action: string): Promise<void> {
  for (let isDone = false; !isDone; ) {
    const seq = await rows(page).nth(-fromEnd).getAttribute('data-seq');
    const row = page.locator(`.room-pane li.message[data-seq="${seq}"]`);
    await page.mouse.move(640, 20);
    await row.hover();
    isDone = await row
      .locator(`.actions ${action}`)
      .first()
      .click({ timeout: 1_000 })
      .then(
        () => true,
        // A second click would close the menu.
        () => page.getByRole('menu').isVisible(),
      );
  }
}

/** Opens the last message, when there is one. */
async function editLast(page: Page): Promise<void> {
  await rows(page).last().waitFor();
  await page.keyboard.press('ArrowUp');
  await page.locator('li.message textarea:focus').waitFor();
}

/** A sequence of numbers from 0 to 1, the same each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

// Each begins with a letter or a sign that some chat takes for a command.
const words = ['perfect', 'everyone', 'reply', 'understood', 'Delete', 'jump', 'keep', '+1', 'quite', 'mine', 'no', '?!'];

/** Actions between two bursts of typing. */
const actions: Record<string, (page: Page, turn: number) => Promise<unknown>> = {
  'sends with Enter': async (page) => {
    await page.keyboard.type('on the way');
    await page.keyboard.press('Enter');
  },
  'sends with the button': async (page) => {
    await page.keyboard.type('on the way');
    await page.locator('.room-pane').getByRole('button', { name: 'Send', exact: true }).click();
  },
  'edits the last message': async (page, turn) => {
    await editLast(page);
    await page.keyboard.type(` and ${turn}`);
    await page.keyboard.press('Enter');
  },
  'gives up an edit': async (page) => {
    await editLast(page);
    await page.keyboard.press('Escape');
  },
  'deletes a message': async (page) => {
    await press(page, 1, '[aria-haspopup=menu]');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  },
  'reacts with a usual emoji': async (page) => {
    await press(page, 2, '.quick');
  },
  'reacts by the menu': async (page) => {
    await press(page, 2, '[aria-haspopup=menu]');
    await page.getByRole('menuitem', { name: 'React' }).click();
    await page.getByRole('searchbox', { name: 'Find an emoji' }).waitFor();
    await page.keyboard.type('rocket');
    await page.getByRole('button', { name: 'rocket', exact: true }).waitFor();
    await page.keyboard.press('Enter');
  },
  'closes a menu': async (page) => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
  },
  'closes a dialog by its button': async (page) => {
    await page.getByRole('button', { name: 'New message' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  },
  'closes a dialog by Escape': async (page) => {
    await page.keyboard.press('Control+/');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
  },
  'switches rooms by a click': (page) =>
    page.locator('.rooms section a.room[href^="/rooms/"]:not([aria-current])').first().click(),
  'switches rooms by the keyboard': (page) =>
    page.keyboard.press('Control+k').then(async () => {
      await page.locator('dialog input:focus').waitFor();
      await page.keyboard.type('Plans');
      await page.keyboard.press('Enter');
    }),
  'goes to a message by the keyboard': (page) => page.keyboard.press('Shift+F6'),
  'clicks on a message': (page) => rows(page).last().locator('.text').click(),
};

/** How often somebody types after an action; at night more. */
const turns = Number(process.env.TYPING_TURNS ?? 40);

describe('what somebody types', () => {
  it(`text typed right after any action of the page is in the field for messages, and starts no command (${turns} times)`, {
    timeout: Math.max(600_000, turns * 2_000),
  }, async () => {
    const owner = await anAccount();
    for (const name of ['Other', 'Plans']) {
      const room = await aRoom({ owner, name });
      for (let at = 0; at < 20; at++) await aMessage(owner, room.id, { text: `message ${at}` }, call);
    }
    const { page, context, problems } = await visit({ path: '/', options: { reducedMotion: 'reduce' }, as: owner });
    await page.locator('.rooms section a', { hasText: 'Plans' }).click();
    await rows(page).last().waitFor();
    const random = numbers(63);
    const names = Object.keys(actions);
    const lost: string[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const name = names[Math.floor(random() * names.length)] as string;
      const sentence = Array.from({ length: 3 }, () => words[Math.floor(random() * words.length)]).join(' ');
      await actions[name]?.(page, turn);
      await page.keyboard.type(sentence);
      const found = await composer(page).inputValue();
      if (found !== sentence) lost.push(`${turn}: ${name}: "${sentence}" is "${found}"`);
      await composer(page).fill('');
    }
    expect([lost, problems]).toEqual([[], []]);
    expect(await page.locator('.pinned').count()).toBe(0);
    expect(await page.locator('li.message textarea').count()).toBe(0);
    await context.close();
  });
});
