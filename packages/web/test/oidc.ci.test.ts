import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPasswordCode } from '../../../lib/sign-in/password-codes.ts';
import { anAccount, anAdmin } from '../../../test/support/accounts.ts';
import { useOwnDatabase } from '../../../test/support/config.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../test/support/identity-provider.ts';
import { aService } from '../../../test/support/services.ts';
import { commands, freePort, type Service } from '../../../tools/harness/service.ts';
import { objections } from './axe.ts';
import { signOut, visit } from './support.ts';

useOwnDatabase();

let provider: IdentityProvider;
let service: Service;
beforeAll(async () => {
  await anAdmin();
  const port = await freePort();
  const address = `http://localhost:${port}`;
  provider = await startIdentityProvider({ callback: `${address}/oidc`, logout: `${address}/api/oidc/logout` });
  service = await aService({ ...provider.settings, HTTP_PORT: port, PUBLIC_URL: address }, commands.serve);
});
afterAll(async () => {
  provider.close();
  await service.stop();
});

/** Does at the provider what people do there. */
async function atProvider(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Go' }).click();
}

const leave = async (page: Page) => {
  await page.goto(`${service.url}/settings/about`);
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor();
};

it('somebody signs in by the identity provider and is where they wanted to go, with a session that no script can read', async () => {
  provider.people.set('zoe', { preferred_username: 'zoe', name: 'Zoe Example', email: 'zoe@example.org' });
  const { page, context } = await visit({ path: '/directory', baseUrl: service.url });
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await atProvider(page, 'zoe');
  await page.locator('.shell').waitFor();
  expect(page.url()).toBe(`${service.url}/directory`);
  const cookies = await context.cookies(service.url);
  expect(cookies.find(({ name }) => name === 'session')).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(await page.evaluate('document.cookie')).toBe('');
  await page.goto(`${service.url}/settings/profile`);
  await page.getByText('@zoe').waitFor();

  // The provider's code is valid once, and has left the history.
  await page.goBack();
  await page.locator('.shell').waitFor();
  expect(page.url()).not.toContain('code=');

  // Signing out there ends the session here, which the open page hears at once.
  await provider.signOut('zoe');
  await page.getByText('Your session has ended.').waitFor();
  await context.close();
});

