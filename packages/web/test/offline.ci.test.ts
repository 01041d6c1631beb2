import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { aRoom } from '../../../test/support/rooms.ts';
import { drawn, goWithin, interceptRequests } from '../../../tools/harness/browser.ts';
import { say, signIn, storedIn, textsOf, visit } from './support.ts';

it('the page opens without a connection, with the messages and drafts from before', async () => {
  const room = await aRoom();
  const { page, context } = await visit({ path: `/rooms/${room.id}`, options: { serviceWorkers: 'allow' }, as: room.owner });
  await say(page, 'one');
  await page.locator('.room-pane li.message:not(.pending)').first().waitFor();
  await page.reload();
  await page.locator('.room-pane li.message:not(.pending)').first().waitFor();
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await expect.poll(() => storedIn(page, 'messages', room.owner)).toHaveLength(1);
  await context.setOffline(true);
  await say(page, 'two');
  await page.locator('li.pending').first().waitFor();
  await page.reload();
  await expect.poll(() => textsOf(page)).toEqual(['one', 'two']);
  await context.close();
});

describe('code that is loaded late', () => {
  /** Makes a page ten seconds older. A younger one is not reloaded. */
  const grow = (page: Page) =>
    page.evaluate('const age = performance.now.bind(performance); performance.now = () => age() + 10_000;');

  /** True for the request that tells the page if it has a connection. */
  const asks = (request: Request) => new URL(request.url()).pathname === '/';

  it('code that is loaded late can be loaded again when there is a connection, and until then the page stays as it is', async () => {
    const room = await aRoom();
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}` });
    const end = await interceptRequests(page, '**/assets/search-*.js', (route) => route.abort('internetdisconnected'));
    await signIn(page, room.owner);
    await page.locator('.room-pane .beginning').waitFor();
    await context.setOffline(true);
    await say(page, 'from a tunnel');
    await goWithin(page, `/rooms/${room.id}?panel=search`);
    const again = page.locator('.loading').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await grow(page);
    const asked = page.waitForEvent('requestfailed', asks);
    await again.click();
    await asked;
    await drawn(page);
    await again.waitFor();
    await page.locator('li.pending', { hasText: 'from a tunnel' }).waitFor();
    end();
    await context.setOffline(false);
    // Another failed load may already have reloaded the page.
    await again.click({ timeout: 5_000 }).catch(() => {});
    await page.getByRole('searchbox', { name: 'Search messages' }).waitFor();
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'from a tunnel' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('code that is loaded late does not reload a page with files that are not sent yet', async () => {
    const room = await aRoom();
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}` });
    const end = await interceptRequests(page, '**/assets/search-*.js', (route) => route.fulfill({ status: 404 }));
    await signIn(page, room.owner);
    const composer = page.locator('.room-pane .composer');
    const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('A plan') };
    await composer.locator('input[type=file]').setInputFiles(file);
    await composer.getByText('plan.txt').waitFor();
    await grow(page);
    await goWithin(page, `/rooms/${room.id}?panel=search`);
    const again = page.locator('.loading').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    end();
    // Asked later, after the message is sent, the page would be reloaded.
    const asked = page.waitForResponse((response) => asks(response.request()));
    await again.click();
    await (await asked).finished();
    await drawn(page);
    await again.waitFor();
    await composer.locator('textarea').press('Enter');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'plan.txt' }).waitFor();
    // Nothing would be lost now.
    await again.click();
    await page.getByRole('searchbox', { name: 'Search messages' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('code that is loaded late comes with the page of another version when its file is gone', async () => {
    const room = await aRoom();
    const { page, context } = await visit({ path: `/rooms/${room.id}` });
    const end = await interceptRequests(page, '**/assets/search-*.js', (route) => route.fulfill({ status: 404 }));
    await signIn(page, room.owner);
    await grow(page);
    end();
    await goWithin(page, `/rooms/${room.id}?panel=search`);
    await page.getByRole('searchbox', { name: 'Search messages' }).waitFor();
    await context.close();
  });
});
