import { describe, expect, it } from 'vitest';
import { aRoom } from '../../../test/support/rooms.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import * as arabic from '../src/i18n/strings-ar.ts';
import * as german from '../src/i18n/strings-de.ts';
import { objections } from './axe.ts';
import { say, visit } from './support.ts';

const phone = { width: 390, height: 780 };

describe('the page in another language', () => {
  it.each([
    ['German', 'de-AT', german, { lang: 'de', dir: 'ltr' }],
    ['Arabic, from right to left', 'ar', arabic, { lang: 'ar', dir: 'rtl' }],
  ] as const)('a page in another language works on a phone, and can be changed: %s', async (_name, locale, words, expected) => {
    const { strings, laterStrings } = words;
    const { owner, id } = await aRoom({ name: 'Plans' });
    const { page, context, problems } = await visit({ path: `/rooms/${id}`, ...phone, options: { locale } });
    const html = () => page.evaluate('(({ lang, dir }) => ({ lang, dir }))(document.documentElement)');
    await page.getByLabel(laterStrings.login.username).fill(owner.username);
    expect([await html(), await objections(page)]).toEqual([expected, []]);
    await page.getByLabel(laterStrings.login.password, { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: laterStrings.login.title }).click();

    const field = page.getByPlaceholder(strings.composer.placeholder('Plans'));
    await field.waitFor();
    await say(page, 'Hello');
    await page.locator('li.message:not(.pending)', { hasText: 'Hello' }).waitFor();
    expect(await objections(page)).toEqual([]);
    await field.fill('Not sent yet');

    await goWithin(page, '/settings/notifications');
    await page.getByRole('heading', { name: laterStrings.settings.language }).waitFor();
    expect(await objections(page)).toEqual([]);
    await page.getByLabel('English').click();
    await page.getByRole('heading', { name: 'Language' }).waitFor();
    expect(await html()).toEqual({ lang: 'en', dir: 'ltr' });
    expect(await page.evaluate('document.activeElement.labels[0].textContent.trim()')).toBe('English');

    // The typed text is still there, and the choice is stored.
    await goWithin(page, `/rooms/${id}`);
    await expect.poll(() => page.getByPlaceholder('Message Plans').inputValue()).toBe('Not sent yet');
    await page.reload();
    await page.getByPlaceholder('Message Plans').waitFor();
    expect(await html()).toEqual({ lang: 'en', dir: 'ltr' });

    await goWithin(page, '/settings/notifications');
    await page.getByLabel('Same as browser').click();
    await page.getByRole('heading', { name: laterStrings.settings.language }).waitFor();
    expect([await html(), problems]).toEqual([expected, []]);
    await context.close();
  });

  it('the page in another language stays in English if its words cannot be loaded', async () => {
    const { owner, id } = await aRoom({ name: 'Plans' });
    const { page, context } = await visit({ path: '/icon.svg', options: { locale: 'de' } });
    await context.route('**/assets/strings-de-*', (route) => route.abort());
    await page.goto(new URL(`/rooms/${id}`, page.url()).href);
    await page.getByLabel('Username or e-mail address').fill(owner.username);
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await context.close();
  });
});
