import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, say, signOut, visit } from './support.ts';

describe('the features of a room', () => {
  it('a name is completed after @, and the mentioned user sees it', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other] });
    const { page, context } = await visit({ path: `/rooms/${room.id}`, as: owner });
    await page.locator('.room-pane textarea').pressSequentially(`Hello @${other.username.slice(0, 9)}`);
    await page.getByRole('option', { name: other.username }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.mention', { hasText: other.username }).waitFor();
    const theirs = await visit({ as: other });
    await theirs.page.getByRole('link', { name: /1 mention of you/ }).waitFor();
    await context.close();
    await theirs.context.close();
  });

  it('a search finds words, and a result leads to its place', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner });
    for (const text of ['a needle in the hay', ...Array.from({ length: 30 }, (_, at) => `straw ${at}`)])
      await aMessage(owner, room.id, { text }, call);
    const { page, context } = await visit({ path: `/rooms/${room.id}?panel=search`, as: owner });
    await page.getByRole('searchbox', { name: 'Search messages' }).fill('needle');
    await page.keyboard.press('Enter');
    await page.locator('mark', { hasText: 'needle' }).click();
    await page.locator('li.message.pointed', { hasText: 'a needle in the hay' }).waitFor();
    await context.close();
  });

  it('an owner adds someone by name, makes them a moderator, and bans and forgives them', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner });
    const { page, context } = await visit({ path: `/rooms/${room.id}?panel=members`, as: owner });
    await page.getByLabel('Add people').fill(other.username);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.locator('li.member', { hasText: other.username });
    const choose = async (item: string) => {
      await row.getByRole('button', { name: `Actions for ${other.username}` }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await choose('Make moderator');
    await expect
      .poll(async () => (await call('GET', `/api/members?room=${room.id}`, { token: owner.token })).body)
      .toContainEqual(expect.objectContaining({ username: other.username, role: 'moderator' }));
    await choose('Ban');
    await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
    await page.getByRole('button', { name: 'Unban' }).click();
    await row.waitFor({ state: 'detached' });
    await context.close();
  });

  it('a list that is laid out from right to left stands beside its text, with its marks', async () => {
    const room = await aRoom();
    await aMessage(room.owner, room.id, { text: 'What is left:\n\n1. one\n2. two\n\n> a quote' });
    const { page, context } = await visit({ path: `/rooms/${room.id}`, as: room.owner });
    await page.locator('li.message ol').waitFor();
    for (const [direction, side] of [
      ['ltr', 'left'],
      ['rtl', 'right'],
    ]) {
      await page.evaluate(`document.documentElement.dir = '${direction}'`);
      const [text, list, quote] = (await page.evaluate(
        "['.text', '.text ol', '.text blockquote'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())",
      )) as Record<string, number>[];
      expect([list?.[side ?? ''], quote?.[side ?? '']], direction).toEqual([text?.[side ?? ''], text?.[side ?? '']]);
      if (direction === 'rtl') expect(list?.width).toBeLessThan((text?.width ?? 0) / 2);
    }
    await context.close();
  });

  it('two people talk alone', async () => {
    const [one, other] = [await anAccount(), await anAccount()];
    const { page, context } = await visit({ as: one });
    await page.getByRole('button', { name: 'New message' }).click();
    await page.getByLabel('To:').fill(other.username);
    await page.getByRole('button', { name: 'Start chatting' }).click();
    await page.getByPlaceholder(`Message ${other.username}`).waitFor();
    await say(page, 'Between you and me');
    await page.locator('li.message:not(.pending)').waitFor();
    const theirs = await visit({ as: other });
    await theirs.page.getByRole('link', { name: one.username }).click();
    await theirs.page.locator('li.message', { hasText: 'Between you and me' }).waitFor();
    await context.close();
    await theirs.context.close();
  });
});

describe('the settings', () => {
  it('the settings change the address of a user who enters the password', async () => {
    const owner = await anAccount();
    const { page, context } = await visit({ path: '/settings/profile', as: owner });
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'E-mail address' }) });
    await section.getByLabel('E-mail address').fill(`new-${owner.email}`);
    await section.getByLabel('Current password').fill('not the password');
    await section.getByRole('button', { name: 'Change e-mail address' }).click();
    await section.getByRole('alert').waitFor();
    await section.getByLabel('Current password').fill(owner.password);
    await section.getByRole('button', { name: 'Change e-mail address' }).click();
    await page.getByText('Changed.').first().waitFor();
    const { body } = await call('GET', '/api/users/me', { token: owner.token });
    expect(body).toMatchObject({ email: `new-${owner.email}` });
    await context.close();
  });

  it('the settings delete the account, but not if the dialog is closed first', async () => {
    const owner = await anAccount();
    const { page, context } = await visit({ path: '/settings/profile', as: owner });
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Delete my account' }) });
    const dialog = page.getByRole('dialog');
    await section.getByLabel('Current password').fill(owner.password);
    await section.getByRole('button', { name: 'Delete my account' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await section.getByRole('button', { name: 'Delete my account' }).click();
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect((await call('GET', '/api/users/me', { token: owner.token })).status).toBe(401);
    await context.close();
  });

  it('the settings create a token that is shown once, and signing out leaves them', async () => {
    const owner = await anAccount();
    const { page, context } = await visit({ path: '/settings/tokens', as: owner });
    await page.getByLabel('Name').fill('robot');
    await page.getByLabel('messages:read').check();
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.locator('.made input').inputValue();
    expect((await call('GET', '/api/tokens', { token })).status).toBe(403);
    await page.getByLabel('Name').fill('all');
    await page.getByLabel('Current password').fill(owner.password);
    await page.getByRole('button', { name: 'Create token' }).click();
    // Beside the one that the account was made with.
    await page.locator('li.card', { hasText: 'all scopes' }).nth(1).waitFor();
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await context.close();
  });
});
