import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { tokens } from '../../../lib/collections/accounts/tokens.ts';
import { type Account, aName, anAccount, anAdmin, aSession, logIn } from '../../../test/support/accounts.ts';
import { mailsTo } from '../../../test/support/mail.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { turnOn } from '../../../test/support/second-factor.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import { objections } from './axe.ts';
import { call, signIn, type Visit, type VisitSettings, visit } from './support.ts';

const admin = await anAdmin();

const phone = { width: 390, height: 844, options: { hasTouch: true } };

/** An administrator at a section of the page. */
async function at(section: string, who: Account = admin, settings: VisitSettings = {}): Promise<Visit> {
  const visited = await visit({ path: `/admin/${section}`, ...settings, as: who });
  await goWithin(visited.page, `/admin/${section}`);
  await visited.page.locator('main.admin').waitFor();
  return visited;
}

/** Finds an account, and opens what can be done about it. */
async function manage(page: Page, { username }: Pick<Account, 'username'>): Promise<void> {
  await page.getByRole('searchbox').fill(username);
  await expect.poll(() => page.locator('.managed').count()).toBe(1);
  await page.getByRole('button', { name: /^Manage / }).click();
}

/** Chooses an action on the account that is open: a button, or an item of the menu of rare ones. */
async function choose(page: Page, label: string): Promise<void> {
  const actions = page.locator('.panel .admin-actions');
  await actions.waitFor();
  const button = actions.getByRole('button', { name: label });
  if ((await button.count()) > 0) return button.click();
  await actions.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: label }).click();
}

/** The actions in the menu of rare ones. */
async function rareActions(page: Page): Promise<string> {
  await page
    .locator('.panel .admin-actions')
    .getByRole('button', { name: /^Actions for / })
    .click();
  const items = await page.getByRole('menuitem').allInnerTexts();
  await page.keyboard.press('Escape');
  return items.join('\n');
}

/**
 * Does something about the account that is open, and agrees to what will happen; returns what the
 * page said that would be.
 */
async function act(page: Page, label: string): Promise<string> {
  await choose(page, label);
  const dialog = page.getByRole('dialog');
  const effects = (await dialog.locator('.effects li').allInnerTexts()).join('\n');
  await dialog.getByRole('button', { name: label }).click();
  return effects;
}

const stateOf = async ({ id }: Account) => (await call('GET', `/api/users/${id}`, { token: admin.token })).body;
const statusOf = async (token: string) => (await call('GET', '/api/users/me', { token })).status;

