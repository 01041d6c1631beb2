import jsQrModule from 'jsqr';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, aName, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { drawn, holdAnswer } from '../../../tools/harness/browser.ts';
import { call, say, serveUrl, signIn, visit } from './support.ts';

// A CommonJS module whose types declare the default export of an ES module.
const decodeQrCode = jsQrModule as unknown as typeof jsQrModule.default;

describe('a message', () => {
  it('a message can be marked as unread, and stays so until the room is opened again', async () => {
    const [owner, reader] = [await anAccount(), await anAccount()];
    const room = await aRoom({ name: 'Notes', owner, members: [reader] });
    for (const text of ['one', 'two', 'three']) await aMessage(owner, room.id, { text }, call);
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}`, as: reader });
    const unread = async () => {
      const { body } = await call('GET', '/api/members?user=me', { token: reader.token });
      return (body as { unread: number }[])[0]?.unread;
    };
    await expect.poll(unread).toBe(0);
    await page.locator('li.message', { hasText: 'two' }).hover();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Mark as unread from here' }).click();
    await page.getByRole('link', { name: /Notes.*2 unread messages/ }).waitFor();
    // Messages that arrive while the user watches are unread as well.
    await aMessage(owner, room.id, { text: 'four' }, call);
    await page.getByRole('link', { name: /Notes.*3 unread messages/ }).waitFor();
    const line = page.locator('.new-line + li.message');
    expect([await unread(), await line.locator('.text').textContent()]).toEqual([3, 'two']);
    await page.reload();
    await line.getByText('two').waitFor();
    await expect.poll(unread).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a webhook', () => {
  it('a webhook posts under its name, marked as a bot, at the address that is shown once, until it is revoked', async () => {
    const owner = await anAccount();
    const room = await aRoom({ name: 'Machines', owner });
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}?panel=integrations`, as: owner });
    await page.getByText('No webhooks yet.').waitFor();
    await page.getByLabel('Name of the new webhook').fill('Backups');
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    const address = await page.getByLabel('Address of the webhook').inputValue();
    expect(address).toMatch(new RegExp(`^${serveUrl}/api/webhooks/[a-z0-9]{32}$`));
    const example = await page.getByLabel('Example with curl').inputValue();
    expect(example).toBe(`curl --data-urlencode 'text=The backup is done.' ${address}`);
    const post = () => fetch(address, { method: 'POST', body: new URLSearchParams({ text: 'The backup is **done**.' }) });
    expect((await post()).status).toBe(201);
    const message = page.locator('li.message', { hasText: 'The backup is done.' });
    await message.waitFor();
    expect(await message.locator('.meta').textContent()).toMatch(/^Backups bot/);
    // The user is alone.
    expect(await message.getByRole('button', { name: 'Backups' }).isDisabled()).toBe(true);

    await page.getByRole('button', { name: 'Revoke Backups' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No webhooks yet.').waitFor();
    expect((await post()).status).toBe(404);
    await page.reload();
    await message.getByText('bot', { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a webhook sends messages to an address, is tested, turned off and on, and lists its deliveries', async () => {
    const owner = await anAccount();
    const room = await aRoom({ name: 'Machines', owner });
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}?panel=integrations`, as: owner });
    await page.getByLabel('Name of the new webhook').fill('Deploys');
    await page.getByLabel('Outgoing URL').fill('https://localhost:1/hook');
    await page.getByLabel('Edited and deleted messages').check();
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    expect(await page.getByLabel('Signing secret, for the program to verify requests').inputValue()).toMatch(/^whsec_/);
    await page.getByText('sends to localhost:1').waitFor();
    expect((await call('GET', `${room.path}/webhooks`, { token: owner.token })).body).toMatchObject([
      { events: ['message.created', 'message.edited', 'message.deleted'] },
    ]);

    await page.getByText('Deliveries of Deploys').click();
    await page.getByText('Nothing was sent yet.').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The address is not one of the public internet.').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Switched off since').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('The old secret stays valid for 24 hours.').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a webhook is shown to moderators and owners alone', async () => {
    const [owner, member] = [await anAccount(), await anAccount()];
    const room = await aRoom({ name: 'Machines', owner, members: [member] });
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}?panel=details`, as: member });
    const tabs = page.locator('.about-tabs').getByRole('link');
    await expect.poll(() => tabs.allInnerTexts()).toEqual(['About', 'Members', 'Pins']);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('an invitation link', () => {
  it('an invitation link leads newcomers and members of the service into a room, until it is revoked', async () => {
    const [owner, friend, late] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoom({ name: 'Kitchen', owner });
    await call('PUT', room.path, { token: owner.token, body: { name: 'Kitchen', is_open: false, is_visible: false } });
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}?panel=members`, as: owner });
    // Open at once, as the owner is alone here.
    await page.getByLabel('Number of uses').selectOption('10 times');
    await page.getByRole('button', { name: 'Create a link' }).click();
    const link = await page.getByLabel('Invitation link').inputValue();
    const path = link.replace(serveUrl, '');
    expect(path).toMatch(/^\/join#[a-z0-9]{32}$/);
    const mail = (await page.getByRole('link', { name: 'Send by e-mail' }).getAttribute('href')) ?? '';
    expect(decodeURIComponent(mail)).toMatch(/^mailto:\?subject=Kitchen.*&body=http/);
    expect(new URLSearchParams(mail.split('?')[1]).get('body')).toBe(link);
    await page.getByRole('button', { name: 'QR code' }).click();
    expect(await readCode(page.getByRole('img', { name: 'QR code of the invitation link' }))).toBe(link);

    const name = aName();
    const newcomer = await visit({ path });
    await newcomer.page.getByText(`${owner.username} invites you to Kitchen.`).waitFor();
    await newcomer.page.getByLabel('Your name').fill(name);
    await newcomer.page.getByLabel('E-mail address').fill(`${name}@example.org`);
    await newcomer.page.getByLabel('Password').fill('a horse, a battery');
    await newcomer.page.getByRole('button', { name: 'Create account' }).click();
    await newcomer.page.getByRole('heading', { name: 'Kitchen', level: 1 }).waitFor();
    await say(newcomer.page, 'Hello');
    await newcomer.page.locator('li.message:not(.pending)').waitFor();

    const second = await join(friend, path);
    await second.page.getByRole('heading', { name: 'Kitchen', level: 1 }).waitFor();
    // For a member, the link leads straight to the room.
    await second.page.goto(link);
    await second.page.reload();
    await second.page.getByRole('heading', { name: 'Kitchen', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No invitation links yet.').waitFor();
    const third = await visit({ path });
    await third.page.getByText('This invitation has ended.').waitFor();
    await third.page.getByRole('button', { name: 'I have an account' }).click();
    await signIn(third.page, late);
    await third.page.getByText('This invitation has ended.').waitFor();
    expect([problems, newcomer.problems, second.problems, third.problems]).toEqual([[], [], [], []]);
    await Promise.all([context, newcomer.context, second.context, third.context].map((one) => one.close()));
  });

  async function join(account: Account, path: string) {
    const visitor = await visit({ path });
    await visitor.page.getByRole('button', { name: 'I have an account' }).click();
    await signIn(visitor.page, account);
    await visitor.page.getByRole('button', { name: 'Join the room' }).click();
    return visitor;
  }
});

describe('a blocked user', () => {
  it('a blocked user is hidden in conversations of two, until the block ends', async () => {
    const [one, other] = [await anAccount(), await anAccount()];
    const { body } = await call('POST', '/api/conversations', { token: other.token, body: { users: [one.username] } });
    const room = (body as { _id: { $oid: string } })._id.$oid;
    await aMessage(other, room, { text: 'Buy this!' }, call);
    const { page, problems, context } = await visit({ path: `/rooms/${room}?panel=members`, as: one });
    await page.locator('li.message', { hasText: 'Buy this!' }).waitFor();
    await page
      .locator('li.member')
      .getByRole('button', { name: `Actions for ${other.username}` })
      .click();
    await page.getByRole('menuitem', { name: 'Block' }).click();
    const { answered, release } = await holdAnswer(page, '**/api/blocks');
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await answered;
    await page.getByText('You haven’t joined a room yet.').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    const unblock = page.locator('li.card', { hasText: other.username }).getByRole('button', { name: 'Unblock' });
    await unblock.waitFor();
    // The late answer has the list read again, and does not lead back to it.
    const isListed = page.waitForResponse('**/api/members?*');
    await release();
    await (await isListed).finished();
    await drawn(page);
    await unblock.click();
    await page.getByRole('link', { name: other.username }).click();
    await page.locator('li.message', { hasText: 'Buy this!' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

/** Decodes a QR code from its drawn squares. */
async function readCode(image: Locator): Promise<string> {
  const size = Number((await image.getAttribute('viewBox'))?.split(' ')[2]);
  const dark = (await image.locator('path').getAttribute('d')) ?? '';
  const scale = 4;
  const pixels = new Uint8ClampedArray((size * scale) ** 2 * 4).fill(255);
  for (const [, x, y] of dark.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let at = 0; at < scale ** 2; at++) {
      const row = Number(y) * scale + Math.floor(at / scale);
      const column = Number(x) * scale + (at % scale);
      pixels.fill(0, (row * size * scale + column) * 4, (row * size * scale + column) * 4 + 3);
    }
  return decodeQrCode(pixels, size * scale, size * scale)?.data ?? '';
}

/** A square of one colour in the middle of a picture, with another colour on both sides. */
const aWidePicture = async (page: Page): Promise<Buffer> => {
  const base64 = (await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(600, 300);
    const drawing = canvas.getContext('2d');
    drawing.fillStyle = 'rgb(200 30 30)';
    drawing.fillRect(0, 0, 600, 300);
    drawing.fillStyle = 'rgb(30 120 60)';
    drawing.fillRect(150, 0, 300, 300);
    const bytes = await (await canvas.convertToBlob()).bytes();
    return bytes.toBase64();
  })()`)) as string;
  return Buffer.from(base64, 'base64');
};

describe('a picture of a person', () => {
  it('a person chooses a picture in the settings, everyone sees it instead of the initials, and it can be removed', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [bob] });
    await aMessage(ann, room.id, { text: 'Hello' }, call);
    const { page, problems, context } = await visit({ path: '/settings/profile', as: ann });
    const mine = page.locator('.picture-form .avatar');
    const before = await mine.boundingBox();
    const buffer = await aWidePicture(page);
    const choose = page.locator('.picture-form input[type=file]');
    await choose.setInputFiles({ name: 'Plan.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') });
    await page.locator('.toast', { hasText: 'This file is not a picture that the browser can show.' }).waitFor();
    await choose.setInputFiles({ name: 'Me.png', mimeType: 'image/png', buffer });
    await expect.poll(() => mine.textContent()).toBe('');
    const drawn = await mine.locator('img').evaluate((picture) => {
      const { naturalWidth, naturalHeight } = picture as unknown as { naturalWidth: number; naturalHeight: number };
      return [naturalWidth, naturalHeight];
    });
    expect([drawn, await mine.boundingBox()]).toEqual([[256, 256], before]);
    expect(await page.locator('.sidebar footer .avatar img').count()).toBe(1);

    const other = await visit({ path: `/rooms/${room.id}?panel=members`, as: bob });
    const faces = other.page.locator('.room-pane li.message .avatar, .side .avatar', { has: other.page.locator('img') });
    await expect.poll(() => faces.evaluateAll((all) => all.map(({ textContent }) => textContent))).toEqual(['', '']);

    await page.getByRole('button', { name: 'Remove the picture' }).press('Enter');
    await mine.locator('img').waitFor({ state: 'detached' });
    expect(await mine.textContent()).not.toBe('');
    await other.page.reload();
    await other.page.locator('.side .avatar').nth(1).waitFor();
    await expect.poll(() => other.page.locator('.avatar img').count()).toBe(0);
    expect([problems, other.problems]).toEqual([[], []]);
    await Promise.all([context.close(), other.context.close()]);
  });

  it('a picture of a room is chosen by its owner, and replaces the sign of the room for all its members', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const name = aName();
    const room = await aRoom({ name, owner: ann, members: [bob] });
    const place = { path: `/rooms/${room.id}?panel=settings` };
    const [hers, his] = [await visit(place), await visit(place)];
    await Promise.all([signIn(hers.page, ann), signIn(his.page, bob)]);
    const marks = (page: Page) => page.locator('.sidebar a.room .avatar img, .room-pane .bar .avatar img');
    await his.page.locator('.side .muted').first().waitFor();
    expect(await his.page.locator('.picture-form').count()).toBe(0);

    const buffer = await aWidePicture(hers.page);
    const choose = hers.page.locator('.picture-form input[type=file]');
    await choose.setInputFiles({ name: 'Room.png', mimeType: 'image/png', buffer });
    for (const { page } of [hers, his]) await expect.poll(() => marks(page).count()).toBe(2);
    await hers.page.goto(`${serveUrl}/directory`);
    await hers.page.getByPlaceholder('Find a room by its name or topic').fill(name);
    await hers.page.locator('.card', { hasText: name }).locator('h2 .avatar img').waitFor();

    await hers.page.goto(`${serveUrl}${place.path}`);
    await hers.page.getByRole('button', { name: 'Remove the picture' }).press('Enter');
    for (const { page } of [hers, his]) await expect.poll(() => marks(page).count()).toBe(0);
    expect([hers.problems, his.problems]).toEqual([[], []]);
    await Promise.all([hers.context.close(), his.context.close()]);
  });

  it('a picture leaves the initials until it is there, and if it cannot be read', async () => {
    const ann = await anAccount({ name: 'Ann Example' });
    const room = await aRoom({ owner: ann });
    await aMessage(ann, room.id, { text: 'Hello' }, call);
    await call('PUT', '/api/users/me/avatar', { token: ann.token, body: Buffer.from('89504e470d0a1a0a', 'hex') });
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}` });
    const asked = page.waitForResponse((response) => response.url().includes('/avatar?version='));
    await signIn(page, ann);
    expect((await asked).status()).toBe(200);
    const face = page.locator('li.message .avatar');
    await expect
      .poll(() => face.locator('img').evaluate((picture) => (picture as unknown as { complete: boolean }).complete))
      .toBe(true);
    expect([await face.textContent(), problems]).toEqual(['AE', []]);
    await context.close();
  });

  it('a picture is shown in a browser that keeps no cookies, too', async () => {
    const ann = await anAccount();
    const room = await aRoom({ owner: ann });
    await aMessage(ann, room.id, { text: 'Hello' }, call);
    const { page, problems, context } = await visit({ path: '/login' });
    const body = await aWidePicture(page);
    await call('PUT', '/api/users/me/avatar', { token: ann.token, body });
    await page.addInitScript(`Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });`);
    await page.goto(`${serveUrl}/rooms/${room.id}`);
    await signIn(page, ann);
    await expect.poll(() => page.locator('li.message .avatar').textContent()).toBe('');
    await page.locator('li.message .avatar canvas').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
