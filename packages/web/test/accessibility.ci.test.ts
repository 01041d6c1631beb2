import { beforeAll, describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { fillSample, type Sample } from '../../../tools/gallery/sample.ts';
import { leave, looks, screens, show, sizes } from '../../../tools/gallery/screens.ts';
import { drawn, goWithin } from '../../../tools/harness/browser.ts';
import { objections } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { serveUrl, signIn, visit } from './support.ts';

let sample: Sample;
beforeAll(async () => {
  const admin = await anAccount({ isAdmin: true });
  sample = await fillSample(serveUrl, { ...admin, username: admin.username });
});

/**
 * The looks of every screen: at night all of them. In CI there are two, which differ in width,
 * theme and direction.
 */
const seen = looks.filter(({ where, direction, theme }) => {
  const isWide = where === 'desk';
  return process.env.LOOKS === 'all' || ((theme === 'light') === isWide && (direction === 'ltr') === isWide);
});

describe('every screen', () => {
  it.each(seen.map((look) => [Object.values(look).join(', '), look] as const))(
    'every screen passes axe-core, and fits its width, on a phone also with a text twice as large: %s',
    // About forty screens, and each takes a second.
    { timeout: 600_000 },
    async (_name, look) => {
      const options = { colorScheme: look.theme, reducedMotion: 'reduce' as const, hasTouch: look.where === 'phone' };
      const { page, context, problems } = await visit({ path: '/login', ...sizes[look.where], options });
      const found: string[] = [];
      let isIn = false;
      for (const screen of screens) {
        if (!screen.isSignedOut && !isIn) {
          await show(page, { name: 'login', path: () => '/login' }, sample, look);
          await signIn(page, sample.people.ann);
          isIn = true;
        }
        await show(page, screen, sample, look);
        const note = (how: string, what: string[]) => found.push(...what.map((one) => `${screen.name}, ${how}: ${one}`));
        await drawn(page);
        note('axe', await objections(page));
        if (look.where === 'phone') {
          await page.evaluate("document.documentElement.style.fontSize = '200%'");
          await drawn(page);
          note('large', await cutOff(page));
          await page.evaluate("document.documentElement.style.fontSize = ''");
        }
        await context.setOffline(false);
        await leave(page);
      }
      expect([found, problems]).toEqual([[], []]);
      await context.close();
    },
  );
});

describe('the page', () => {
  it('the page shows the current place and the selection in forced colours', async () => {
    const { page, context } = await visit({
      path: `/rooms/${sample.room}?panel=members`,
      options: { forcedColors: 'active' },
      as: sample.people.bob,
    });
    await page.locator('.reaction').first().waitFor();
    // Forced colours draw neither shadows nor backgrounds.
    await page.locator('.room-pane .composer textarea').focus();
    const edgeOf = (selector: string, edge: string, part = '') =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}'), '${part}').${edge}Style`);
    expect(await edgeOf('.room-pane .editor-row', 'outline')).toBe('solid');
    expect(await edgeOf('.room-pane .avatar', 'outline')).toBe('solid');
    expect(await edgeOf('.room.unread', 'borderTop', '::before')).toBe('solid');
    const backgroundOf = (className: string) =>
      page.evaluate<string>(`(() => {
        const dot = document.body.appendChild(Object.assign(document.createElement('span'), { className: '${className}' }));
        return getComputedStyle(dot).backgroundColor;
      })()`);
    expect(await backgroundOf('presence active')).not.toBe(await backgroundOf('presence'));
    // The focus has an outline of its own.
    const current = page.locator('.sidebar [aria-current]').first();
    await current.focus();
    expect(await current.evaluate((element) => getComputedStyle(element).outlineWidth)).toBe('2px');
    await page.locator('.room-pane .composer textarea').focus();
    await page.keyboard.press('Control+k');
    const outlined =
      "[...document.querySelectorAll('[aria-current], [aria-selected=true], .reaction[aria-pressed=true], .count')]";
    const styles = (await page.evaluate(
      `${outlined}.map((element) => [element.className, getComputedStyle(element).outlineStyle])`,
    )) as [string, string][];
    expect(styles.length).toBeGreaterThan(2);
    expect(styles.filter(([, style]) => style !== 'solid')).toEqual([]);
    await context.close();
  });

  it('the page names the link to the members before it has read how many there are', async () => {
    const { page, context } = await visit({ path: '/directory', as: sample.people.bob });
    await page.route(`**/api/rooms/${sample.room}`, () => undefined);
    await goWithin(page, `/rooms/${sample.room}`);
    await page.locator('.to-members .avatar').first().waitFor();
    expect(await page.locator('.to-members').textContent()).not.toMatch(/\d/);
    expect(await objections(page)).toEqual([]);
    await context.close();
  });

  it('the page shows no animation where reduced motion is preferred, and still highlights a message', async () => {
    const { page, context } = await visit({
      path: `/rooms/${sample.room}/${sample.linked}`,
      options: { reducedMotion: 'reduce' },
      as: sample.people.bob,
    });
    const pointed = page.locator('li.message.pointed');
    await pointed.waitFor();
    const running = () => page.evaluate("document.getAnimations().filter(({ playState }) => playState === 'running').length");
    await expect.poll(running).toBe(0);
    const color = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await color('li.message.pointed')).not.toBe(await color('li.message:not(.pointed, .mentions-me)'));
    await context.close();
  });

  it('the page can be used at 320 pixels, and at twice the size of text', async () => {
    const { page, context } = await visit({ path: `/rooms/${sample.room}`, width: 320, height: 640, as: sample.people.bob });
    await page.locator('.room-pane li.message').first().waitFor();
    const tooWide = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await tooWide()).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 640, height: 800 });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect(await tooWide()).toBeLessThanOrEqual(0);
    await context.close();
  });
});
