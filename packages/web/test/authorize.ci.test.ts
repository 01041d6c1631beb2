import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerApp } from '../../../lib/oauth/apps.ts';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aVerifier } from '../../../test/support/oauth.ts';
import { aService } from '../../../test/support/services.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { objections } from './axe.ts';
import { visit } from './support.ts';

const issuer = 'https://chat.example.org';
const redirectUri = 'http://127.0.0.1:33418/callback';

let service: Service;
beforeAll(async () => {
  service = await aService({ PUBLIC_URL: issuer }, commands.serve);
});
afterAll(() => service.stop());

/** The path of a request to sign in to an app. */
async function requestPath(): Promise<string> {
  const { clientId } = await registerApp({ name: 'Claude Code', redirectUris: [redirectUri] });
  const request = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: aVerifier().challenge,
    code_challenge_method: 'S256',
    scope: 'messages:read messages:write',
    state: 'a state',
  };
  return `/authorize?${new URLSearchParams(request)}`;
}

/** Stands in for the program on the device, which only has to get the answer. */
const listenAsApp = (context: BrowserContext) =>
  context.route(`${redirectUri}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>App</title>' }));

async function signInThere(page: Page, { username, password }: Account): Promise<void> {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('.authorize h1').waitFor();
}

const answerIn = async (page: Page) => {
  await page.waitForURL(`${redirectUri}**`);
  return Object.fromEntries(new URL(page.url()).searchParams);
};

describe('the page that asks for an app', () => {
  it('somebody signs in, sees what an app may do, and allows it by the keyboard', async () => {
    const ann = await anAccount();
    const { page, context } = await visit({ path: await requestPath(), baseUrl: service.url });
    await listenAsApp(context);
    await signInThere(page, ann);
    const title = page.getByRole('heading', { name: 'Allow Claude Code to use your account?' });
    await title.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'read and search your messages and files',
      'send, edit and delete messages in your name',
    ]);
    expect(await page.locator('.card').textContent()).toContain(ann.username);
    const clientId = new URL(page.url()).searchParams.get('client_id');
    expect(await page.locator('.client-id').textContent()).toBe(clientId);
    expect(await objections(page)).toEqual([]);
    await page.locator('.authorize button.primary:not([aria-disabled])').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#field-proof').waitFor();
    await page.locator('#field-proof').fill(ann.password);
    await page.keyboard.press('Enter');
    expect(await answerIn(page)).toEqual({ code: expect.stringMatching(/^[a-z0-9]{32}$/), state: 'a state', iss: issuer });
    await context.close();
  });

  it('the second click of a double click that began on another site allows nothing', async () => {
    const ann = await anAccount();
    const { page, context } = await visit({ path: await requestPath(), baseUrl: service.url });
    await listenAsApp(context);
    const answers: string[] = [];
    page.on('request', (one) => one.method() === 'POST' && one.url().endsWith('/authorization') && answers.push(one.url()));
    await signInThere(page, ann);
    const allow = page.locator('.authorize button.primary:not([aria-disabled])');
    await allow.waitFor();
    // A window above this one closes, and the pointer is over the button.
    await page.evaluate(`new Promise((resolve) => {
      dispatchEvent(new Event('focus'));
      setTimeout(() => resolve(document.querySelector('.authorize button.primary').click()), 50);
    })`);
    await page.getByText('Read the question, then press again.').first().waitFor({ state: 'attached' });
    await allow.waitFor();
    expect(answers).toEqual([]);
    await allow.click();
    await page.locator('#field-proof').waitFor();
    expect(answers).toHaveLength(1);
    await context.close();
  });

  it.each([
    ['ar', 'rtl'],
    ['de', 'ltr'],
  ])('on a phone in the language %s, somebody refuses an app', async (locale, direction) => {
    const ann = await anAccount();
    const settings = { path: await requestPath(), baseUrl: service.url, width: 360, height: 740 };
    const { page, context } = await visit({ ...settings, options: { locale, hasTouch: true } });
    await listenAsApp(context);
    await signInThere(page, ann);
    await page.getByRole('listitem').first().waitFor();
    expect(await page.evaluate('document.documentElement.dir || "ltr"')).toBe(direction);
    // Only a wide window shows the name on a colour.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.brand')).backgroundImage")).toBe('none');
    expect(await objections(page)).toEqual([]);
    await page.locator('.authorize form button:not(.primary)').tap();
    expect(await answerIn(page)).toEqual({ error: 'access_denied', state: 'a state', iss: issuer });
    await context.close();
  });

  it('an unknown app, or an incomplete address, leads nowhere but to the rooms', async () => {
    const ann = await anAccount();
    const path = (await requestPath()).replace(/client_id=\w+/, 'client_id=unknown');
    const { page, context } = await visit({ path, baseUrl: service.url });
    await page.locator('input[name=username]').fill(ann.username);
    await page.locator('input[name=password]').fill(ann.password);
    await page.keyboard.press('Enter');
    const linksBesideProblem = async () => {
      await page.locator('.authorize .problem').waitFor();
      return page.locator('.authorize a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    };
    expect(await linksBesideProblem()).toEqual(['/']);
    await page.goto(`${service.url}/authorize`);
    await page.getByText('This address is incomplete').waitFor();
    expect(await linksBesideProblem()).toEqual(['/']);
    await context.close();
  });

  it('a page of another site cannot frame it', async () => {
    const { page, context } = await visit({ path: '/', baseUrl: service.url });
    const framed = `<iframe src="${service.url}${await requestPath()}"></iframe>`;
    await context.route('http://evil.localhost/', (route) => route.fulfill({ contentType: 'text/html', body: framed }));
    await page.goto('http://evil.localhost/');
    await expect.poll(() => page.frames().at(1)?.url()).toMatch(/^chrome-error:/);
    await context.close();
  });
});