it('somebody connects an account, and then signs in to it by the identity provider', async () => {
  const ann = await anAccount();
  provider.people.set('ann', { preferred_username: 'another', email: 'ann@id.example.org', email_verified: true });
  const { page, context } = await visit({ path: '/settings/profile', baseUrl: service.url, as: ann });
  await page.getByRole('button', { name: 'Connect with Example ID' }).click();
  await atProvider(page, 'ann');
  await page.getByText('Your account is connected.').waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByText(`@${ann.username}`).waitFor();
  await page.getByText('Your account is connected.').waitFor();
  expect(await page.getByRole('button', { name: 'Connect with Example ID' }).count()).toBe(0);
  await leave(page);
  await context.clearCookies({ domain: '127.0.0.1' });
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await atProvider(page, 'ann');
  await page.locator('.shell').waitFor();
  await page.goto(`${service.url}/settings/profile`);
  await page.getByText(`@${ann.username}`).waitFor();

  // And is parted from it again, with a password that is left to sign in by.
  await page.getByRole('button', { name: 'Disconnect' }).click();
  expect(await objections(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('button', { name: 'Connect with Example ID' }).waitFor();
  expect(await page.getByText('Your account is connected.').count()).toBe(0);
  await context.close();
});

it('the page says if the identity provider refuses a sign-in, or if the person returns in another browser', async () => {
  provider.people.set('bob', { preferred_username: 'bob', email: 'bob@example.org' });
  const { page, context } = await visit({ baseUrl: service.url });
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await atProvider(page, 'nobody');
  await page.getByText('Example ID did not sign you in.').waitFor();
  expect(await objections(page)).toEqual([]);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor();
  expect(await objections(page)).toEqual([]);

  await page.route('**/api/oidc/callback', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  const back = page.waitForRequest((request) => request.url().startsWith(`${service.url}/oidc?`));
  await atProvider(page, 'bob');
  const thief = await visit({ path: (await back).url().slice(service.url.length), baseUrl: service.url });
  await thief.page.getByText('This sign-in has expired, or was started in another browser. Start again.').waitFor();
  expect((await thief.context.cookies(service.url)).filter(({ name }) => name === 'session')).toEqual([]);
  expect(thief.problems).toEqual([]);
  await Promise.all([context.close(), thief.context.close()]);
});

it('the link of an administrator opens an account for somebody at the identity provider, instead of a new password', async () => {
  const account = await anAccount();
  provider.people.set('tom', { preferred_username: 'tom', email: 'tom@id.example.org' });
  const { code } = await createPasswordCode(new ObjectId(account.id));
  const { page, context } = await visit({ path: `/password#${code}`, baseUrl: service.url });
  await page.getByLabel('New password').waitFor();
  expect(await objections(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await atProvider(page, 'tom');
  await page.locator('.shell').waitFor();
  await page.goto(`${service.url}/settings/profile`);
  await page.getByText(`@${account.username}`).waitFor();
  await context.close();
});

it('a page that offers only the provider shows no password and no sign-up, and reports an unreachable provider', async () => {
  const port = await freePort();
  const settings = { ...provider.settings, SIGN_IN: 'oidc', HTTP_PORT: port, PUBLIC_URL: `http://localhost:${port}` };
  const strict = await aService(settings, commands.serve);
  for (const path of ['/', '/signup', '/password', '/rooms/0123456789abcdef01234567']) {
    const { page, context, problems } = await visit({ path, baseUrl: strict.url });
    await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor();
    expect(await page.locator('input').count()).toBe(0);
    expect(await page.locator('.login a').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  }
  const link = await visit({ path: `/password#${'a'.repeat(32)}`, baseUrl: strict.url });
  await link.page.getByRole('heading', { name: 'Open your account' }).waitFor();
  expect(await link.page.locator('input').count()).toBe(0);
  await link.page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await link.page.getByText('This link has expired or was already used. Request a new one.').waitFor();
  await link.context.close();
  const { page, context } = await visit({ baseUrl: strict.url });
  provider.state.mode = 'fails';
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await page.getByText('Example ID can’t be reached. Try again later.').waitFor();
  provider.state.mode = 'works';
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await page.waitForURL((url) => url.href.startsWith(`${provider.issuer}/auth?`));
  await context.close();
  await strict.stop();
});

it('each of several identity providers has a button, which leads to it and back', async () => {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const [one, other] = (await Promise.all(
    ['/oidc', '/oidc/other'].map((path) => startIdentityProvider({ callback: `${address}${path}` })),
  )) as [IdentityProvider, IdentityProvider];
  const entry = { id: 'other', name: 'Other ID', issuer: other.issuer, client_id: 'chat' };
  const OIDC_PROVIDERS = JSON.stringify([{ ...entry, client_secret: other.settings.OIDC_CLIENT_SECRET }]);
  const settings = { ...one.settings, OIDC_PROVIDERS, HTTP_PORT: port, PUBLIC_URL: address };
  const both = await aService(settings, commands.serve);
  other.people.set('mia', { preferred_username: 'mia', email: 'mia@example.org' });
  const { page, context, problems } = await visit({ path: '/directory', baseUrl: both.url });
  await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor();
  expect(await objections(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign in with Other ID' }).click();
  await atProvider(page, 'mia');
  await page.locator('.shell').waitFor();
  expect(page.url()).toBe(`${both.url}/directory`);
  await page.goto(`${both.url}/settings/profile`);
  await page.getByText('@mia').waitFor();
  // The browser's whole way is seen, which leads over the provider.
  expect(problems.filter((problem) => !problem.startsWith(`asked for ${other.issuer}/`))).toEqual([]);

  await context.clearCookies();
  await page.goto(both.url);
  await page.getByRole('button', { name: 'Sign in with Other ID' }).click();
  await atProvider(page, 'nobody');
  await page.getByText('Other ID did not sign you in.').waitFor();
  await context.close();
  await both.stop();
  for (const provider of [one, other]) provider.close();
});

it('an administrator disconnects somebody from the identity provider, after the page has said what ends', async () => {
  const admin = await anAdmin();
  const person = await anAccount();
  provider.people.set('eve', { preferred_username: 'another', email: 'eve@id.example.org', email_verified: true });
  const theirs = await visit({ path: '/settings/profile', baseUrl: service.url, as: person });
  await theirs.page.getByRole('button', { name: 'Connect with Example ID' }).click();
  await atProvider(theirs.page, 'eve');
  await theirs.page.getByRole('link', { name: 'Continue' }).click();
  await theirs.page.getByText(`@${person.username}`).waitFor();

  const { page, problems, context } = await visit({ path: '/admin/people', baseUrl: service.url, as: admin });
  await page.goto(`${service.url}/admin/people`);
  await page.getByRole('searchbox').fill(person.username);
  await page.getByRole('button', { name: `Manage ${person.username}` }).click();
  const more = page.locator('.admin-actions').getByRole('button', { name: /^Actions for / });
  await more.click();
  await page.getByRole('menuitem', { name: 'Disconnect from the identity provider' }).click();
  const dialog = page.getByRole('dialog');
  expect((await dialog.locator('.effects li').allInnerTexts()).join('\n')).toBe(
    [
      'The person at the identity provider can no longer sign in to this account.',
      'Memberships and administrator rights from groups of the provider end. So do invitations and webhooks that the account created as an administrator in rooms of others.',
      '1 session ends.',
      '1 token keeps working.',
      'Its owner then signs in with a password. Without one, create a reset link. While the account keeps its address, signing in with the provider does not create another one.',
    ].join('\n'),
  );
  expect(await objections(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Disconnect from the identity provider' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect
    .poll(async () => {
      await more.click();
      const items = await page.getByRole('menuitem').allInnerTexts();
      await page.keyboard.press('Escape');
      return items.join();
    })
    .not.toContain('Disconnect');
  await theirs.page.getByText('Your session has ended.').waitFor();
  expect(problems).toEqual([]);
  await theirs.context.close();
  await context.close();
});
