import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { readFiles } from '../site.ts';
import { serveUrl, signIn, visit } from './support.ts';

const watchShifts = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

// The page waits 100 milliseconds for a font that the browser has; a busy machine may take longer.
const waitLonger = `
  const { setTimeout } = window;
  window.setTimeout = (act, ms, ...rest) => setTimeout(act, ms === 100 ? 30_000 : ms, ...rest);`;

describe('the font', () => {
  it('the font comes after the first picture, moves nothing that is read, and is there at once on the next visit', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner, name: 'Plans' });
    await aRoom({ owner, name: 'Other' });
    for (let at = 0; at < 20; at++) await aMessage(owner, room.id, { text: `message ${at} ${'with words '.repeat(at)}` });
    const { page, context, problems } = await visit({ path: '/login' });
    await context.addInitScript(watchShifts);
    await signIn(page, owner);
    await page.evaluate("localStorage.removeItem('chat-font')");
    const fonts = page.waitForResponse((response) => response.url().includes('/inter-latin-wght-normal'));
    await page.goto(`${serveUrl}/rooms/${room.id}`);
    await page.getByText('message 19').waitFor();
    await fonts;
    const isUsed = () => page.evaluate<boolean>("document.documentElement.dataset.font === 'inter'");
    await expect.poll(() => page.evaluate("localStorage.getItem('chat-font') !== null")).toBe(true);
    expect(await isUsed()).toBe(false);
    await page.locator('.rooms a', { hasText: 'Other' }).click();
    await expect.poll(isUsed).toBe(true);
    await page.goBack();
    await page.getByText('message 19').waitFor();
    expect(await page.evaluate('document.fonts.check(\'15px "Inter Variable"\', "a")')).toBe(true);
    expect(await page.evaluate('window.shift')).toBeLessThan(0.01);
    await page.addInitScript(waitLonger);
    await page.reload();
    await page.getByText('message 19').waitFor();
    expect([await isUsed(), problems]).toEqual([true, []]);
    expect(await page.evaluate('window.shift')).toBeLessThan(0.01);
    await context.close();
  });

  it('the font is served without compression, even if the client accepts one', async () => {
    const [path = ''] = Object.keys(readFiles() ?? {}).filter((name) => name.includes('inter-latin-wght'));
    for (const encoding of ['br', 'identity']) {
      const response = await fetch(`${serveUrl}${path}`, { headers: { 'Accept-Encoding': encoding } });
      const start = Buffer.from(await response.arrayBuffer()).subarray(0, 4);
      expect([response.headers.get('content-type'), start.toString()]).toEqual(['font/woff2', 'wOF2']);
    }
  });

  it('the licence of the font is served beside it', async () => {
    const [path = ''] = Object.keys(readFiles() ?? {}).filter((name) => name.includes('inter-licence'));
    const response = await fetch(`${serveUrl}${path}`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toContain('SIL Open Font License, Version 1.1');
  });
});
