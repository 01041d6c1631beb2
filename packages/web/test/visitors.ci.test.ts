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
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await page.getByRole('link', { name: 'Go to the rooms' }).click();
    await page.getByLabel('Password').waitFor();
    await context.close();
  });

  it('a visitor is told in plain words what a form lacks', async () => {
    const { page, context } = await visit({ path: '/signup' });
    const submit = page.getByRole('button', { name: 'Create account' });
    const said = (label: string) =>
      page
        .getByLabel(label, { exact: true })
        .evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage);
    await submit.click();
    expect(await said('Username')).toBe('Fill in this field.');
    await page.getByLabel('Username').fill('two words');
    await page.getByLabel('E-mail address').fill('nobody');
    await page.getByLabel('Password').pressSequentially('short');
    await submit.click();
    expect(await said('Username')).toMatch(/^A username can have letters, digits/);
    expect(await said('E-mail address')).toMatch(/^Enter an e-mail address/);
    expect(await said('Password')).toBe('Enter at least 8 characters.');
    const name = aName();
    await page.getByLabel('Username').fill(` @${name} `);
    await page.getByLabel('E-mail address').fill(`${name}@example.org`);
    await page.getByLabel('Password').fill('password');
    await submit.click();
    const problem = page.locator('.problem');
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/^Choose a password of at least 8 characters/);
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
    const [email, username, password] = ['E-mail address', 'Username', 'Password'].map((label) =>
      page.getByLabel(label, { exact: true }),
    ) as [Locator, Locator, Locator];
    return { ...visited, email, username, password, submit: page.getByRole('button', { name: 'Create account' }) };
  };

  /** What stands below a field. */
  const hint = async (field: Locator) => {
    const id = await field.getAttribute('aria-describedby');
    return field.page().locator(`#${id}`).textContent();
  };

  it('the form for a new account suggests a username while the address is typed, by keyboard alone', async () => {
    const name = aName();
    const { page, context, email, username, password } = await open();
    await expect.poll(() => email.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    // Sent too early: what is missing is said, and then filled in.
    await page.keyboard.press('Enter');
    await email.pressSequentially(`${name.toUpperCase()}+chat@Example.org`);
    expect(await username.inputValue()).toBe(name);
    await page.keyboard.press('Tab');
    expect(await username.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse');
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    expect([await email.count(), await password.count()]).toEqual([0, 0]);
    await context.close();
  });

  it('the form for a new account leaves a username alone that somebody typed, also where it is taken', async () => {
    const [name, taken] = [aName(), (await anAccount()).username];
    const { page, context, email, username, password, submit } = await open();
    await email.fill(`${name}@example.org`);
    await username.fill(taken);
    await email.fill(`other.${name}@example.org`);
    expect(await username.inputValue()).toBe(taken);
    expect(await hint(username)).toMatch(/^Letters from a to z, digits,/);
    await password.fill('correct horse');
    await submit.click();
    await page.getByText('The username is already in use.').waitFor();
    expect(await username.inputValue()).toBe(taken);
    await username.fill(name);
    await submit.click();
    await page.locator('.shell').waitFor();
    await context.close();
  });

  it('the form for a new account suggests a number where a suggestion is taken or reserved, and keeps it', async () => {
    const taken = (await anAccount()).username;
    await anAccount({ username: `${taken}2` });
    const { page, context, email, username, password, submit } = await open();
    await email.fill('info@example.org');
    await password.fill('correct horse');
    await submit.click();
    await page.getByText('The username info is not available. Try info2, or choose another one.').waitFor();
    expect(await username.inputValue()).toBe('info2');
    await email.fill(`${taken}@example.com`);
    await submit.click();
    await page.getByText(`Try ${taken}2,`).waitFor();
    // Another provider, but the same name before the sign.
    await email.fill(`${taken}@example.net`);
    expect(await username.inputValue()).toBe(`${taken}2`);
    await submit.click();
    await page.getByText(`Try ${taken}3,`).waitFor();
    await submit.click();
    await page.locator('.shell').waitFor();
    await context.close();
  });

  it('the form for a new account says which characters a username may have where it has none to suggest', async () => {
    const { context, email, username } = await open();
    expect(await hint(username)).toMatch(/^Letters from a to z, digits,/);
    await email.fill('ann@example.org');
    await expect.poll(() => hint(username)).toMatch(/^Suggested from your e-mail address/);
    await email.fill('анна@example.org');
    await expect.poll(() => hint(username)).toMatch(/^Letters from a to z, digits,/);
    await context.close();
  });

  it('the form for a new account tells programs that keep passwords which field is which', async () => {
    const { context, email, username, password } = await open();
    const kinds = [email, username, password].map((field) => field.getAttribute('autocomplete'));
    expect(await Promise.all(kinds)).toEqual(['email', 'username', 'new-password']);
    await context.close();
  });
});

describe('a signed-in user', () => {
  it('a signed-in user reads that there is nothing at an address that leads nowhere, and goes on from there', async () => {
    const { page, context } = await visit();
    await signIn(page, await anAccount());
    await page.goto(`${serveUrl}/rooms/nothing`);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
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
