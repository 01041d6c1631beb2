import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, anAccount, aSession } from '../../../test/support/accounts.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { anApp, aWrongCode, codeOf, turnOn } from '../../../test/support/second-factor.ts';
import { aService } from '../../../test/support/services.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { objections } from './axe.ts';
import { call, visit } from './support.ts';

let strict: Service;
beforeAll(async () => {
  strict = await aService({ REQUIRE_2FA: 'all' }, commands.serve);
});
afterAll(() => strict.stop());

/** Waits for a field, which has the focus, and types into it with the keyboard alone. */
async function type(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await field.waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(await field.getAttribute('id'));
  await page.keyboard.type(text);
}

/** Signs in up to the second step, by the keyboard alone. */
async function toSecondStep(page: Page, { username, password }: Account): Promise<void> {
  await type(page, 'Username or e-mail address', username);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
}

const codesIn = (page: Page) => page.locator('.recovery-codes li').allTextContents();
const secretIn = async (page: Page) => (await page.locator('.section code').textContent())?.replaceAll(' ', '');

describe('the web client', () => {
  it('the web client turns a second factor on with a QR code or a key, and shows recovery codes once, to copy or to keep as a file', async () => {
    const account = await anAccount();
    const { page, problems, context } = await visit({
      path: '/login',
      options: { permissions: ['clipboard-read', 'clipboard-write'] },
      as: account,
    });
    await page.goto(page.url().replace(/(\/\/[^/]+).*/, '$1/settings/security'));
    await page.getByLabel('Current password').fill('incorrect horse');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(account.password);
    await page.getByRole('button', { name: 'Set up' }).click();

    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    expect(await objections(page)).toEqual([]);
    const secret = await secretIn(page);
    const app = anApp(`otpauth://totp/Chat:${account.username}?secret=${secret}&issuer=Chat`);
    const code = page.getByLabel('Code from the app');
    expect([await code.getAttribute('autocomplete'), await code.getAttribute('inputmode')]).toEqual(['one-time-code', 'numeric']);
    await type(page, 'Code from the app', aWrongCode(app));
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong or was used before.').waitFor();
    await code.fill(codeOf(app));
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    const codes = await codesIn(page);
    expect(codes).toHaveLength(10);
    expect(await objections(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy the codes' }).click();
    await page.getByText('The codes are copied.').first().waitFor();
    const text = `${codes.join('\n')}\n`;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the codes' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`Chat-${account.username}-recovery-codes.txt`);
    expect(await readFile(await download.path(), 'utf8')).toBe(text);
    await page.getByRole('button', { name: 'I’ve saved these codes' }).click();
    await page.getByText('10 recovery codes left.').waitFor();
    expect(await page.content()).not.toContain(codes[0]);

    await page.getByText('Turn off two-step sign-in').first().click();
    const form = page.locator('form.danger-form');
    await form.getByLabel('Code from the app, or a recovery code').fill(codes[0] ?? '');
    await form.getByLabel('Current password').fill(account.password);
    expect(await objections(page)).toEqual([]);
    await form.getByRole('button', { name: 'Turn off two-step sign-in' }).click();
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the web client asks for a code after the password, explains a wrong one, and signs in, by keyboard only', async () => {
    const account = await anAccount();
    const { app } = await turnOn(call, { ...account, token: await aSession(call, account) });
    const { page, problems, context } = await visit({ path: '/login' });
    await toSecondStep(page, account);
    expect(await objections(page)).toEqual([]);
    await type(page, 'Code from the app', '12345');
    await page.keyboard.press('Enter');
    await page.getByText('This code is incomplete.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(aWrongCode(app));
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong or was used before.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(codeOf(app, 1));
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the web client takes a recovery code instead, or goes back to the password', async () => {
    const account = await anAccount();
    const { recovery } = await turnOn(call, { ...account, token: await aSession(call, account) });
    const { page, problems, context } = await visit({ path: '/login' });
    await toSecondStep(page, account);
    await page.getByRole('button', { name: 'Back' }).click();
    await toSecondStep(page, account);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await type(page, 'Recovery code', (recovery[0] ?? '').toUpperCase());
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the web client leads people who need a second factor to its set-up, and then continues', async () => {
    const account = await anAccount();
    const room = await aRoom({ owner: account, name: 'Plans' });
    const { page, problems, context } = await visit({ path: '/login', baseUrl: strict.url, as: account });
    await page.getByText('This service requires a second factor.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/security');
    await page.getByLabel('Current password').fill(account.password);
    await page.getByRole('button', { name: 'Set up' }).click();
    const secret = await secretIn(page);
    await type(page, 'Code from the app', codeOf(anApp(`otpauth://totp/Chat:x?secret=${secret}&issuer=Chat`)));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I’ve saved these codes' }).click();
    await page.getByRole('link', { name: 'Plans' }).click();
    await page.waitForURL(`**/rooms/${room.id}`);
    expect(problems).toEqual([]);
    await context.close();
  });
});
