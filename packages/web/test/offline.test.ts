import { expect, it } from 'vitest';
import { browser } from '../../../test/support/browser.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { say, signIn, textsOf, visit } from './support.ts';

it('the page opens without a connection, with the messages and drafts from before', async () => {
  const room = await aRoom();
  const { page, context } = await visit(browser, { path: `/rooms/${room.id}`, options: { serviceWorkers: 'allow' } });
  await signIn(page, room.owner);
  await say(page, 'one');
  await page.locator('.room-pane li.message:not(.pending)').first().waitFor();
  await page.reload();
  await page.locator('.room-pane li.message:not(.pending)').first().waitFor();
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await context.setOffline(true);
  await say(page, 'two');
  await page.locator('li.pending').first().waitFor();
  await page.reload();
  await page.getByText('two').first().waitFor();
  expect(await textsOf(page)).toEqual(['one', 'two']);
  await context.close();
});
