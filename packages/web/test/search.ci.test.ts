import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { partsOf } from '../src/text/highlight.ts';
import { call, visit } from './support.ts';

describe('the marks of a search', () => {
  it.each([
    ['a word in another spelling', 'Die Straße ist da', 'STRASSE', 'Die [Straße] ist da'],
    ['half-width letters', 'ｶﾞｲﾄﾞブック', 'ガイド', '[ｶﾞｲﾄﾞ]ブック'],
    ['a word inside a sentence without spaces', '東京タワー', '京タ', '東[京タ]ワー'],
    ['an address as a whole', '10.0.0.1 and 10.0.0.12', '10.0.0.1', '[10.0.0.1] and 10.0.0.12'],
    ['nothing that is excluded', 'a pelican, no fish', 'pel -fish', 'a [pel]ican, no fish'],
  ])('a search marks %s', (_what, text, sought, expected) => {
    expect(
      partsOf(text, sought)
        .map((part) => (part.isSought ? `[${part.text}]` : part.text))
        .join(''),
    ).toBe(expected);
  });
});

describe('the search', () => {
  const words = (page: Page) => page.getByRole('searchbox', { name: 'Search messages' });
  const count = (page: Page) => page.locator('.side [role=status]').textContent();

  it('the search opens with the caret in its field, searches again when a choice changes, continues to the end, and is restored by Back', async () => {
    const owner = await anAccount();
    const [here, there] = [await aRoom({ owner }), await aRoom({ owner })];
    for (let at = 0; at < 52; at++) await aMessage(owner, here.id, { text: `avocet ${at}` }, call);
    await aMessage(owner, there.id, { text: 'An avocet elsewhere' }, call);
    const { page, context } = await visit({ path: `/rooms/${here.id}`, as: owner });
    await page.getByRole('link', { name: 'Search in this room' }).click();
    await page.locator('input[name=q]:focus').waitFor();
    await page.keyboard.type('avocet a b c d e f g h i j k l');
    await page.keyboard.press('Enter');
    await expect.poll(() => count(page)).toContain('3 words were ignored');
    await words(page).fill('avocet');
    await page.keyboard.press('Enter');
    await expect.poll(() => count(page)).toContain('50+ messages');
    await page.locator('.side').getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => count(page)).toContain('52 messages');
    const choose = async (chip: RegExp, choice: string) => {
      await page.locator('.side').getByRole('button', { name: chip }).click();
      await page.getByRole('menuitemradio', { name: choice }).click();
    };
    await choose(/^In/, 'All my rooms');
    await expect.poll(() => count(page)).toContain('50+ messages');
    await choose(/^Order/, 'Newest first');
    await page.locator('.results li', { hasText: 'An avocet elsewhere' }).first().click();
    await page.waitForURL((url) => url.pathname.startsWith(`/rooms/${there.id}`));
    await page.locator('li.message.pointed', { hasText: 'An avocet elsewhere' }).waitFor();
    expect([await words(page).inputValue(), await page.locator('.results li').count()]).toEqual(['avocet', 50]);
    await page.goBack();
    await page.waitForURL((url) => url.pathname.startsWith(`/rooms/${here.id}`));
    await expect.poll(() => page.locator('.results li').count()).toBe(50);
    expect(await words(page).inputValue()).toBe('avocet');
    await context.close();
  });

  it('a late page of a search is not added to a newer search', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner });
    for (let at = 0; at < 52; at++) await aMessage(owner, room.id, { text: `avocet ${at}` }, call);
    await aMessage(owner, room.id, { text: 'One pelican' }, call);
    const { page, context } = await visit({ path: `/rooms/${room.id}?panel=search&q=avocet`, as: owner });
    await expect.poll(() => count(page)).toContain('50+ messages');
    const released = Promise.withResolvers<void>();
    const isNext = ({ searchParams }: URL) => searchParams.get('q') === 'avocet' && searchParams.has('cursor');
    await page.route(isNext, (route) => released.promise.then(() => route.continue()));
    await page.locator('.side').getByRole('button', { name: 'Show more' }).click();
    await words(page).fill('pelican');
    await page.keyboard.press('Enter');
    await expect.poll(() => count(page)).toContain('1 message');
    const late = page.waitForResponse((response) => isNext(new URL(response.url())));
    released.resolve();
    await (await late).finished();
    await page.waitForTimeout(300);
    expect(await count(page)).toContain('1 message');
    expect(await page.locator('.results li').count()).toBe(1);
    await context.close();
  });
});
