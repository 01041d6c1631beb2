import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../support/accounts.ts';
import { browser } from '../support/browser.ts';
import { aRoomOf } from '../support/rooms.ts';
import { serveUrl } from '../support/services.ts';
import { inProcess } from '../support/transports.ts';

describe('a session in a cookie, in a browser', async () => {
  const service = await serveUrl();
  let elsewhere: Server;
  beforeAll(async () => {
    elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>');
    }).listen(0);
    await once(elsewhere, 'listening');
  });
  afterAll(() => elsewhere.close());

  /** A page of the service, in which a user has logged in. */
  async function aLoggedInPage(ann: Account): Promise<Page> {
    const page = await (await (await browser()).newContext()).newPage();
    await page.goto(`${service}/docs`);
    const status = await ask(page, '/api/sessions', 'POST', { username: ann.username, password: ann.password, cookie: true });
    expect(status).toBe(201);
    return page;
  }

  /**
   * The status of a request from the page; 0 if the browser does not send it or hides the response.
   */
  const ask = (page: Page, address: string, method: string, body?: object, type = 'application/json'): Promise<number> =>
    page.evaluate(
      async ([url, init]) => {
        const answer = await fetch(url, init as RequestInit).catch(() => undefined);
        return answer?.status ?? 0;
      },
      [
        address,
        {
          method,
          credentials: 'include',
          ...(body && { body: JSON.stringify(body), headers: { 'content-type': type } }),
        },
      ] as const,
    );

  it("a session in a cookie works for the service's own pages, in every tab, and is hidden from scripts", async () => {
    const ann = await anAccount();
    const page = await aLoggedInPage(ann);
    const another = await page.context().newPage();
    await another.goto(`${service}/docs`);
    const room = await aRoomOf([ann]);
    for (const tab of [page, another]) {
      expect(await ask(tab, '/api/users/me', 'GET')).toBe(200);
      expect(await ask(tab, '/api/messages', 'POST', { room, text: 'Hello' })).toBe(201);
      expect(await tab.evaluate('document.cookie')).toBe('');
    }
    expect(await ask(page, '/api/sessions/current', 'DELETE')).toBe(204);
    expect(await ask(another, '/api/users/me', 'GET')).toBe(401);
    expect(await page.context().cookies()).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['another site', '127.0.0.1'],
    ['another port of the same host', 'localhost'],
  ])('a session in a cookie does not work for a page of %s, in whichever way that sends requests', async (_which, host) => {
    const ann = await anAccount();
    const page = await aLoggedInPage(ann);
    const room = await aRoomOf([ann]);
    await page.goto(`http://${host}:${(elsewhere.address() as AddressInfo).port}/`);

    const message = { room, text: 'forged' };
    expect(await ask(page, `${service}/api/users/me`, 'GET')).toBe(0);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
      expect(await ask(page, `${service}/api/messages`, 'POST', message, type)).toBe(0);
    expect(await ask(page, `${service}/api/users/me`, 'PATCH', { email: 'mallory@example.org' })).toBe(0);
    for (const method of ['DELETE', 'PUT']) expect(await ask(page, `${service}/api/sessions`, method)).toBe(0);
    await submitForm(page, `${service}/api/messages`, JSON.stringify(message));

    const replies = await Promise.all(
      [`/api/messages?room=${room}`, '/api/users/me'].map((path) => inProcess('GET', path, { token: ann.token })),
    );
    expect(replies.map(({ body }) => body)).toMatchObject([[], { email: ann.email }]);
    await page.goto(`${service}/docs`);
    expect(await ask(page, '/api/users/me', 'GET')).toBe(200);
    await page.context().close();
  });

  /**
   * Submits a form with one field whose name makes the body JSON, and waits for the response's
   * page.
   */
  async function submitForm(page: Page, action: string, name: string): Promise<void> {
    const answered = page.waitForResponse(action);
    const escaped = name.replaceAll('"', '&quot;');
    await page.setContent(`<form method="post" enctype="text/plain" action="${action}"><input name="${escaped}"><button>`);
    await page.click('button');
    expect((await answered).status()).toBeGreaterThanOrEqual(400);
  }
});
