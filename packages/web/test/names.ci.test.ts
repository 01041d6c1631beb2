import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, say, serveUrl, signIn, textsOf, visit } from './support.ts';

const openTalk = (from: Account, to: Account) =>
  call('POST', '/api/conversations', { token: from.token, body: { users: [to.username] } });

describe('a full name', () => {
  it('a full name is set in the settings, and shown from then on also by messages that the browser has kept', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ name: 'Notes', owner: ann, members: [bob] });
    await aMessage(ann, room.id, { text: 'one' }, call);
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}`, as: bob });
    const author = page.locator('li.message .author').first();
    await expect.poll(() => author.textContent()).toBe(ann.username);

    const own = await visit({ path: '/settings/profile', as: ann });
    await own.page.getByLabel('Full name').fill('  Ânn\u202e Example ');
    await own.page.getByRole('button', { name: 'Change name' }).click();
    await own.page.locator('.sidebar .who', { hasText: 'Ânn Example' }).waitFor();
    expect(await own.page.locator('.sidebar .who bdi').getAttribute('title')).toBe(`@${ann.username}`);
    expect(await own.page.locator('.sidebar footer .avatar').textContent()).toBe('ÂE');

    await aMessage(ann, room.id, { text: 'two' }, call);
    await page.getByText('two', { exact: true }).waitFor();
    await expect.poll(() => author.textContent()).toBe('Ânn Example');
    expect(await author.locator('bdi').getAttribute('title')).toBe(`@${ann.username}`);
    await page.reload();
    await expect.poll(() => author.textContent()).toBe('Ânn Example');

    await own.page.getByLabel('Full name').fill('');
    await own.page.getByRole('button', { name: 'Change name' }).click();
    await own.page.locator('.sidebar .who', { hasText: ann.username }).waitFor();
    expect([problems, own.problems]).toEqual([[], []]);
    await Promise.all([context.close(), own.context.close()]);
  });

  it('a full name finds its person in suggestions, lists and the switcher, which show the username too', async () => {
    const [me, zoe] = [await anAccount(), await anAccount({ name: 'Ζωή Παπαδοπούλου' })];
    const room = await aRoom({ name: 'Notes', owner: me, members: [zoe] });
    const { body } = await openTalk(zoe, me);
    const talk = (body as { _id: { $oid: string } })._id.$oid;
    await aMessage(zoe, talk, { text: 'hello' }, call);
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}?panel=members`, as: me });
    expect(await page.locator('li.member', { hasText: 'Ζωή' }).locator('.name').textContent()).toBe(
      `Ζωή Παπαδοπούλου @${zoe.username}`,
    );
    // Stored with the username, and drawn with the full name.
    const composer = page.locator('.room-pane .composer textarea');
    await composer.pressSequentially('Hello @παπ');
    const option = page.getByRole('option', { name: 'Ζωή' });
    expect(await option.textContent()).toContain(`@${zoe.username}`);
    await composer.press('Tab');
    expect(await composer.inputValue()).toBe(`Hello @${zoe.username} `);
    await composer.press('Enter');
    await expect.poll(() => page.locator('li.message .mention').first().textContent()).toBe('@Ζωή Παπαδοπούλου');
    expect(await textsOf(page)).toEqual(['Hello @Ζωή Παπαδοπούλου']);

    const direct = page.locator('.sidebar a.room', { hasText: 'Ζωή Παπαδοπούλου' });
    expect([await direct.locator('.avatar').textContent(), await direct.locator('.name').getAttribute('title')]).toEqual([
      'ΖΠ',
      `@${zoe.username}`,
    ]);
    for (const typed of ['ζωη', zoe.username]) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or jump to…' }).fill(typed);
      await page.getByRole('option', { name: `Ζωή Παπαδοπούλου @${zoe.username}` }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Ζωή Παπαδοπούλου' }).waitFor();
    }
    await page.locator('.message .author', { hasText: 'Ζωή' }).waitFor();
    await say(page, 'hello back');
    // Without a full name all is as it was.
    await page.locator('.sidebar .who', { hasText: me.username }).waitFor();
    expect(await page.locator('.sidebar .who bdi').getAttribute('title')).toBeNull();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a full name says in a notification who wrote', async () => {
    const [me, zoe] = [await anAccount(), await anAccount({ name: 'Zoe Example' })];
    const { body } = await openTalk(zoe, me);
    const talk = (body as { _id: { $oid: string } })._id.$oid;
    const { page, problems, context } = await visit();
    await context.grantPermissions(['notifications'], { origin: serveUrl });
    await page.addInitScript(`
      localStorage.setItem('chat-notify', 'on');
      window.shown = [];
      window.Notification = class { static permission = 'granted'; constructor(title) { window.shown.push(title); } };
      document.hasFocus = () => false;`);
    await page.reload();
    await signIn(page, me);
    await page.getByText('Choose a room').waitFor();
    await aMessage(zoe, talk, { text: 'hello' }, call);
    await expect.poll(() => page.evaluate('window.shown')).toEqual(['Zoe Example']);
    expect(problems).toEqual([]);
    await context.close();
  });
});
