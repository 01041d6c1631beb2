import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { aName, anAccount } from '../../../test/support/accounts.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { say, serveUrl, signIn, textsOf, visit } from './support.ts';

/** The statuses of what the page is refused from here on. */
function refusedOf(page: Page): number[] {
  const refused: number[] = [];
  page.on('response', (response) => response.status() >= 400 && refused.push(response.status()));
  return refused;
}

describe('a visitor who is not signed in', () => {
  it('a visitor opens the page without an error in the console', async () => {
    const { page, context } = await visit();
    await page.getByLabel('Password').waitFor();
    const refused = refusedOf(page);
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.reload();
    await page.getByLabel('Password').waitFor();
    await page.waitForLoadState('networkidle');
    expect([refused, errors]).toEqual([[], []]);
    await context.close();
  });

  it('a visitor is recognised by the session alone', async () => {
    const { page, context } = await visit();
    await signIn(page, await anAccount());
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.locator('.shell').waitFor();
    await context.close();
  });

  it('a visitor reads that there is nothing at an address that leads nowhere', async () => {
    const { page, context } = await visit();
    const answer = await page.goto(`${serveUrl}/anything/at/all`);
    expect(answer?.status()).toBe(404);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the rooms' }).click();
    await page.getByLabel('Password').waitFor();
    await context.close();
  });

  it('a visitor sees in plain words what a form lacks', async () => {
    const { page, context } = await visit({ path: '/signup' });
    const submit = page.getByRole('button', { name: 'Create account' });
    const said = (label: string) =>
      page
        .getByLabel(label, { exact: true })
        .evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage);
    await submit.click();
    expect(await said('Your name')).toBe('Fill in this field.');
    const name = aName();
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Username').fill('two words');
    await page.getByLabel('E-mail address').fill('nobody');
    await page.getByLabel('Password').pressSequentially('short');
    await submit.click();
    expect(await said('Username')).toMatch(/^A username can have letters, digits/);
    expect(await said('E-mail address')).toMatch(/^Enter an e-mail address/);
    expect(await said('Password')).toBe('Enter at least 8 characters.');
    await page.getByLabel('Username').fill(` @${name} `);
    await page.getByLabel('E-mail address').fill(`${name}@example.org`);
    await page.getByLabel('Password').fill('password');
    await submit.click();
    const problem = page.locator('.problem');
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/^This password is too common/);
    await page.getByLabel('Password').fill('correct horse');
    await submit.click();
    await page.locator('.shell').waitFor();
    await context.close();
  });
});