describe('the administrators’ page', () => {
  it('the administrators’ page is offered in the settings to administrators alone, and loaded by nobody else', async () => {
    const scripts = async (who: Account) => {
      const { page, context, problems } = await visit({ path: '/settings/profile' });
      const loaded: string[] = [];
      page.on('response', async (response) => {
        if (/\.js$/.test(response.url()) && (await response.text().catch(() => '')).includes('/admin/'))
          loaded.push(response.url());
      });
      await signIn(page, who);
      await goWithin(page, '/settings/profile');
      await page.getByRole('link', { name: 'About' }).waitFor();
      const isOffered = await page.getByRole('link', { name: 'Administration' }).isVisible();
      await goWithin(page, '/admin');
      await page.locator('main h1').waitFor();
      // After five seconds everything is loaded that is not shown yet.
      await page.waitForLoadState('networkidle');
      await expect.poll(() => page.evaluate('performance.now() > 9_000')).toBe(true);
      await page.waitForLoadState('networkidle');
      const title = await page.getByRole('main').getByRole('heading', { level: 1 }).textContent();
      await context.close();
      return { isOffered, title, isLoaded: loaded.length > 0, problems };
    };
    const [other, own] = await Promise.all([scripts(await anAccount()), scripts(admin)]);
    expect(other).toEqual({ isOffered: false, title: 'Page not found', isLoaded: false, problems: [] });
    expect(own).toEqual({
      isOffered: true,
      title: expect.stringMatching(/^Administration/),
      isLoaded: true,
      problems: [],
    });
  });

  it.each([
    ['on a desk, light', { options: { colorScheme: 'light' as const, reducedMotion: 'reduce' as const } }],
    [
      'on a phone, dark',
      { ...phone, options: { ...phone.options, colorScheme: 'dark' as const, reducedMotion: 'reduce' as const } },
    ],
  ])('the administrators’ page passes axe-core and fits its width %s', async (_look, settings) => {
    const person = await anAccount({ name: 'A person with quite a long name, as some people have' });
    const { page, context, problems } = await at('people', admin, settings);
    await manage(page, person);
    await page.locator('.panel .admin-actions').waitFor();
    expect(await objections(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByRole('dialog').waitFor();
    expect([await objections(page), problems]).toEqual([[], []]);
    await context.close();
  });
});

describe('people', () => {
  it('people are promoted after a sign-in long ago once the administrator confirms the password and a code', async () => {
    const [boss, person] = [await anAdmin(), await anAccount()];
    const { page, context, problems } = await at('people', boss);
    const [cookie] = await context.cookies();
    const { recovery } = await turnOn(call, { ...boss, token: cookie?.value ?? '' });
    await tokens.updateMany({ user: new ObjectId(boss.id) }, { $set: { created_at: new Date(0) } });
    await manage(page, person);
    await act(page, 'Make administrator');
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByLabel('Current password').fill('incorrect horse');
    expect(await objections(page)).toEqual([]);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.getByText('The current password is wrong.').waitFor();
    await proof.getByLabel('Current password').fill(boss.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.getByText('Enter a code from your authenticator app as well.').waitFor();
    await proof.getByLabel(/^Code/).fill(recovery[0] ?? '');
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.waitFor({ state: 'detached' });
    await expect.poll(() => stateOf(person)).toMatchObject({ is_admin: true });
    await tokens.updateMany({ user: new ObjectId(boss.id) }, { $unset: { proven_at: '' } });
    await act(page, 'Delete the account');
    await proof.waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.toast', { hasText: 'Nothing was changed, because you did not confirm' }).waitFor();
    expect(await stateOf(person)).toMatchObject({ is_admin: true });
    // The browser reports each answer outside of 2xx.
    expect(problems.filter((problem) => !/40[03]/.test(problem))).toEqual([]);
    await context.close();
  });

  it('people are created with a link to set a password, and the administrator stays signed in', async () => {
    const { page, context, problems } = await at('people');
    const username = aName();
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill(`${username}@example.org`);
    await page.getByLabel('Username').fill('two words');
    await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click();
    expect(await page.getByLabel('Username').evaluate((field) => (field as HTMLInputElement).validationMessage)).toBe(
      'A username can have letters, digits, dots, underscores and hyphens, and starts with a letter or a digit.',
    );
    await page.getByLabel('Username').fill(username);
    await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click();
    const link = await page.getByRole('textbox', { name: 'Link for a new password' }).inputValue();
    const [, code] = /\/password#([a-z0-9]{32})$/.exec(link) ?? [];
    const { body } = await call('GET', `/api/users?username=${username}`, { token: admin.token });
    const [{ _id }] = body as [{ _id: { $oid: string } }];
    expect((await call('GET', `/api/sessions?user=${_id.$oid}`, { token: admin.token })).body).toEqual([]);
    expect((await call('PUT', '/api/password', { body: { code, password: 'another horse' } })).status).toBe(204);
    expect((await logIn(call, username, 'another horse')).status).toBe(201);
    // The list has the new account as soon as the dialog is closed.
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill(username);
    await page.getByRole('button', { name: `Manage ${username}` }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('people on the administrators’ page are invited by a link or by e-mail, to a room of the administrator or to any other', async () => {
    const owner = await anAdmin();
    const room = await aRoomOf([owner], { name: 'Welcome' });
    const elsewhere = `Room ${aName()}`;
    await aRoomOf([await anAccount()], { name: elsewhere });
    const [first, second] = [`${aName()}@example.org`, `${aName()}@example.org`];
    const { page, context, problems } = await at('people', owner);
    const dialog = page.getByRole('dialog');
    await page.getByRole('main').getByRole('button', { name: 'Invite people' }).click();
    await dialog.getByLabel('Add people').fill(`${first} `);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText(`The link was sent to ${first}.`).waitFor();
    expect(mailsTo(first)[0]?.text).toContain(`invites you to the room "Welcome"`);
    await dialog.getByRole('button', { name: 'Copy invite link' }).click();
    const [, invitation] = /\/join#(.+)$/.exec(await page.getByLabel('Invitation link').inputValue()) ?? [];
    const { body } = await call('POST', '/api/invitations', { body: { invitation } });
    expect(body).toMatchObject({ room: { $oid: room }, room_name: 'Welcome' });
    expect(await objections(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Invitations' }).click();
    await page.getByRole('button', { name: 'Create an invitation link' }).click();
    await dialog.getByRole('searchbox').fill(elsewhere);
    await dialog.getByRole('button', { name: elsewhere }).click();
    await page.getByLabel('Send it to an e-mail address').fill('nobody');
    await page.keyboard.press('Enter');
    expect(
      await page.getByLabel('Send it to an e-mail address').evaluate((field) => (field as HTMLInputElement).validity.valid),
    ).toBe(false);
    await page.getByLabel('Send it to an e-mail address').fill(second);
    await page.keyboard.press('Enter');
    await page.getByText(`The link was sent to ${second}.`).waitFor();
    expect(mailsTo(second)).toHaveLength(1);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('people on the administrators’ page can be invited by a dialog that was opened before the rooms were loaded', async () => {
    const owner = await anAdmin();
    await aRoomOf([owner], { name: 'Welcome' });
    const { page, context } = await visit({ path: '/login' });
    const areLoaded = Promise.withResolvers<void>();
    await page.route('**/api/members?user=me*', (route) => areLoaded.promise.then(() => route.continue()));
    await signIn(page, owner);
    await goWithin(page, '/admin/people');
    await page.getByRole('main').getByRole('button', { name: 'Invite people' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByLabel('Add people').count()).toBe(0);
    areLoaded.resolve();
    await dialog.getByLabel('Add people').waitFor();
    await dialog.getByText('Welcome').waitFor();
    await context.close();
  });

  it('people on the administrators’ page are deactivated and reactivated on a phone, after the page has said how many sessions and tokens that ends', async () => {
    const person = await anAccount();
    const session = await aSession(call, person);
    await aRoomOf([person]);
    const { page, context } = await at('people', admin, phone);
    await manage(page, person);
    expect(await act(page, 'Deactivate')).toBe(
      '1 session ends.\n1 token stops working.\nThe account stays in 1 room or conversation.\nYou can reactivate it later.',
    );
    await page.locator('.tag', { hasText: 'Deactivated' }).waitFor();
    expect([await statusOf(session), await statusOf(person.token)]).toEqual([401, 401]);
    await page.getByRole('button', { name: 'Reactivate' }).click();
    await page.locator('.tag', { hasText: 'Deactivated' }).waitFor({ state: 'detached' });
    expect([await statusOf(session), await statusOf(person.token)]).toEqual([401, 200]);
    await context.close();
  });

  it('people get a link for a new password, lose their sessions, and are let in again after too many attempts', async () => {
    const person = await anAccount();
    const session = await aSession(call, person);
    const { page, context } = await at('people');
    await manage(page, person);
    await page.getByRole('button', { name: 'Create a reset link' }).click();
    expect(await page.getByRole('textbox', { name: 'Link for a new password' }).inputValue()).toMatch(/\/password#[a-z0-9]{32}$/);
    await page.keyboard.press('Escape');
    expect(await act(page, 'Sign out everywhere')).toBe('1 session ends.\nEvery device has to sign in again.');
    await page.locator('.toast', { hasText: 'The sessions have ended.' }).waitFor();
    expect([await statusOf(session), await statusOf(person.token)]).toEqual([401, 200]);
    const source = '127.9.8.7';
    for (let last = 401; last === 401; ) last = (await logIn(call, person.username, 'wrong', source)).status;
    // One action runs at a time.
    const released = Promise.withResolvers<void>();
    await page.route('**/usage', (route) => released.promise.then(() => route.continue()));
    await choose(page, 'Reset rate limits');
    await page.getByRole('button', { name: /^Actions for /, disabled: true }).waitFor();
    released.resolve();
    await page.locator('.toast', { hasText: 'Rate limits reset.' }).waitFor();
    expect((await logIn(call, person.username, person.password, source)).status).toBe(201);
    await context.close();
  });

  it('people lose a second factor by the administrator’s own password, and are signed out', async () => {
    const account = await anAccount();
    const session = await aSession(call, account);
    await turnOn(call, { ...account, token: session });
    const { page, problems, context } = await at('people');
    await manage(page, account);
    await choose(page, 'Turn off two-step sign-in');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your own password').fill(admin.password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => rareActions(page)).not.toContain('Turn off two-step sign-in');
    expect(await statusOf(session)).toBe(401);
    expect((await logIn(call, account.username, account.password)).status).toBe(201);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('people on the administrators’ page get a rate of their own, and that of the service again', async () => {
    const person = await anAccount();
    const rateOf = async () => {
      const { body } = await call('GET', `/api/users/${person.id}/usage`, { token: admin.token });
      return (body as { writes_per_second: number | null }).writes_per_second;
    };
    const { page, context, problems } = await at('people', admin, phone);
    await manage(page, person);
    const set = async (rate: string) => {
      await choose(page, 'Change the rate');
      await page.getByLabel('Messages and changes per second').fill(rate);
      await page.keyboard.press('Enter');
    };
    await set('10001');
    const field = page.getByLabel('Messages and changes per second');
    expect(await field.evaluate((element) => (element as HTMLInputElement).validationMessage)).toBe(
      'Enter a whole number from 1 to 10,000, or leave this empty.',
    );
    expect(await objections(page)).toEqual([]);
    await field.fill('25');
    await page.keyboard.press('Enter');
    await page.getByText('Messages and changes: 25 per second').waitFor();
    expect(await rateOf()).toBe(25);
    // The digits of other keyboards, and the service that can't be reached for what it says of the
    // account.
    let isLost = true;
    await page.route('**/usage', (route) => (isLost && route.request().method() === 'GET' ? route.abort() : route.continue()));
    await set('٢۰');
    await page.locator('.panel').getByRole('alert').waitFor();
    await expect.poll(rateOf).toBe(20);
    await page.getByText('Messages and changes: 25 per second').waitFor();
    isLost = false;
    await page.getByText('Messages and changes: 20 per second').waitFor();
    expect(await page.locator('.panel').getByRole('alert').count()).toBe(0);
    await set('۱۰۰۰۰');
    await page.getByText('Messages and changes: 10,000 per second').waitFor();
    await set('25');
    await page.getByText('Messages and changes: 25 per second').waitFor();
    await choose(page, 'Change the rate');
    expect(await field.inputValue()).toBe('25');
    await page.keyboard.press('Escape');
    await set('');
    await page.getByText('Messages and changes: 25 per second').waitFor({ state: 'detached' });
    expect([await rateOf(), problems]).toEqual([null, []]);
    await context.close();
  });

  it('people on the administrators’ page lose one session and one token, which the page lists without their secrets', async () => {
    const person = await anAccount();
    const [kept, ended] = [await aSession(call, person), await aSession(call, person)];
    const made = await call('POST', '/api/tokens', {
      token: admin.token,
      body: { name: 'Build server', scopes: ['rooms:read'], user: person.id },
    });
    const { token } = made.body as { token: string };
    const { page, context, problems } = await at('people', admin, phone);
    await manage(page, person);
    const open = (title: string) => page.locator('.panel summary', { hasText: title }).click();
    await open('Devices');
    const sessions = page.locator('.foldable', { hasText: 'Devices' });
    await expect.poll(() => sessions.locator('li').count()).toBe(2);
    await open('Access tokens');
    const tokens = page.locator('.foldable', { hasText: 'Access tokens' });
    await tokens.getByText('Build server').waitFor();
    expect(await tokens.textContent()).toContain('rooms:read');
    expect(await objections(page)).toEqual([]);
    for (const secret of [kept, ended, token, person.token]) expect(await page.content()).not.toContain(secret);
    await sessions.getByRole('button', { name: `…${ended.slice(-4)}` }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('.effects').textContent()).toBe('The device that uses it has to sign in again.');
    expect(await objections(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => sessions.locator('li').count()).toBe(1);
    expect([await statusOf(kept), await statusOf(ended)]).toEqual([200, 401]);
    await page.getByText(/· 1 session · 2 tokens ·/).waitFor();
    await tokens.getByRole('button', { name: 'Revoke Build server' }).click();
    expect(await dialog.locator('.effects').textContent()).toContain('Programs that use it stop working immediately.');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await statusOf(token)).toBe(200);
    await tokens.getByRole('button', { name: 'Revoke Build server' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await tokens.getByText('Build server').waitFor({ state: 'detached' });
    const left = tokens.getByRole('button', { name: 'Revoke' });
    await expect.poll(() => left.evaluate((one) => one === document.activeElement)).toBe(true);
    expect([await statusOf(token), await statusOf(person.token)]).toEqual([401, 200]);
    // The open list shows the effect of ending all sessions.
    await act(page, 'Sign out everywhere');
    await sessions.getByText('No sessions.').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('two sessions of a person are ended at the same time, and the next one has the focus', async () => {
    const person = await anAccount();
    const ended = [await aSession(call, person), await aSession(call, person), await aSession(call, person)];
    const [first = '', second = '', last = ''] = ended.map((one) => `…${one.slice(-4)}`);
    const { page, context, problems } = await at('people');
    await manage(page, person);
    await page.locator('.panel summary', { hasText: 'Devices' }).click();
    const sessions = page.locator('.foldable', { hasText: 'Devices' });
    const button = (name: string) => sessions.getByRole('button', { name });
    await button(last).waitFor();
    const answers = new Map<string, () => void>();
    await page.route('**/api/sessions/*', async (route) => {
      await new Promise<void>((resolve) => answers.set([first, second, last][answers.size] ?? '', resolve));
      await route.continue();
    });
    const end = async (name: string) => {
      await button(name).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
      await expect.poll(() => answers.has(name)).toBe(true);
    };
    await end(first);
    // Pressed again, it asks nothing and sends nothing.
    await page.keyboard.press('Enter');
    expect([await page.getByRole('dialog').count(), answers.size]).toEqual([0, 1]);
    await end(second);
    answers.get(first)?.();
    await expect.poll(() => sessions.locator('li').count()).toBe(2);
    answers.get(second)?.();
    await expect.poll(() => sessions.locator('li').count()).toBe(1);
    expect(await button(last).evaluate((one) => one === document.activeElement)).toBe(true);
    await end(last);
    answers.get(last)?.();
    await sessions.getByText('No sessions.').waitFor();
    expect(await sessions.locator('summary').evaluate((one) => one === document.activeElement)).toBe(true);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('people on the administrators’ page have their tokens listed page by page', async () => {
    const person = await anAccount();
    const make = (name: string) =>
      call('POST', '/api/tokens', { token: admin.token, body: { name, scopes: ['rooms:read'], user: person.id } });
    for (let index = 0; index < 51; index++) expect((await make(`Program ${index}`)).status).toBe(201);
    const { page, context } = await at('people');
    await manage(page, person);
    await page.locator('.panel summary', { hasText: 'Access tokens' }).click();
    const items = page.locator('.foldable li');
    await expect.poll(() => items.count()).toBe(50);
    await page.locator('.foldable').getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => items.count()).toBe(52);
    await items.getByRole('button', { name: 'Revoke Program 50' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    // The loaded items stay.
    await expect.poll(() => items.count()).toBe(51);
    await context.close();
  });

  it('people on the administrators’ page who are the administrator keep the session that they use', async () => {
    const own = await anAdmin();
    const other = await aSession(call, own);
    const { page, context } = await at('people', own);
    await manage(page, own);
    await page.locator('.panel summary', { hasText: 'Devices' }).click();
    const items = page.locator('.foldable li');
    await expect.poll(() => items.count()).toBe(2);
    expect(await items.filter({ hasText: 'This device' }).getByRole('button').count()).toBe(0);
    expect(await items.getByRole('button').count()).toBe(1);
    await items.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => items.count()).toBe(1);
    expect(await statusOf(other)).toBe(401);
    await context.close();
  });

  it('people on the administrators’ page in Arabic and German are read the words for sessions, tokens and rates', async () => {
    const person = await anAccount();
    await aSession(call, person);
    for (const [locale, sessions, rate] of [
      ['ar', 'الأجهزة', 'تغيير المعدل'],
      ['de', 'Geräte', 'Rate ändern'],
    ] as const) {
      const { page, context, problems } = await visit({
        path: '/admin/people',
        ...phone,
        options: { ...phone.options, locale },
        as: admin,
      });
      await goWithin(page, '/admin/people');
      await page.getByRole('searchbox').fill(person.username);
      await expect.poll(() => page.locator('.managed').count()).toBe(1);
      await page.locator('.managed button').click();
      await page.locator('.admin-actions [aria-haspopup=menu]').click();
      await page.getByRole('menuitem', { name: rate }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.panel summary', { hasText: sessions }).click();
      await page.locator('.foldable li').first().waitFor();
      expect([await objections(page), problems]).toEqual([[], []]);
      await context.close();
    }
  });

  it('people become administrators and stop being so', async () => {
    const person = await anAccount();
    const { page, context } = await at('people');
    await manage(page, person);
    await act(page, 'Make administrator');
    await page.locator('.tag', { hasText: 'Administrator' }).waitFor();
    expect(await stateOf(person)).toMatchObject({ is_admin: true });
    await act(page, 'Remove as administrator');
    await page.locator('.tag', { hasText: 'Administrator' }).waitFor({ state: 'detached' });
    expect(await stateOf(person)).toMatchObject({ is_admin: false });
    await context.close();
  });

  it('people are put on hold and released, and the deletion of the account says that the hold stays', async () => {
    const person = await anAccount();
    const isHeld = async () =>
      ((await call('GET', `/api/users/${person.id}/usage`, { token: admin.token })).body as { is_held: boolean }).is_held;
    const { page, context, problems } = await at('people');
    await manage(page, person);
    expect(await act(page, 'Legal hold')).toContain('Nobody is notified');
    await page.getByText(/· On hold$/).waitFor();
    expect(await isHeld()).toBe(true);
    await page.locator('.panel').getByRole('button', { name: 'Delete the account' }).click();
    await page.getByRole('dialog').getByText('The hold stays').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await act(page, 'End the hold');
    await page.getByText(/· On hold$/).waitFor({ state: 'detached' });
    expect(await isHeld()).toBe(false);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('people on the administrators’ page are deleted by the keyboard alone, after the page has said what goes and what stays', async () => {
    const person = await anAccount();
    await aRoomOf([person]);
    const { page, context, problems } = await at('people');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole('searchbox').focus();
    await page.keyboard.type(person.username);
    await page.getByRole('button', { name: `Manage ${person.username}` }).waitFor();
    await expect.poll(() => page.locator('.managed').count()).toBe(1);
    await press('Tab', 'Enter');
    await page.getByRole('button', { name: 'Delete the account' }).waitFor();
    const isAt = (name: string) => page.evaluate<boolean>(`document.activeElement.innerText === '${name}'`);
    for (let tries = 0; tries < 12 && !(await isAt('Delete the account')); tries++) await press('Tab');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    expect((await page.locator('.effects li').allInnerTexts()).join('\n')).toBe(
      '0 sessions end.\n1 token stops working.\nIt leaves 1 room or conversation and is the owner of 1 of them.\nIts messages stay, under “Deleted user”.\nThis can’t be undone.',
    );
    // The harmless answer has the focus.
    expect(await isAt('Cancel')).toBe(true);
    await press('Tab', 'Enter');
    await page.getByText('No matches.').waitFor();
    expect(await page.evaluate("document.activeElement.type === 'search'")).toBe(true);
    expect((await call('GET', `/api/users/${person.id}`, { token: admin.token })).status).toBe(404);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('people are listed page by page', async () => {
    const prefix = aName();
    for (let index = 0; index < 52; index++) await anAccount({ username: `${prefix}-${index}` });
    const { page, context } = await at('people');
    await page.getByRole('searchbox').fill(prefix);
    await expect.poll(() => page.locator('.managed').count()).toBe(50);
    await expect.poll(() => page.locator('.managed', { hasText: prefix }).count()).toBe(50);
    // The next page of one search is late, and another search has begun at the same first page.
    const released = Promise.withResolvers<void>();
    const isNext = (url: URL) => url.searchParams.get('q') === prefix && url.searchParams.has('after');
    await page.route(isNext, (route) => released.promise.then(() => route.continue()));
    await page.getByRole('button', { name: 'Show more' }).click();
    const found = page.waitForResponse((response) => new URL(response.url()).searchParams.get('q') === `${prefix}-`);
    await page.getByRole('searchbox').fill(`${prefix}-`);
    await (await found).finished();
    const late = page.waitForResponse((response) => isNext(new URL(response.url())));
    released.resolve();
    await (await late).finished();
    await page.waitForTimeout(300);
    expect(await page.locator('.managed').count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => page.locator('.managed').count()).toBe(52);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await context.close();
  });
});

describe('the overview', () => {
  it.each([
    ['on a desk, light', {}],
    ['on a phone, dark', { ...phone, options: { ...phone.options, colorScheme: 'dark' as const } }],
    ['on a phone, from right to left', { ...phone, options: { ...phone.options, locale: 'ar' } }],
  ])('the overview draws the messages of 30 days, with a sentence and a table that say the same, %s', async (_look, settings) => {
    const person = await anAccount();
    const room = await aRoomOf([person]);
    for (let at = 0; at < 3; at++) await aMessage(person, room);
    const { page, problems, context } = await visit({ path: '/admin/overview', ...settings, as: admin });
    await goWithin(page, '/admin/overview');
    await page.locator('.daily').waitFor();
    expect(await page.locator('.daily > span').count()).toBe(30);
    const heights = await page
      .locator('.daily > span')
      .evaluateAll((bars) => bars.map((bar) => (bar as HTMLElement).getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeGreaterThan(90);
    await page.locator('details summary').click();
    const rows = await page.locator('.daily-table tbody tr').allInnerTexts();
    expect(rows).toHaveLength(30);
    const { body } = await call('GET', '/api/overview', { token: admin.token });
    const [yesterday = 0, today = 0] = (body as { messages_by_day: number[] }).messages_by_day.slice(-2);
    expect(yesterday + today).toBeGreaterThanOrEqual(3);
    expect(await objections(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('the settings of the service', () => {
  it('the settings of the service are listed without secrets, and found by a word of their names', async () => {
    const { page, problems, context } = await at('settings', admin, phone);
    await page.getByText('RETENTION_DAYS', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('write burst');
    await expect.poll(() => page.locator('.variables dt').allInnerTexts()).toEqual(['WRITE_BURST']);
    await page.getByRole('searchbox').fill('smtp url');
    await expect.poll(() => page.locator('.variables dd').allInnerTexts()).toEqual(['set, and secret']);
    expect(await objections(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});
