import { describe, expect, it } from 'vitest';
import { type Account, aName, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, aRoomOf } from '../../../test/support/rooms.ts';
import { inProcess as call } from '../../../test/support/transports.ts';
import { signIn, visit } from './support.ts';

/** The code that runs if an injection succeeds. */
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
  // Text with another meaning when it is parsed a second time.
  `<svg></p><style><a id="</style><img src=1 onerror=${hit}>">`,
  `<math></p><style><!--</style><img src/onerror=${hit}>--></style></math>`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${hit}>`,
  `<table><td><svg><desc><td><img src=x onerror=${hit}>`,
  `<listing>&lt;img onerror=${hit} src=x&gt;</listing>`,
  `<template><script>${hit}</script></template>`,
  `<textarea><script>${hit}</script>`,
  `<select><template><img src=x onerror=${hit}></template></select>`,
  `<svg><animate onbegin=${hit} attributeName=x dur=1s>`,
  `<svg><set attributeName=href to=javascript:${hit}>`,
  `<svg><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg'><script>${hit}</script></svg>#x">`,
  `<svg><foreignObject><iframe srcdoc="<script>parent.${hit}</script>">`,
  `<iframe srcdoc="&lt;script&gt;parent.${hit}&lt;/script&gt;">`,
  `<meta http-equiv=refresh content="0;url=javascript:${hit}">`,
  `<form action=javascript:${hit}><button>send</button></form>`,
  `<button formaction=javascript:${hit}>send</button>`,
  `<xml onreadystatechange=${hit}>`,
  `<div style="background:url(https://example.org/x.png)">styled</div>`,
  `<p popover id=p ontoggle=${hit}><button popovertarget=p>open</button>`,
  `<input type=hidden oncontentvisibilityautostatechange=${hit} style=content-visibility:auto>`,
  // Text that imitates something else: entities, escapes, control characters, directions.
  `[a](java&#x0A;script:${hit})`,
  `[a](&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74:${hit})`,
  `[a](\u00ADjavascript:${hit})`,
  `[a]( javascript:${hit} )`,
  `[a](<javascript:${hit}>)`,
  `[a](//example.org/x)`,
  `[a](https:example.org)`,
  `[https://example.org](https://example.com)`,
  `[a](mailto:x?body=<script>${hit}</script>)`,
  `<https://example.org/"><script>${hit}</script>>`,
  `\\<img src=x onerror=${hit}\\>`,
  `\u2066<img src=x onerror=${hit}>\u2069`,
  `\uFEFF<script>${hit}</script>`,
  `a\u200Bb\u200Ec\u202Dd <b onclick=${hit}>bold</b>`,
  `\`\`\`html\n<script>${hit}</script>\n\`\`\``,
  `\`<script>${hit}</script>\``,
  `**<script>${hit}</script>**`,
  `# <img src=x onerror=${hit}>`,
  `- <img src=x onerror=${hit}>`,
  `[^1]: <img src=x onerror=${hit}>`,
  '> '.repeat(60) + hit,
  '['.repeat(500),
  '*'.repeat(999),
];

/** The elements and attributes that a message may contain. */
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

describe('the input of users', () => {
  it(`all input of users is shown as text in messages (${corpus.length} attempts)`, async () => {
    // The burst of one account is limited.
    const people = await Promise.all(Array.from({ length: Math.ceil(corpus.length / 40) }, () => anAccount()));
    const room = await aRoomOf(people);
    for (const [at, text] of corpus.entries()) await aMessage(people[Math.floor(at / 40)] as Account, room, { text });
    const { page, problems, context } = await visit({ path: `/rooms/${room}` });
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error('violation', event.violatedDirective))",
    );
    // The last author sees the end of it.
    await signIn(page, people.at(-1) as Account);
    await page.reload();
    await page.locator('li.message').first().waitFor();
    // All of them are in the window, which holds 300, once one has scrolled up.
    const box = page.locator('#messages');
    const missing = async () => {
      await box.evaluate((element) => ((element as unknown as { scrollTop: number }).scrollTop = 0));
      const there = (await page.evaluate(
        "[...document.querySelectorAll('li.message')].map(({ dataset }) => dataset.seq)",
      )) as string[];
      return corpus.filter((_, at) => !there.includes(String(at + 1)));
    };
    await expect.poll(missing).toEqual([]);
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

  it('the input of users is shown as text in names, topics, searches and addresses', async () => {
    const owner = await anAccount();
    const attack = `<img src=x onerror=${hit}>`;
    const room = await aRoom({ owner, name: `${attack} ${aName()}`.slice(0, 100) });
    await call('PATCH', `${room.path}/details`, { token: owner.token, body: { topic: `<svg/onload=${hit}>` } });
    // Each of them somewhere, as far as it is a name.
    const names = corpus.map((text) => text.trim()).filter((text) => text.length <= 100 && !/\p{Cc}/u.test(text));
    for (const name of names.slice(0, 90)) await call('POST', '/api/tokens', { token: owner.token, body: { name } });
    for (const name of names.slice(90)) {
      const { id } = await aRoom({ owner, name });
      await call('PATCH', `/api/rooms/${id}/details`, { token: owner.token, body: { topic: name } });
    }
    const { page, problems, context } = await visit({
      path: `/rooms/${room.id}?panel=search&thread=${encodeURIComponent(attack)}`,
      as: owner,
    });
    for (const path of [
      `/rooms/${room.id}?panel=details`,
      '/directory',
      '/settings/tokens',
      `/settings/${encodeURIComponent(attack)}`,
      `/join#${attack}`,
      `/rooms/${room.id}/${encodeURIComponent(attack)}`,
      `/rooms/${room.id}?panel=search`,
    ]) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator('main').first().waitFor();
      await page.locator('.loading[role=status]').first().waitFor({ state: 'hidden' });
    }
    for (const sought of [attack, ...names.slice(0, 10)]) {
      await page.getByRole('searchbox', { name: 'Search messages' }).fill(sought);
      const answered = page.waitForResponse((response) => response.url().includes('/api/messages?'));
      await page.getByRole('searchbox', { name: 'Search messages' }).press('Enter');
      await answered;
      await page.locator('.side').locator('[role=status], [role=alert]').first().waitFor();
    }
    expect([problems, await page.evaluate('window.__hit'), await page.locator('img:not([src="/icon.svg"])').count()]).toEqual([
      [],
      undefined,
      0,
    ]);
    await context.close();
  });

  it('the input of users cannot become HTML even if the page tries, because the browser refuses', async () => {
    const { page, context } = await visit();
    const attempt = "try { document.body.innerHTML = '<b>x</b>'; 'done' } catch (error) { error.name }";
    expect(await page.evaluate(attempt)).toBe('TypeError');
    await context.close();
  });
});
