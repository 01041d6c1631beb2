import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, succeed } from '../../../test/support/rooms.ts';
import { connected } from '../../../test/support/sockets.ts';
import { call, say, serveUrl, signIn, visit } from './support.ts';

/** Two people who are in a room and in a conversation with each other; with the paths of both. */
async function twoPeople() {
  const [ann, zoe] = [await anAccount(), await anAccount({ name: 'Zoe Example' })];
  const { id } = await aRoom({ name: 'Notes', owner: ann, members: [zoe] });
  const { body } = await succeed(call('POST', '/api/conversations', { token: zoe.token, body: { users: [ann.username] } }));
  const { $oid: conversation } = (body as { _id: { $oid: string } })._id;
  await aMessage(zoe, conversation, { text: 'hello' }, call);
  return { ann, zoe, room: `/rooms/${id}`, conversation: `/rooms/${conversation}` };
}

const change = ({ token }: Account, body: object) => succeed(call('PATCH', '/api/users/me', { token, body }));

describe('presence', () => {
  // Both wait until the service forgets somebody.
  it.concurrent('presence is shown in the sidebar, in the room, among its members and on the card, until the person leaves', async ({
    expect,
  }) => {
    const { ann, zoe, room, conversation } = await twoPeople();
    const hers = await visit({ path: conversation, as: ann });
    const { page } = hers;
    const listed = page.locator('.sidebar').getByRole('link', { name: /Zoe Example/ });
    await listed.waitFor();
    expect(await page.locator('.presence').count()).toBe(0);

    const socket = await connected(serveUrl, zoe);
    await page.locator('.sidebar').getByRole('link', { name: 'Zoe Example (away)' }).waitFor();
    await page.getByRole('heading', { name: 'Zoe Example (away)', level: 1 }).waitFor();
    socket.socket.close();
    const his = await visit({ as: zoe });
    await page.locator('.sidebar').getByRole('link', { name: 'Zoe Example (active)' }).waitFor();
    await page.getByRole('heading', { name: 'Zoe Example (active)', level: 1 }).waitFor();
    expect(await page.locator('.room-pane .title .presence.active').getAttribute('title')).toBe('active');

    await page.goto(`${serveUrl}${room}?panel=members`);
    const member = page.locator('li.member', { hasText: 'Zoe' });
    await member.getByRole('button', { name: /\(active\)/ }).click();
    const card = page.getByRole('dialog', { name: 'Zoe Example' });
    await card.getByText(`@${zoe.username} (active)`).waitFor();
    await card.locator('.face .presence.active').waitFor();
    await page.keyboard.press('Escape');

    // Loaded again, neither page shows anything else in between.
    await page.evaluate(`new MutationObserver(() => {
      if (!document.querySelector('.sidebar .presence.active')) document.body.dataset.flickered = 'yes';
    }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['class'] })`);
    const frames: string[] = [];
    his.page.on('websocket', (opened) => opened.on('framesent', ({ payload }) => frames.push(String(payload))));
    await his.page.reload();
    await expect.poll(() => frames.some((frame) => frame.includes('"active"'))).toBe(true);
    expect(await page.evaluate('document.body.dataset.flickered')).toBeUndefined();

    await his.context.close();
    await member.locator('.presence').waitFor({ state: 'detached' });
    await page.locator('.sidebar').getByRole('link', { name: 'Zoe Example', exact: true }).waitFor();
    expect([hers.problems, his.problems]).toEqual([[], []]);
    await hers.context.close();
  });

  it.concurrent('presence is not shown of somebody who has turned that off, until they turn it on again', async ({ expect }) => {
    const { ann, zoe, conversation } = await twoPeople();
    const [hers, his] = [await visit({ path: conversation }), await visit({ path: '/settings/profile' })];
    await signIn(hers.page, ann);
    await signIn(his.page, zoe);
    const dot = hers.page.locator('.sidebar .presence.active');
    await dot.waitFor();
    const shows = his.page.getByLabel('Show others when I am active');
    expect(await shows.isChecked()).toBe(true);
    await shows.uncheck();
    await dot.waitFor({ state: 'detached' });
    await his.page.reload();
    await shows.waitFor();
    expect(await shows.isChecked()).toBe(false);
    await shows.check();
    await dot.waitFor();
    expect([hers.problems, his.problems]).toEqual([[], []]);
    await Promise.all([hers.context.close(), his.context.close()]);
  });

  it.each([
    ['once, however much is done', 'visible', 1],
    ['not by a page that nobody sees', 'hidden', 0],
  ])('presence is told to the service %s', async (_how, visibility, times) => {
    const { ann, conversation } = await twoPeople();
    const { page, context } = await visit();
    await page.addInitScript(`Object.defineProperty(document, 'visibilityState', { value: '${visibility}' })`);
    await signIn(page, ann);
    let told: string[] = [];
    page.on('websocket', (opened) => {
      const sent: string[] = [];
      told = sent;
      opened.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload)).type));
    });
    await page.goto(`${serveUrl}${conversation}`);
    await expect.poll(() => told).toContain('watch');
    await say(page, 'Good evening');
    await page.mouse.wheel(0, 1);
    await page.locator('li.message:not(.pending)', { hasText: 'Good evening' }).waitFor();
    await expect.poll(() => told.filter((type) => type === 'active').length).toBe(times);
    await context.close();
  });
});

describe('a changed name', () => {
  it('a changed name is shown without a reload, and so is a status', async () => {
    const { ann, zoe, room } = await twoPeople();
    const { page, problems, context } = await visit({ path: `${room}?panel=members` });
    const watching = page
      .waitForEvent('websocket')
      .then((opened) =>
        opened.waitForEvent(
          'framereceived',
          ({ payload }) => String(payload).includes('"presence"') && String(payload).includes(zoe.id),
        ),
      );
    await signIn(page, ann);
    await page.locator('li.member', { hasText: 'Zoe Example' }).waitFor();
    await watching;
    await change(zoe, { name: 'Zoe Changed', status: { emoji: '🌴', text: 'On holiday' } });
    for (const place of ['li.member', '.sidebar a.room'])
      await page.locator(place, { hasText: 'Zoe Changed' }).getByRole('img', { name: 'On holiday' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
