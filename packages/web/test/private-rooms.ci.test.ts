import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import { call, visit } from './support.ts';

/** Waits for the sign of a room. A lock is drawn with a rectangle, a hash with lines. */
async function signOf(place: Locator): Promise<'lock' | 'hash'> {
  await place.locator('svg.icon').first().waitFor();
  return (await place.locator('svg.icon').first().locator('rect').count()) > 0 ? 'lock' : 'hash';
}

it('a room that only invited people can join has a lock wherever it is named, and the field says who reads it', async () => {
  const [owner, other] = [await anAccount(), await anAccount()];
  // The directory has the rooms of other tests as well.
  const word = `o${crypto.randomUUID().slice(0, 8)}`;
  const [closed, open] = [`${word} Council`, `${word} Lobby`];
  const council = await aRoom({ owner, members: [other], name: closed, is_open: false });
  await aRoom({ owner, members: [other], name: open });
  const root = await aMessage(owner, council.id, { text: 'Who is in?' }, call);
  await aMessage(other, council.id, { text: 'I am', thread: root._id.$oid }, call);
  const { page, context, problems } = await visit({ path: `/rooms/${council.id}`, as: owner });
  const message = page.locator('.room-pane li.message', { hasText: 'Who is in?' });
  await message.waitFor();
  const signs: Record<string, unknown> = {};
  const listed = (name: string) => page.locator('.rooms section li', { hasText: name });
  signs.sidebar = [await signOf(listed(closed)), await signOf(listed(open))];
  signs.header = await signOf(page.locator('.room-pane .bar .name'));
  await page.getByPlaceholder(`Message ${closed} · only its 2 members can read it`).waitFor();

  const option = (name: string) => page.getByRole('option', { name, exact: true });
  // Forwarding a message asks first. The list of rooms has the same signs.
  await message.focus();
  await message.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Forward' }).click();
  await page.getByRole('dialog', { name: 'This room is private.' }).getByRole('button', { name: 'Forward' }).click();
  signs.forward = [await signOf(option(closed)), await signOf(option(open))];
  await page.keyboard.press('Escape');

  await goWithin(page, '/?panel=threads');
  signs.threads = await signOf(page.getByRole('article', { name: `Thread in ${closed}` }).locator('header'));
  await goWithin(page, '/directory');
  await page.getByRole('searchbox', { name: 'Find a room by its name or topic' }).fill(word);
  const card = (name: string) => page.locator('.directory .card', { hasText: name });
  signs.directory = [await signOf(card(closed)), await signOf(card(open))];
  await page.keyboard.press('Control+k');
  signs.switcher = [await signOf(option(closed)), await signOf(option(open))];
  const both = ['lock', 'hash'];
  expect(signs).toEqual({
    sidebar: both,
    header: 'lock',
    switcher: both,
    forward: both,
    threads: 'lock',
    directory: both,
  });
  expect(problems).toEqual([]);
  await context.close();
});
