import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aName, anAccount } from '../../../test/support/accounts.ts';
import { mailsTo } from '../../../test/support/mail.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { aService } from '../../../test/support/services.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { call, openPage, signIn, visit } from './support.ts';

let strict: Service;
beforeAll(async () => {
  const environment = { EMAIL_CONFIRMATION: 'required' };
  strict = await aService(environment, commands.serve);
});
afterAll(() => strict.stop());

/** The path of the link that the last e-mail to an address has. */
const linkTo = (address: string): string =>
  /https:\/\/chat\.example\.org(\/\S+)/.exec(mailsTo(address).at(-1)?.text ?? '')?.[1] ?? '';

describe('the web client', () => {
  it('the web client can show a password while it is typed, by keyboard', async () => {
    const account = await anAccount();
    const { page, context } = await visit({ path: '/login' });
    await page.getByLabel('Username or e-mail address').fill(account.username);
    const field = page.getByLabel('Password');
    await field.fill(account.password);
    expect(await field.getAttribute('type')).toBe('password');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.getAttribute('type')).toBe('text');
    expect(await field.inputValue()).toBe(account.password);
    await page.keyboard.press('Enter');
    await expect.poll(() => field.getAttribute('type')).toBe('password');
    await field.press('Enter');
    await page.locator('.shell').waitFor();
    await context.close();
  });

  it('the web client sends a link to a user who forgot the password, and sets a new password by it once', async () => {
    const { username, email } = await anAccount();
    const asking = await visit({ path: '/login' });
    await asking.page.getByRole('link', { name: 'Forgot your password?' }).click();
    await asking.page.getByLabel('E-mail address').fill(email);
    await asking.page.getByRole('button', { name: 'Send me a link' }).click();
    await asking.page.getByText('Check your e-mail').waitFor();

    const { page, problems, context } = await visit({ path: linkTo(email) });
    await page.getByLabel('New password').fill('another horse');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your new password is set').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { username, password: 'another horse' });

    const again = await visit({ path: linkTo(email) });
    await again.page.getByLabel('New password').fill('a third horse');
    await again.page.getByRole('button', { name: 'Set password' }).click();
    await again.page.getByText('This link has expired').waitFor();
    expect([...problems, ...asking.problems, ...again.problems]).toEqual([]);
    await Promise.all([context, asking.context, again.context].map((one) => one.close()));
  });

  it('the web client confirms an address before a sign-up where that is required', async () => {
    const name = aName();
    const email = `${name}@example.org`;
    const asking = await visit({ path: '/signup', baseUrl: strict.url });
    await asking.page.getByLabel('E-mail address').fill(email);
    await asking.page.getByRole('button', { name: 'Send me a link' }).click();
    await asking.page.getByText('Check your e-mail').waitFor();

    const { page, problems, context } = await visit({ path: linkTo(email), baseUrl: strict.url });
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
    await page.getByText(`Others mention you as @${name}.`).waitFor();
    await page.getByLabel('Your name').fill('Ann Lee');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.locator('.shell').waitFor();
    expect([...problems, ...asking.problems]).toEqual([]);
    await Promise.all([context, asking.context].map((one) => one.close()));
  });

  it('the web client keeps an invitation while an address is confirmed, also in another tab, until the room is joined', async () => {
    const { path, owner } = await aRoom({ name: 'Invited only' });
    const { body } = await call('POST', `${path}/invitations`, { token: owner.token, body: {} });
    const { code } = body as { code: string };
    const name = aName();
    const email = `${name}@example.org`;
    const { page: asking, problems, context } = await visit({ path: `/join#${code}`, baseUrl: strict.url });
    await asking.getByLabel('E-mail address').fill(email);
    await asking.getByRole('button', { name: 'Send me a link' }).click();
    await asking.getByText('Check your e-mail').waitFor();
    await asking.close();

    const { page, problems: more } = await openPage(context, strict.url + linkTo(email));
    await page.getByText(`${owner.username} invites you to Invited only.`).waitFor();
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Invited only', exact: true }).waitFor();
    expect(await page.evaluate("localStorage.getItem('chat-invitation')")).toBeNull();
    expect([...problems, ...more]).toEqual([]);
    await context.close();
  });

  it('the web client changes an address by a code that is sent to the new one where that is required', async () => {
    const user = await anAccount();
    const email = `${aName()}@example.org`;
    const { page, problems, context } = await visit({ path: '/settings/profile', baseUrl: strict.url, as: user });
    const form = page.locator('section', { has: page.getByRole('heading', { name: 'E-mail address' }) });
    await form.getByLabel('E-mail address').fill(email);
    await form.getByRole('button', { name: 'Send a code to the new address' }).click();
    await form.getByLabel('Code from the e-mail').waitFor();
    await form.getByLabel('Code from the e-mail').fill(mailsTo(email).at(-1)?.code ?? 'none');
    await form.getByLabel('Current password').fill('a wrong password');
    await form.getByRole('button', { name: 'Change e-mail address' }).click();
    await form.getByText('The current password is incorrect.').waitFor();
    expect(await form.getByLabel('E-mail address').inputValue()).toBe(email);
    await form.getByLabel('Current password').fill(user.password);
    await form.getByRole('button', { name: 'Change e-mail address' }).click();
    await form.getByRole('button', { name: 'Send a code to the new address' }).waitFor();
    expect((await call('GET', '/api/users/me', { token: user.token })).body).toMatchObject({ email });
    expect(problems).toEqual([]);
    await context.close();
  });
});
