import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, aName, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, aRoomOf } from '../../../test/support/rooms.ts';
import { inProcess as call } from '../../../test/support/transports.ts';
import { openBrowser } from '../../../tools/harness/browser.ts';
import { signIn, visit } from './support.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** What runs when it gets anywhere. */
const hit = 'window.__hit=1';
const tags = [
  'img',
  'svg',
  'iframe',
  'video',
  'audio',
  'object',
  'embed',
  'body',
  'input',
  'details',
  'marquee',
  'math',
  'style',
  'link',
  'base',
];
const events = ['onerror', 'onload', 'onfocus', 'ontoggle', 'onmouseover', 'onanimationstart'];
const corpus = [
  `<script>${hit}</script>`,
  `"><script>${hit}</script>`,
  `</textarea><script>${hit}</script>`,
  `</title><svg/onload=${hit}>`,
  ...tags.flatMap((tag) => events.map((event) => `<${tag} src=x ${event}="${hit}" autofocus open>`)),
  ...[
    'javascript:',
    'JaVaScRiPt:',
    'java\tscript:',
    '&#106;avascript:',
    'data:text/html,',
    'vbscript:',
    'blob:',
    'file:///',
  ].flatMap((scheme) => [
    `[click](${scheme}${hit})`,
    `![image](${scheme}${hit})`,
    `<${scheme}${hit}>`,
    `[ref]: ${scheme}${hit}\n[ref]`,
    `<a href="${scheme}${hit}">click</a>`,
  ]),
  `[a](https://example.org/"onmouseover="${hit})`,
  `[a](https://example.org 'title" onload="${hit}')`,
  `![a](https://example.org/x.png)`,
  `\`\`\`"><img src=x onerror=${hit}>\ncode\n\`\`\``,
  `| <img src=x onerror=${hit}> | b |\n| --- | --- |\n| <svg/onload=${hit}> | d |`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${hit}&gt;">`,
  `<noscript><p title="</noscript><img src=x onerror=${hit}>">`,
  `@<img src=x onerror=${hit}>`,
  `&lt;img src=x onerror=${hit}&gt;`,
  `{{constructor.constructor('${hit}')()}}`,
  `\${${hit}}`,
  '\u202Egnp.exe\u202C',
  `https://example.org/<script>${hit}</script>`,
  `www.example.org"onclick="${hit}`,
  '> '.repeat(60) + hit,
  '['.repeat(500),
  '*'.repeat(999),
];

/** What a message may be made of. */
const allowed = {
  elements:
    'DIV P BR STRONG EM DEL CODE PRE A SPAN UL OL LI BLOCKQUOTE HR TABLE THEAD TBODY TR TH TD BUTTON SVG PATH RECT CIRCLE'.split(
      ' ',
    ),
  attributes:
    'class dir href target rel start tabindex type aria-label title aria-expanded viewBox aria-hidden focusable d width height x y rx ry'.split(
      ' ',
    ),
};

describe('what people write', () => {
  it(`is text, whatever it looks like: ${corpus.length} attempts as messages`, { timeout: 120_000 }, async () => {
    // One account may send so many messages at once.
    const people = await Promise.all(Array.from({ length: Math.ceil(corpus.length / 40) }, () => anAccount()));
    const [owner] = people as [Account];
    const room = await aRoomOf(people);
    for (const [at, text] of corpus.entries()) await aMessage(people[Math.floor(at / 40)] as Account, room, { text });
    const { page, problems, context } = await visit(browser, { path: `/rooms/${room}` });
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error('violation', event.violatedDirective))",
    );
    await signIn(page, owner);
    await page.reload();
    await page.locator('li.message').first().waitFor();
    // All of them are in the window, which holds 300.
    for (let at = 0; at < 4; at++)
      await page.locator('#messages').evaluate((box) => ((box as unknown as { scrollTop: number }).scrollTop = 0));
    await expect.poll(() => page.locator('.room-pane li.message').count()).toBe(corpus.length);
    const found = (await page.evaluate(`
      [...document.querySelectorAll('li.message .text *')].flatMap((element) => [
        ...(${JSON.stringify(allowed.elements)}.includes(element.tagName.toUpperCase()) ? [] : ['element ' + element.outerHTML]),
        ...[...element.attributes]
          .filter(({ name, value }) => !${JSON.stringify(allowed.attributes)}.includes(name) || (name === 'href' && !/^(https?:|mailto:)/.test(value)))
          .map(({ name, value }) => 'attribute ' + name + '=' + value),
      ])`)) as string[];
    expect([found, problems, await page.evaluate('window.__hit')]).toEqual([[], [], undefined]);
    await context.close();
  });

  it('is text in names and topics, in what is sought, and in addresses', async () => {
    const owner = await anAccount();
    const attack = `<img src=x onerror=${hit}>`;
    const room = await aRoom({ owner, name: `${attack} ${aName()}`.slice(0, 100) });
    await call('PATCH', `${room.path}/details`, { token: owner.token, body: { topic: `<svg/onload=${hit}>` } });
    await call('POST', '/api/tokens', { token: owner.token, body: { name: attack } });
    const { page, problems, context } = await visit(browser, {
      path: `/rooms/${room.id}?panel=search&thread=${encodeURIComponent(attack)}`,
    });
    await signIn(page, owner);
    for (const path of [
      `/rooms/${room.id}?panel=details`,
      '/directory',
      '/settings/tokens',
      `/settings/${encodeURIComponent(attack)}`,
      `/rooms/${room.id}?panel=search`,
    ]) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator('main').first().waitFor();
      await page.locator('.loading[role=status]').first().waitFor({ state: 'hidden' });
    }
    await page.getByRole('searchbox', { name: 'Words to find' }).fill(attack);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('Nothing was found.').waitFor();
    expect([problems, await page.evaluate('window.__hit'), await page.locator('img:not([src="/icon.svg"])').count()]).toEqual([
      [],
      undefined,
      0,
    ]);
    await context.close();
  });

  it('could not become HTML if the page tried: the browser refuses', async () => {
    const { page, context } = await visit(browser);
    const attempt = "try { document.body.innerHTML = '<b>x</b>'; 'done' } catch (error) { error.name }";
    expect(await page.evaluate(attempt)).toBe('TypeError');
    await context.close();
  });
});
