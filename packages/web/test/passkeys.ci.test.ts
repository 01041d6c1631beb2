import { ObjectId } from 'mongodb';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokens } from '../../../lib/collections/accounts/tokens.ts';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aWrongCode, turnOn } from '../../../test/support/second-factor.ts';
import { aService } from '../../../test/support/services.ts';
import { overHttp } from '../../../test/support/transports.ts';
import { interceptRequests } from '../../../tools/harness/browser.ts';
import { commands, freePort, type Service } from '../../../tools/harness/service.ts';
import { objections } from './axe.ts';
import { signIn, visit } from './support.ts';

let service: Service;
beforeAll(async () => {
  const port = await freePort();
  const settings = { HTTP_PORT: port, PUBLIC_URL: `http://localhost:${port}` };
  service = await aService({ ...settings }, commands.serve);
});
afterAll(() => service.stop());

/**
 * A page whose browser has an authenticator, which recognises its owner; `session` and
 * `authenticatorId` are for others of it.
 */
async function aDevice(path: string, options = {}) {
  const visited = await visit({ path, baseUrl: service.url, options });
  const session = await visited.context.newCDPSession(visited.page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { ...visited, session, authenticatorId };
}

/** Copies a passkey to another device, as synchronised passkeys are. */
async function synchronise(from: { session: CDPSession; authenticatorId: string }, to: typeof from): Promise<void> {
  const { authenticatorId } = from;
  const { credentials } = await from.session.send('WebAuthn.getCredentials', { authenticatorId });
  for (const credential of credentials)
    await to.session.send('WebAuthn.addCredential', { authenticatorId: to.authenticatorId, credential });
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Signs in by the password, and adds a passkey in the settings. */
async function addPasskey(page: Page, account: Account): Promise<void> {
  await signIn(page, account);
  await page.goto(`${service.url}/settings/passkeys`);
  await page.getByText('No passkeys yet.').waitFor();
  await page.getByLabel('Current password').fill(account.password);
  await button(page, 'Add a passkey').click();
  await page.getByText('The passkey is added.').first().waitFor();
}

/** Ends the session where no page is open that would notice, and request a passkey on its own. */
async function loseSession(page: Page): Promise<void> {
  await page.goto(`${service.url}/icon.svg`);
  await page.context().clearCookies();
}

async function signOut(page: Page): Promise<void> {
  await loseSession(page);
  await page.evaluate('localStorage.clear()');
  await page.goto(`${service.url}/login`);
}

describe('a page whose service has an address of its own', () => {
  it('the web client adds a passkey, signs in with it by the keyboard alone, renames and removes it, and is refused after that', async () => {
    const account = await anAccount();
    const { page, problems, context } = await aDevice('/login');
    await signIn(page, account);
    await page.goto(`${service.url}/settings/passkeys`);
    await page.getByText('No passkeys yet.').waitFor();
    expect(await objections(page)).toEqual([]);
    await page.getByLabel('Current password').fill('incorrect horse');
    await page.keyboard.press('Enter');
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(account.password);
    await page.keyboard.press('Enter');
    await page.getByText('The passkey is added.').first().waitFor();
    const listed = page.locator('.listed li');
    await expect.poll(() => listed.allInnerTexts()).toEqual([expect.stringMatching(/^Linux · added .* · never used/)]);
    expect(await objections(page)).toEqual([]);
    // A second passkey on this device is refused.
    await page.getByLabel('Current password').fill(account.password);
    await page.keyboard.press('Enter');
    await page.getByText('This device has a passkey for your account already.').waitFor();

    await signOut(page);
    await button(page, 'Sign in with a passkey').waitFor();
    expect(await objections(page)).toEqual([]);
    await button(page, 'Sign in with a passkey').focus();
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();

    await page.goto(`${service.url}/settings/passkeys`);
    await button(page, 'Rename Linux').click();
    await page.getByLabel('Name of the passkey').fill('My laptop');
    expect(await objections(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await button(page, 'Remove My laptop').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(account.password);
    expect(await objections(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('No passkeys yet.').waitFor();

    await signOut(page);
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('This passkey does not work here. It may have been removed.').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the web client signs in on a second device that got the passkey from the first', async () => {
    const account = await anAccount();
    const first = await aDevice('/login');
    await addPasskey(first.page, account);
    const second = await aDevice('/login');
    await synchronise(first, second);
    await button(second.page, 'Sign in with a passkey').click();
    await second.page.locator('.shell').waitFor();
    const { cookies } = await second.context.storageState();
    expect(cookies).toMatchObject([{ name: 'session', httpOnly: true, sameSite: 'Strict' }]);
    expect([first.problems, second.problems]).toEqual([[], []]);
    await first.context.close();
    await second.context.close();
  });

  it('the page takes a code as well for a new passkey where a second factor is on, and the passkey in place of the next code', async () => {
    const account = await anAccount();
    const { app, recovery } = await turnOn(overHttp(service.url), account);
    const { page, problems, context } = await aDevice('/login');
    const toSecondStep = async () => {
      await page.getByLabel('Username or e-mail address').fill(account.username);
      await page.getByLabel('Password', { exact: true }).fill(account.password);
      await button(page, 'Sign in').click();
      await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    };
    await toSecondStep();
    await button(page, 'Use a recovery code').click();
    await page.getByLabel('Recovery code').fill(recovery[0] ?? '');
    await button(page, 'Sign in').click();
    await page.locator('.shell').waitFor();

    await page.goto(`${service.url}/settings/passkeys`);
    await page.getByLabel('Current password').fill(account.password);
    const code = page.getByLabel('Code from the app, or a recovery code');
    expect(await objections(page)).toEqual([]);
    await code.fill(aWrongCode(app));
    await button(page, 'Add a passkey').click();
    await page.getByText('This code is wrong or was used before.').waitFor();
    await code.fill(recovery[1] ?? '');
    await button(page, 'Add a passkey').click();
    await page.getByText('The passkey is added.').first().waitFor();

    await signOut(page);
    await toSecondStep();
    expect(await objections(page)).toEqual([]);
    await button(page, 'Sign in with a passkey').click();
    await page.locator('.shell').waitFor();
    // Now it has just been used.
    await page.goto(`${service.url}/settings/passkeys`);
    await page.getByText('Linux').first().waitFor();
    expect(await code.count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the page takes in place of the next code a passkey of the account whose password was given, and of no other', async () => {
    const [account, other] = [await anAccount(), await anAccount()];
    const { recovery } = await turnOn(overHttp(service.url), account);
    const { page, problems, context } = await aDevice('/login');
    await addPasskey(page, other);
    await signOut(page);
    await page.getByLabel('Username or e-mail address').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('This passkey is for another account.').waitFor();
    expect(await objections(page)).toEqual([]);
    expect((await context.cookies()).filter(({ name }) => name === 'session')).toEqual([]);
    // The code still does.
    await button(page, 'Use a recovery code').click();
    await page.getByLabel('Recovery code').fill(recovery[0] ?? '');
    await button(page, 'Sign in').click();
    await page.locator('.shell').waitFor();
    await page.goto(`${service.url}/settings/profile`);
    await page.getByText(`@${account.username}`).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the page takes, where somebody has to sign in again, a passkey of the same account and of no other', async () => {
    const [account, other] = [await anAccount(), await anAccount()];
    const { page, problems, context } = await aDevice('/login');
    await addPasskey(page, other);
    await signOut(page);
    await signIn(page, account);
    await context.clearCookies();
    await page.reload();
    await page.getByText('Sign in again').first().waitFor();
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('This passkey is for another account.').waitFor();
    expect((await context.cookies()).filter(({ name }) => name === 'session')).toEqual([]);
    // Users who want to change accounts say so, and are asked about unsent content.
    await button(page, 'Sign in as someone else').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in as someone else' }).click();
    await button(page, 'Sign in with a passkey').click();
    await page.locator('.shell').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the page asks for a code if the passkey stops counting as a second factor while the form is open', async () => {
    const account = await anAccount();
    const { page, problems, context, session, authenticatorId } = await aDevice('/login');
    await addPasskey(page, account);
    await signOut(page);
    await button(page, 'Sign in with a passkey').click();
    await page.locator('.shell').waitFor();
    const { recovery } = await turnOn(overHttp(service.url), account);
    await page.goto(`${service.url}/settings/passkeys`);
    await page.getByLabel('Current password').fill(account.password);
    const code = page.getByLabel('Code from the app, or a recovery code');
    expect(await code.count()).toBe(0);
    const sessions = { user: new ObjectId(account.id), by_passkey: true as const };
    await tokens.updateMany(sessions, { $set: { created_at: new Date(Date.now() - 601_000) } });
    // The device creates another passkey only after it has lost the account's first one.
    await session.send('WebAuthn.clearCredentials', { authenticatorId });
    await button(page, 'Add a passkey').click();
    await page.getByText('Sign in again, or enter a code.').waitFor();
    expect(await objections(page)).toEqual([]);
    expect(await code.evaluate((field) => field === document.activeElement)).toBe(true);
    // The password that was typed is still there.
    await code.fill(recovery[0] ?? '');
    await page.keyboard.press('Enter');
    await page.getByText('The passkey is added.').first().waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the page suggests a passkey in the field for the name, in a browser that has used one here, and asks for none before', async () => {
    const account = await anAccount();
    const { page, problems, context, session, authenticatorId } = await aDevice('/login');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const times = () => asked.filter((one) => one === 'POST /api/passkey-sessions').length;
    const name = page.getByLabel('Username or e-mail address');
    await button(page, 'Sign in with a passkey').waitFor();
    expect(await name.getAttribute('autocomplete')).toBe('username webauthn');
    expect(times()).toBe(0);
    await addPasskey(page, account);
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
    await loseSession(page);
    await page.goto(`${service.url}/login`);
    await button(page, 'Sign in with a passkey').waitFor();
    await expect.poll(times).toBe(1);
    expect(await page.locator('.shell').count()).toBe(0);
    // The button requests one as well, which ends the suggestion: a service that knows the passkey
    // requests it twice. The device answers the allowed request, so the service's own answer waits
    // for it.
    const mayAnswer = Promise.withResolvers<void>();
    await interceptRequests(page, '**/api/passkey-sessions', (route) => mayAnswer.promise.then(() => route.continue()), 1);
    await button(page, 'Sign in with a passkey').click();
    await expect.poll(times).toBe(2);
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true });
    mayAnswer.resolve();
    await page.locator('.shell').waitFor();
    await loseSession(page);
    await page.goto(`${service.url}/login`);
    // The page shows the last user's rooms until the service has said that the session is over.
    await expect.poll(times).toBe(3);
    await page.locator('.shell').waitFor();

    // An automatic request fails silently; one that the user chose does not.
    await loseSession(page);
    await interceptRequests(page, '**/api/passkey-sessions', (route) => route.fulfill({ status: 429, json: {} }), 1);
    await page.goto(`${service.url}/login`);
    await button(page, 'Sign in with a passkey').waitFor();
    await expect.poll(times).toBe(4);
    expect(await page.getByRole('alert').count()).toBe(0);
    const call = overHttp(service.url);
    const listed = (await call('GET', '/api/passkeys', { token: account.token })).body as {
      passkeys: { _id: { $oid: string } }[];
    };
    const path = `/api/passkeys/${listed.passkeys[0]?._id.$oid}`;
    const body = { current_password: account.password };
    expect((await call('DELETE', path, { token: account.token, body })).status).toBe(204);
    await page.reload();
    await page.getByText('This passkey does not work here. It may have been removed.').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the page says if the device does not recognise its owner, and signs nobody in', async () => {
    const account = await anAccount();
    const { page, problems, context, session, authenticatorId } = await aDevice('/login');
    await addPasskey(page, account);
    await signOut(page);
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('It was cancelled, or took too long.').waitFor();
    expect(await page.locator('.shell').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the web client offers passkeys in German and in Arabic', async () => {
    for (const [locale, label] of [
      ['de', 'Mit einem Passkey anmelden'],
      ['ar', 'تسجيل الدخول بمفتاح مرور'],
    ] as const) {
      const { page, problems, context } = await aDevice('/login', { locale });
      await button(page, label).waitFor();
      expect(problems).toEqual([]);
      await context.close();
    }
  });
});

it('a page at another address than the service says offers no passkey, and its settings say where they work', async () => {
  const account = await anAccount();
  const { page, problems, context } = await visit({ path: '/login' });
  await button(page, 'Sign in').waitFor();
  expect(await button(page, 'Sign in with a passkey').count()).toBe(0);
  await signIn(page, account);
  await page.goto(new URL('/settings/passkeys', page.url()).href);
  await page.getByText('Passkeys work at https://chat.example.org.').waitFor();
  expect(await button(page, 'Add a passkey').count()).toBe(0);
  expect((await overHttp(service.url)('GET', '/api/passkeys', { token: account.token })).body).toEqual({
    origin: service.url,
    obstacle: null,
    needs_code: false,
    passkeys: [],
  });
  expect(problems).toEqual([]);
  await context.close();
});
