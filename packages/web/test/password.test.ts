import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { aName, anAccount } from '../../../test/support/accounts.ts';
import { mailsTo } from '../../../test/support/mail.ts';
import { openBrowser } from '../../../tools/harness/browser.ts';
import { commands, type Service, startService } from '../../../tools/harness/service.ts';
import { signIn, visit } from './support.ts';

let browser: Browser;
let strict: Service;
beforeAll(async () => {
  const environment = { ...inject('environment'), EMAIL_CONFIRMATION: 'required' };
  [browser, strict] = await Promise.all([openBrowser(), startService(environment, commands.serve)]);
});
afterAll(() => Promise.all([browser.close(), strict.stop()]));

/** The path of the link that the last e-mail to an address has. */
const linkTo = (address: string): string =>
  /https:\/\/chat\.example\.org(\/\S+)/.exec(mailsTo(address).at(-1)?.text ?? '')?.[1] ?? '';

describe('the web client', () => {
  it('has a link sent to whoever forgot the password, and sets a new one by it, once', async () => {
    const { username, email } = await anAccount();
    const asking = await visit(browser, { path: '/login' });
    await asking.page.getByRole('link', { name: 'Forgot your password?' }).click();
    await asking.page.getByLabel('E-mail address').fill(email);
    await asking.page.getByRole('button', { name: 'Send me a link' }).click();
    await asking.page.getByText('Look into your mailbox').waitFor();

    const { page, problems, context } = await visit(browser, { path: linkTo(email) });
    await page.getByLabel('New password').fill('another horse');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your new password is set').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { username, password: 'another horse' });

    const again = await visit(browser, { path: linkTo(email) });
    await again.page.getByLabel('New password').fill('a third horse');
    await again.page.getByRole('button', { name: 'Set password' }).click();
    await again.page.getByText('This link is over').waitFor();
    expect([...problems, ...asking.problems, ...again.problems]).toEqual([]);
    await Promise.all([context, asking.context, again.context].map((one) => one.close()));
  });

  it('has an address confirmed before it signs up with it, where that is required', async () => {
    const name = aName();
    const email = `${name}@example.org`;
    const asking = await visit(browser, { path: '/signup', baseUrl: strict.url });
    await asking.page.getByLabel('E-mail address').fill(email);
    await asking.page.getByRole('button', { name: 'Send me a link' }).click();
    await asking.page.getByText('Look into your mailbox').waitFor();

    const { page, problems, context } = await visit(browser, { path: linkTo(email), baseUrl: strict.url });
    await page.getByLabel('Username').fill(name);
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.locator('.shell').waitFor();
    expect([...problems, ...asking.problems]).toEqual([]);
    await Promise.all([context, asking.context].map((one) => one.close()));
  });
});