describe('the form for a new account', () => {
  const open = async () => {
    const visited = await visit({ path: '/signup' });
    const { page } = visited;
    const [name, email, username, password] = ['Your name', 'E-mail address', 'Username', 'Password'].map((label) =>
      page.getByLabel(label, { exact: true }),
    ) as [Locator, Locator, Locator, Locator];
    return { ...visited, name, email, username, password, submit: page.getByRole('button', { name: 'Create account' }) };
  };

  const hasFocus = (field: Locator) => field.evaluate((element) => element === element.ownerDocument.activeElement);

  /** The account that signed up, as the service has it. */
  const accountOf = async (page: Page) => {
    await page.locator('.shell').waitFor();
    return page.evaluate<Record<string, string>>("fetch('/api/users/me').then((answer) => answer.json())");
  };

  it('the form for a new account asks for a name, an address and a password, by keyboard alone', async () => {
    const account = aName();
    const { page, context, name, email, username, password } = await open();
    await expect.poll(() => hasFocus(name)).toBe(true);
    // Sent too early: the form names the missing field.
    await page.keyboard.press('Enter');
    await page.keyboard.type(`${account.toUpperCase()} Lee`);
    await page.getByText(`Others mention you as @${account}.lee.`).waitFor();
    expect(await username.count()).toBe(0);
    await page.keyboard.press('Tab');
    expect(await hasFocus(email)).toBe(true);
    await page.keyboard.type(`${account}@example.org`);
    await page.keyboard.press('Tab');
    expect(await hasFocus(password)).toBe(true);
    await page.keyboard.type('correct horse');
    await page.keyboard.press('Enter');
    expect(await accountOf(page)).toMatchObject({ username: `${account}.lee`, name: `${account.toUpperCase()} Lee` });
    await context.close();
  });

  it('the form for a new account leaves a username alone that somebody typed, also where it is taken', async () => {
    const [account, taken] = [aName(), (await anAccount()).username];
    const { page, context, name, email, username, password, submit } = await open();
    await name.fill(account);
    await page.getByRole('button', { name: 'Change' }).click();
    await username.fill(taken);
    await name.fill('Another Name');
    await email.fill(`${account}@example.org`);
    expect(await username.inputValue()).toBe(taken);
    await password.fill('correct horse');
    await submit.click();
    await page.getByText('The username is already in use.').waitFor();
    expect(await username.inputValue()).toBe(taken);
    await username.fill(account);
    await submit.click();
    expect(await accountOf(page)).toMatchObject({ username: account, name: 'Another Name' });
    await context.close();
  });

  it('the form for a new account adds a number where a suggestion is taken or reserved, and asks nothing', async () => {
    const taken = (await anAccount()).username;
    await anAccount({ username: `${taken}2` });
    const { page, context, name, email, password, submit } = await open();
    await name.fill(taken);
    await email.fill(`${aName()}@example.org`);
    await password.fill('correct horse');
    await submit.click();
    expect(await accountOf(page)).toMatchObject({ username: `${taken}3`, name: taken });
    await context.close();
  });

  it('the form for a new account takes the username from the address if the name has no usable letters, or asks for it', async () => {
    const { page, context, name, email, username, password, submit } = await open();
    const account = aName();
    await name.fill('美咲');
    await email.fill(`${account}@example.org`);
    await page.getByText(`Others mention you as @${account}.`).waitFor();
    await email.fill('!!@example.org');
    await password.fill('correct horse');
    await submit.click();
    await page.getByText('Choose a username').waitFor();
    expect(await username.inputValue()).toBe('');
    await email.fill(`${account}@example.org`);
    await username.fill(account);
    await submit.click();
    expect(await accountOf(page)).toMatchObject({ username: account, name: '美咲' });
    await context.close();
  });

  it('the form for a new account tells programs that keep passwords which field is which', async () => {
    const { page, context, name, email, username, password } = await open();
    await name.fill('Ann');
    await page.getByRole('button', { name: 'Change' }).click();
    const kinds = [name, email, username, password].map((field) => field.getAttribute('autocomplete'));
    expect(await Promise.all(kinds)).toEqual(['name', 'email', 'username', 'new-password']);
    await context.close();
  });
});

describe('a signed-in user', () => {
  it('a signed-in user reads that there is nothing at an address that leads nowhere, and goes on from there', async () => {
    const { page, context } = await visit();
    await signIn(page, await anAccount());
    await page.goto(`${serveUrl}/rooms/nothing`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the rooms' }).click();
    await page.getByRole('link', { name: 'All rooms' }).first().waitFor();
    await context.close();
  });

  it('a signed-in user sees a message only once if the service stores it in another form', async () => {
    const room = await aRoom();
    const { page, context } = await visit({ as: room.owner });
    await page.goto(`${serveUrl}/rooms/${room.id}`);
    await page.locator('.room-pane .composer textarea').waitFor();
    // The answer is lost, and the message comes with the feed: it is known by its text.
    await page.route('**/api/messages', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await say(page, 'slide\u000btwo \u001b[1mbold\u001b[0m');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'slide' }).waitFor();
    expect(await textsOf(page)).toEqual(['slide\ntwo bold']);
    expect(await page.locator('.room-pane li', { hasText: 'slide' }).count()).toBe(1);
    // The page may be sending it once more.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
});
