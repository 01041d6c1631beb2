import { expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { signIn, visit } from './support.ts';

type ShownState = Record<string, unknown>;

it('a message or a panel that the page cannot draw is reported in its place, and the rest is shown', async () => {
  const owner = await anAccount();
  const room = await aRoom({ owner });
  for (const text of ['before', 'a **broken** one', 'after']) await aMessage(owner, room.id, { text });
  const { page, context } = await visit();
  // Responses that the page does not expect.
  await page.route('**/api/messages?*', async (route) => {
    const response = await route.fetch();
    const messages = (await response.json()) as ShownState[];
    const json = messages.map((message) => (String(message.text).includes('broken') ? { ...message, reactions: null } : message));
    await route.fulfill({ response, json });
  });
  await page.route(`**${room.path}/details`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as ShownState), created_at: null } });
  });
  await signIn(page, owner);
  await page.goto(new URL(`/rooms/${room.id}`, page.url()).href);
  const broken = page.locator('li.message', { hasText: 'a **broken** one' });
  await broken.getByText('You see it as it was typed.').waitFor();
  for (const text of ['before', 'after']) await page.locator('li.message .text', { hasText: text }).waitFor();

  await page.goto(new URL(`/rooms/${room.id}?panel=details`, page.url()).href);
  await page.locator('.room-main').getByText('This could not be displayed.').waitFor();
  await page.locator('li.message .text', { hasText: 'after' }).waitFor();
  expect(await page.getByPlaceholder('Message General').count()).toBe(1);
  await context.close();
});
