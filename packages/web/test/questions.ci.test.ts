import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../test/support/accounts.ts';
import { aQuestion, aRoomWithBot, press, yesOrNo } from '../../../test/support/questions.ts';
import { interceptRequests } from '../../../tools/harness/browser.ts';
import { objections } from './axe.ts';
import { call, visit } from './support.ts';

const question = (page: Page) => page.getByRole('group', { name: 'Answer' });
const button = (page: Page, name: string) => question(page).getByRole('button', { name });
const said = (page: Page) => page.getByRole('log').last();

/** A person in a room whose bot has asked. */
async function asked(fields: object = {}, look: { width?: number; options?: object } = {}) {
  const world = await aRoomWithBot();
  const message = await aQuestion(world.bot, world.room, fields, call);
  const open = (as: Account) => visit({ path: `/rooms/${world.room.id}`, as, ...look });
  return { ...world, message, open, ...(await open(world.ann)) };
}

/** Goes to the last message, which is one tab stop, and along it to a button. */
async function goTo(page: Page, name: string) {
  const isAtMessage = async () => (await page.evaluate("document.activeElement.matches('li.message')")) as boolean;
  for (let turn = 0; turn < 20 && !(await isAtMessage()); turn++) await page.keyboard.press('Shift+Tab');
  for (let turn = 0; turn < 20 && !(await hasFocus(page, name)()); turn++) await page.keyboard.press('ArrowRight');
  expect(await hasFocus(page, name)()).toBe(true);
}
const hasFocus = (page: Page, name: string) => async () =>
  (await button(page, name).evaluate((element) => element === element.ownerDocument.activeElement)) as boolean;

describe('the buttons of a message', () => {
  it('a button is pressed by the keyboard after a question, and everybody sees who answered', async () => {
    const actions = [{ ...yesOrNo[0], confirm: 'Deploy to production?' }, yesOrNo[1]];
    const { page, context, problems, open, bob, ann } = await asked({ actions, is_approval: true });
    await button(page, 'Approve').waitFor();
    expect(await objections(page)).toEqual([]);
    const other = await open(bob);
    await button(other.page, 'Approve').waitFor();

    await goTo(page, 'Approve');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Deploy to production?' });
    await dialog.waitFor();
    expect(await objections(page)).toEqual([]);
    // The harmless answer has the focus.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    // The second click, beside the dialog, does not close it.
    await button(page, 'Approve').dblclick();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await hasFocus(page, 'Approve')()).toBe(true);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Approve' }).press('Enter');

    for (const one of [page, other.page]) {
      await question(one)
        .getByText(new RegExp(`by ${ann.username}, \\d`))
        .waitFor();
      expect(await question(one).getByRole('button').count()).toBe(0);
      expect(await objections(one)).toEqual([]);
    }
    await said(page).getByText('You answered “Approve”.').waitFor();
    await page.reload();
    await question(page).getByText(`by ${ann.username}`).waitFor();
    expect([...problems, ...other.problems]).toEqual([]);
    await Promise.all([context.close(), other.context.close()]);
  });

  it('a button is pressed by touch', async () => {
    const { page, context, problems, ann } = await asked({}, { width: 390, options: { hasTouch: true, isMobile: true } });
    const box = await button(page, 'Refuse').boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    await button(page, 'Refuse').tap();
    await question(page).getByText(`by ${ann.username}`).waitFor();
    expect(await objections(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a press that fails says so, and the button is there again', async () => {
    const { page, context, ann } = await asked();
    const end = await interceptRequests(page, '**/actions/yes', (route) => route.abort());
    await button(page, 'Approve').click();
    await question(page).getByRole('alert').getByText('Not answered:').waitFor();
    expect(await button(page, 'Approve').getAttribute('aria-disabled')).toBe('false');
    end();
    await button(page, 'Approve').click();
    await question(page).getByText(`by ${ann.username}`).waitFor();
    expect(await question(page).getByRole('alert').count()).toBe(0);
    await context.close();
  });

  it('a press after the text was edited is refused, and the page shows the new text', async () => {
    const { page, context, bot, message } = await asked();
    await button(page, 'Approve').waitFor();
    await page.route('**/actions/yes', async (route) => {
      const body = { text: 'Deploy everything?' };
      await call('PATCH', `/api/messages/${message._id.$oid}`, { token: bot.token, body });
      await route.continue();
    });
    await button(page, 'Approve').click();
    await question(page).getByRole('alert').getByText('edited').waitFor();
    await page.getByText('Deploy everything?').waitFor();
    await context.close();
  });

  it('a select answers by its button, with one answer of each person', async () => {
    const actions = ['Red', 'Green'].map((label) => ({ id: label.toLowerCase(), label }));
    const { page, context, problems, message, ann, bob } = await asked({ actions, is_select: true, answers: 'one_each' });
    const select = question(page).getByRole('combobox', { name: 'Answer' });
    await select.waitFor();
    expect(await button(page, 'Answer').isDisabled()).toBe(true);
    await select.selectOption('Green');
    expect(await objections(page)).toEqual([]);
    await button(page, 'Answer').click();
    await question(page).getByText(`by ${ann.username}`).waitFor();
    expect(await select.count()).toBe(0);
    await press(bob, message, 'red', {}, call);
    await question(page).getByText(`by ${bob.username}`).waitFor();
    expect(await question(page).getByRole('listitem').allTextContents()).toMatchObject([
      expect.stringContaining('Red'),
      expect.stringContaining('Green'),
    ]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('buttons are off after the end, and for people who are not asked', async () => {
    const expires_at = new Date(Date.now() + 8_000).toISOString();
    const actions = [yesOrNo[0], { id: 'owner', label: 'Owners only', who: 'owner' }];
    const { page, context } = await asked({ actions, expires_at });
    await button(page, 'Approve').waitFor();
    expect(await button(page, 'Owners only').isDisabled()).toBe(true);
    await question(page).getByText('The time to answer is over.').waitFor();
    expect(await button(page, 'Approve').isDisabled()).toBe(true);
    expect(await objections(page)).toEqual([]);
    await context.close();
  });
});
