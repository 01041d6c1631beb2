import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pushMeanwhile } from '../../../hosts/server/work/push-notifications.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { pushSubscriptions } from '../../../lib/collections/delivery/push-subscriptions.ts';
import { pushed } from '../../../lib/collections/delivery/pushed.ts';
import { tellReminders } from '../../../lib/notifications/reminders.ts';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aDevice, type Device, type Push, usePushService } from '../../../test/support/push-service.ts';
import { aRoom, succeed } from '../../../test/support/rooms.ts';
import { aServer } from '../../../test/support/sockets.ts';
import { overHttp } from '../../../test/support/transports.ts';
import { goWithin, holdAnswer } from '../../../tools/harness/browser.ts';
import { objections } from './axe.ts';
import { signIn, visit } from './support.ts';

usePushService();

let server: Awaited<ReturnType<typeof aServer>>;
let pushes: ReturnType<typeof pushMeanwhile>;
beforeAll(async () => {
  server = await aServer();
  pushes = pushMeanwhile({ isFirst: false, wait: 1_000 });
});
afterAll(async () => {
  await pushes.end();
  await server.close();
});

const call = () => overHttp(server.url);

/*
 * The browsers of the tests have neither a push service within reach nor anywhere to show
 * notifications. So these two, and the permission to show them, are replaced; the page, its service
 * worker, and how pushes come to that, are real.
 */

const subscribing = ({ endpoint, p256dh, auth }: Device) => `
  let made;
  const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  PushManager.prototype.getSubscription = async () => made;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => (made = {
    options: { applicationServerKey: bytesOf(applicationServerKey).buffer },
    toJSON: () => ({ endpoint: '${endpoint}', keys: { p256dh: '${p256dh}', auth: '${auth}' } }),
    unsubscribe: async () => { made = undefined; },
  });
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
  window.taken = [];
  ServiceWorkerRegistration.prototype.getNotifications = async ({ tag }) => [{ close: () => window.taken.push(tag) }];
  0;`;

const showing = `
  // It ends the service worker of a browser without a window.
  Object.defineProperty(navigator, 'setAppBadge', { value: async () => {}, configurable: true });
  self.shown = new Map();
  const all = () => [...self.shown.values()];
  registration.getNotifications = async ({ tag } = {}) => all().filter((one) => tag === undefined || one.tag === tag);
  registration.showNotification = async (title, options) => void self.shown.set(options.tag, { title, close() {}, ...options });
  0;`;

type NotifiedPages = Awaited<ReturnType<typeof notified>>;

/** A user with notifications turned on, at the settings. */
async function notified() {
  const owner = await anAccount();
  const device = aDevice();
  const { page, context, problems } = await visit({
    baseUrl: server.url,
    options: { serviceWorkers: 'allow' },
  });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(showing);
  await context.addInitScript(subscribing(device));
  await page.reload();
  await signIn(page, owner);
  await goWithin(page, '/settings/notifications');
  await page.getByLabel('Show notifications on this device').check();
  await page.getByRole('button', { name: 'Send one now' }).waitFor();
  return { page, context, worker, owner, device, problems };
}

/** A user at the settings. The answer to the page's next request for the account is held. */
async function atSettings() {
  const visited = await visit({ baseUrl: server.url, path: '/settings/notifications', as: await anAccount() });
  return { ...visited, ...(await holdAnswer(visited.page, '**/api/users/me')) };
}

/** Waits until the settings show quiet hours and a pause. */
async function bothQuiet(page: Page): Promise<void> {
  await page.getByText('From 22:00 to 07:00 each day').waitFor();
  await page.getByText('Paused until').waitFor();
}

/** Leaves the settings, and comes back to what the page knows of the account. */
async function leaveAndReturn(page: Page): Promise<void> {
  await goWithin(page, '/settings/profile');
  await page.getByRole('heading', { name: 'Picture' }).waitFor();
  await goWithin(page, '/settings/notifications');
}

/** Has the browser get what arrived at the push service, as when it reaches the device. */
async function deliver({ context, page }: Pick<NotifiedPages, 'context' | 'page'>, arrived: Push[]): Promise<void> {
  const session = await context.newCDPSession(page);
  // A worker that is still being installed gets no pushes.
  const found = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      const mine = versions.find(({ scriptURL, status }) => scriptURL.startsWith(server.url) && status === 'activated');
      if (mine) resolve(mine.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await found;
  for (const { payload } of arrived)
    await session.send('ServiceWorker.deliverPushMessage', {
      origin: server.url,
      registrationId,
      data: JSON.stringify(payload),
    });
}

type ShownNotification = { title: string; body?: string; silent?: boolean; data?: { path: string } };

/** The notifications that are shown. */
const shownBy = ({ worker }: NotifiedPages) =>
  worker.evaluate('[...self.shown.values()].map(({ close, ...one }) => one)') as Promise<ShownNotification[]>;

describe('a device with notifications', () => {
  it('a device with notifications gets a trial notification, and says where that fails', async () => {
    const all = await notified();
    const { page, context, device, problems } = all;
    const send = page.getByRole('button', { name: 'Send one now' });
    await send.click();
    await page.locator('.toast', { hasText: 'A notification is on its way to this device.' }).waitFor();
    await deliver(all, device.pushes);
    await expect.poll(() => shownBy(all)).toMatchObject([{ title: 'Notifications reach this device.' }]);
    // Another choice goes to the service.
    await page.getByLabel('All new messages').check();
    await expect.poll(() => pushSubscriptions.countDocuments({ endpoint: device.endpoint, of: 'all' })).toBe(1);
    device.answer = { status: 500 };
    await send.click();
    await page.getByText('while this page is closed: The push service did not accept it').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a device with a closed page shows one notification per room, which counts each message once and leads to the last one', async () => {
    const all = await notified();
    const { page, context, worker, owner, device } = all;
    const other = await anAccount();
    const { id } = await aRoom({ owner, members: [other], name: 'Plans' });
    // The open page is another one; the service worker may have restarted.
    await page.goto(`${server.url}/icon.svg`);
    await expect.poll(() => worker.evaluate(showing)).toBe(0);
    const text = `@${owner.username} lunch?`;
    await aMessage(other, id, { text }, call());
    await expect.poll(() => device.pushes.length).toBe(1);
    await deliver(all, device.pushes);
    await expect.poll(() => shownBy(all)).toMatchObject([{ title: `${other.username} in Plans`, body: text, silent: false }]);
    const last = await aMessage(other, id, { text: `@${owner.username} or dinner?` }, call());
    await expect.poll(() => device.pushes.length).toBe(2);
    await deliver(all, [...device.pushes.slice(1), ...device.pushes.slice(1)]);
    const both = { body: `@${owner.username} or dinner?\nand 1 message more`, data: { path: `/rooms/${id}/${last.seq}` } };
    await expect.poll(() => shownBy(all)).toMatchObject([{ ...both, silent: true }]);
    await context.close();
  });

  it('a device with a closed page removes notifications of read or left rooms with the next notification', async () => {
    const all = await notified();
    const { page, context, worker, owner, device } = all;
    const other = await anAccount();
    const rooms = await Promise.all(
      ['Read', 'Left', 'Unread', 'New'].map((name) => aRoom({ owner: other, members: [owner], name })),
    );
    const [wasRead, left, unread, fresh] = rooms.map(({ id }) => id) as [string, string, string, string];
    await page.goto(`${server.url}/icon.svg`);
    await expect.poll(() => worker.evaluate(showing)).toBe(0);
    // A notification that is closed is shown no longer.
    await worker.evaluate(`{
      const show = registration.showNotification;
      registration.showNotification = (title, options) => show(title, { ...options, close: () => void self.shown.delete(options.tag) });
    }`);
    // Devices that get a push together ask at random moments of 20 seconds, for which nobody waits
    // here: this one, late.
    await worker.evaluate(`{
      const wait = setTimeout;
      Math.random = () => 0.99;
      self.waits = [];
      self.setTimeout = (work, time) => (waits.push(time), wait(work, 0));
    }`);
    const mention = (room: string, more = {}) => aMessage(other, room, { text: `@${owner.username} look`, ...more }, call());
    const { seq } = await mention(wasRead);
    for (const room of [left, unread]) await mention(room);
    const parents = [await aMessage(other, unread, {}, call()), await aMessage(other, unread, {}, call())];
    const threads = parents.map(({ _id }) => _id.$oid) as [string, string];
    const reply = await mention(unread, { thread: threads[0] });
    await mention(unread, { thread: threads[1] });
    const tags = async () => ((await worker.evaluate('[...self.shown.keys()]')) as string[]).toSorted();
    await expect.poll(() => device.pushes.length).toBeGreaterThanOrEqual(5);
    await deliver(all, device.pushes);
    await expect.poll(tags).toEqual([wasRead, left, unread, ...threads].toSorted());

    const mine = (await call()('GET', '/api/members?user=me&limit=200', { token: owner.token })).body as {
      _id: { $oid: string };
      room: { $oid: string };
    }[];
    const membership = (id: string) => `/api/members/${mine.find(({ room }) => room.$oid === id)?._id.$oid}`;
    await call()('PATCH', membership(wasRead), { token: owner.token, body: { last_read: seq } });
    await call()('DELETE', membership(left), { token: owner.token });
    await call()('PATCH', `/api/threads/${threads[0]}`, { token: owner.token, body: { last_read: reply.seq } });
    const before = device.pushes.length;
    await mention(fresh);
    await expect.poll(() => device.pushes.length).toBe(before + 1);
    await deliver(all, device.pushes.slice(before));
    await expect.poll(tags).toEqual([unread, threads[1], fresh].toSorted());
    expect(await worker.evaluate('[...new Set(waits)]')).toEqual([19_800]);

    // All stay if the service refuses, for example after a sign-out.
    await context.clearCookies();
    await deliver(
      all,
      device.pushes.filter(({ payload }) => payload.room === wasRead),
    );
    await expect.poll(tags).toEqual([wasRead, unread, threads[1], fresh].toSorted());
    await context.close();
  });

  it('a device with a closed page shows a reminder beside the notification of the room', async () => {
    const all = await notified();
    const { page, context, worker, owner, device } = all;
    const other = await anAccount();
    const { id } = await aRoom({ owner, members: [other], name: 'Plans' });
    await page.goto(`${server.url}/icon.svg`);
    await expect.poll(() => worker.evaluate(showing)).toBe(0);
    const message = await aMessage(other, id, { text: 'the invoice' }, call());
    const reminder = {
      type: 'reminder',
      room: id,
      seq: message.seq,
      author: other.username,
      room_name: 'Plans',
      text: 'the invoice',
    };
    const path = `/api/messages/${message._id.$oid}/save`;
    const remind_at = new Date(Date.now() + 3_000).toISOString();
    await succeed(call()('PUT', path, { token: owner.token, body: { remind_at } }));
    const pushes = async () => {
      await tellReminders();
      return device.pushes.map(({ payload }) => payload);
    };
    await expect.poll(pushes, { interval: 500 }).toEqual([reminder]);
    await deliver(all, device.pushes);
    const shown = {
      title: `Reminder: ${other.username} in Plans`,
      body: 'the invoice',
      data: { path: `/rooms/${id}/${message.seq}` },
    };
    await expect.poll(() => shownBy(all)).toMatchObject([shown]);
    await context.close();
  });

  it('a device renews its subscription after a week, or if the service has lost it, but not at each start', async () => {
    const { page, context, owner } = await notified();
    let told = 0;
    page.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().endsWith('/api/push-subscription')) told++;
    });
    const start = async () => {
      // The page stores this when its subscription is up to date.
      await page.evaluate(`localStorage.removeItem('chat-push')`);
      await page.reload();
      await expect.poll(() => page.evaluate(`localStorage.getItem('chat-push')`)).toBe('on');
      return told;
    };
    expect(await start()).toBe(0);
    await page.evaluate(`localStorage.setItem('chat-push-told', localStorage.getItem('chat-push-told')
      .replace(/"at":\\d+/, '"at":' + (Date.now() - 8 * 86400000)))`);
    expect(await start()).toBe(1);
    expect(await start()).toBe(1);
    const user = new ObjectId(owner.id);
    await pushSubscriptions.deleteMany({ user });
    expect(await start()).toBe(2);
    await expect.poll(() => pushSubscriptions.countDocuments({ user })).toBe(1);
    await context.close();
  });

  it('a device whose browser renews its subscription while the page is closed is notified at the new address', async () => {
    const { page, context, worker, device, owner } = await notified();
    await page.goto(`${server.url}/icon.svg`);
    const later = aDevice();
    await worker.evaluate(
      `{ const window = self; ${subscribing(later).replace(/Object.defineProperty\(Notification.*\n/, '')} }`,
    );
    await worker.evaluate(`self.dispatchEvent(new ExtendableEvent('pushsubscriptionchange'))`);
    const of = ({ endpoint }: Device) => pushSubscriptions.findOne({ endpoint });
    await expect.poll(() => of(later)).toMatchObject({ p256dh: later.p256dh, auth: later.auth, of: 'mine' });
    expect(await of(device)).toBeNull();
    const other = await anAccount();
    const { id } = await aRoom({ owner, members: [other] });
    await aMessage(other, id, { text: `@${owner.username} lunch?` }, call());
    await expect.poll(() => later.pushes.length).toBe(1);
    await context.close();
  });

  it('a device with notifications has no text of messages where its user wants none', async () => {
    const all = await notified();
    const { page, context, worker, owner, device, problems } = all;
    const other = await anAccount();
    const { id } = await aRoom({ owner, members: [other], name: 'Plans' });
    await page.getByLabel('Hide message text in notifications').focus();
    await page.keyboard.press('Space');
    await expect
      .poll(async () => (await call()('GET', '/api/users/me', { token: owner.token })).body)
      .toMatchObject({ hides_push_text: true });
    expect(await objections(page)).toEqual([]);
    await page.goto(`${server.url}/icon.svg`);
    await expect.poll(() => worker.evaluate(showing)).toBe(0);
    await aMessage(other, id, { text: `@${owner.username} lunch?` }, call());
    await expect.poll(() => device.pushes.length).toBe(1);
    await deliver(all, device.pushes);
    await expect.poll(() => shownBy(all)).toMatchObject([{ title: `${other.username} in Plans`, body: 'New message' }]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('unread messages are also sent by e-mail if the user wants that and has a confirmed address', async () => {
    const owner = await anAccount();
    const identity = { issuer: 'https://id.example.org', subject: owner.username };
    await users.updateOne({ _id: new ObjectId(owner.id) }, { $set: { identity } });
    const { page, context, problems } = await visit({ baseUrl: server.url, as: owner });
    await goWithin(page, '/settings/notifications');
    const box = page.getByLabel('E-mail me unread messages');
    await box.waitFor();
    const wanted = async () => (await call()('GET', '/api/users/me', { token: owner.token })).body as object;
    for (const isWanted of [false, true]) {
      expect(await box.isChecked()).toBe(!isWanted);
      await box.click();
      await expect
        .poll(wanted)
        .toEqual(
          isWanted ? expect.not.objectContaining({ email_digest: false }) : expect.objectContaining({ email_digest: false }),
        );
    }
    expect(await objections(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('notifications stay away in the quiet hours that the user has set, also from a page that is open', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [other], name: 'Plans' });
    const { page, context, problems } = await visit({ baseUrl: server.url });
    await context.addInitScript(`
      localStorage.setItem('chat-notify', 'on');
      window.told = [];
      window.Notification = class { constructor(title, { body }) { window.told.push(body); } static permission = 'granted'; };
      document.hasFocus = () => false;`);
    await page.reload();
    await signIn(page, owner);
    await goWithin(page, '/settings/notifications');
    const me = async () => (await call()('GET', '/api/users/me', { token: owner.token })).body as { quiet_hours?: object };
    const told = () => page.evaluate<string[]>('window.told');
    // Earlier messages are not news.
    await page.locator('.rooms a', { hasText: 'Plans' }).waitFor();
    await aMessage(other, id, { text: `@${owner.username} early` }, call());
    await expect.poll(told).toEqual([expect.stringContaining('early')]);
    // All of the day but a minute that has just passed.
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone');
    const clock = (minutes: number) =>
      new Date(Date.now() + minutes * 60_000).toLocaleTimeString('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    const [from, to] = [clock(-2), clock(-3)];
    await page.getByLabel('From').fill(from);
    await page.getByLabel('To', { exact: true }).fill(to);
    await page.getByRole('button', { name: 'Set quiet hours' }).click();
    await page.getByText(`From ${from} to ${to} each day`).waitFor();
    expect(await me()).toMatchObject({ quiet_hours: { from, to, time_zone: zone } });
    expect(await objections(page)).toEqual([]);
    await aMessage(other, id, { text: `@${owner.username} quiet` }, call());
    await page.locator('.rooms a', { hasText: '2 unread messages' }).waitFor();
    await page.getByRole('button', { name: 'No quiet hours' }).click();
    await page.getByRole('button', { name: 'No quiet hours' }).waitFor({ state: 'detached' });
    expect(await me()).not.toHaveProperty('quiet_hours');
    await aMessage(other, id, { text: `@${owner.username} loud` }, call());
    await expect.poll(told).toEqual(['early', 'loud'].map((text) => expect.stringContaining(text)));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('settings that are changed at the same time stay in the page, in whatever order the answers come', async () => {
    const { page, context, problems, answered, release } = await atSettings();
    await page.getByRole('button', { name: 'Set quiet hours' }).click();
    await answered;
    await page.getByRole('button', { name: 'For an hour' }).click();
    // The answer to the second change would come before that to the first.
    await sleep(1_000);
    await release();
    await bothQuiet(page);
    await leaveAndReturn(page);
    await bothQuiet(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a setting that is changed while the page is loaded stays in the page', async () => {
    const { page, context, problems, answered, release } = await atSettings();
    await page.reload();
    await answered;
    await page.getByRole('button', { name: 'For an hour' }).click();
    await page.getByText('Paused until').waitFor();
    await release();
    await leaveAndReturn(page);
    await page.getByText('Paused until').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a notification leads to the message in the page that is open, also while that is still loading', async () => {
    const { page, context, worker, owner } = await notified();
    const { id } = await aRoom({ owner });
    const click = (path: string) =>
      worker.evaluate(`self.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), {
        notification: { data: { path: '${path}' }, close() {} },
      }))`);
    const pathOf = () => new URL(page.url()).pathname;
    // Nothing that the page asks for comes before it is let on.
    await context.addInitScript(`
      const ask = fetch;
      const held = new Promise((resolve) => { window.letOn = resolve; });
      window.fetch = async (...request) => { await held; return ask(...request); };`);
    await page.reload();
    await click(`/rooms/${id}/1`);
    await page.evaluate('window.letOn()');
    await expect.poll(pathOf).toBe(`/rooms/${id}/1`);
    await page.locator('.rooms a', { hasText: 'General' }).waitFor();
    await click('/directory');
    await expect.poll(pathOf).toBe('/directory');
    await context.close();
  });

  it('a notification opens the page where only the documentation is open', async () => {
    const { page, context, worker } = await notified();
    await page.goto(`${server.url}/docs`);
    await worker.evaluate(`{
      self.opened = [];
      Clients.prototype.openWindow = async (path) => void self.opened.push(path);
      self.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), {
        notification: { data: { path: '/directory' }, close() {} },
      }));
    }`);
    await expect.poll(() => worker.evaluate('self.opened')).toEqual(['/directory']);
    await context.close();
  });

  it('a device with notifications speaks the language that was chosen for the page', async () => {
    const all = await notified();
    const { page, context, device } = all;
    await page.getByLabel('Deutsch').click();
    await page.getByRole('button', { name: 'Jetzt eine senden' }).click();
    await expect.poll(() => device.pushes.length).toBe(1);
    await deliver(all, device.pushes);
    await expect.poll(() => shownBy(all)).toMatchObject([{ title: 'Dieses Gerät empfängt Benachrichtigungen.' }]);
    await context.close();
  });

  it.each([
    ['while the page shows notifications', false],
    ['before the page shows notifications', true],
  ])('a device removes the notifications of messages that were read %s', async (_when, isEarly) => {
    const { page, context, owner, device } = await notified();
    const other = await anAccount();
    const { id } = await aRoom({ owner, members: [other], name: 'Plans' });
    // The page loads the code for notifications a second after its first messages.
    if (isEarly)
      await context.addInitScript(`
        const wait = setTimeout;
        window.setTimeout = (call, ms, ...more) => {
          if (ms !== 1_000 || window.letOn) return wait(call, ms, ...more);
          window.letOn = call;
        };`);
    await page.reload();
    await goWithin(page, `/directory`);
    const row = page.locator('.rooms a', { hasText: 'Plans' });
    await row.waitFor();
    await aMessage(other, id, { text: `@${owner.username} lunch?` }, call());
    await expect.poll(() => device.pushes.length).toBe(1);
    expect(await page.evaluate('window.taken')).toEqual([]);
    await row.click();
    await page.locator('li.message', { hasText: 'lunch?' }).waitFor();
    await page.locator('.rooms a', { hasText: '1 unread message' }).waitFor({ state: 'detached' });
    if (isEarly) await page.evaluate('window.letOn()');
    await expect.poll(() => page.evaluate('window.taken')).toEqual([id]);
    await context.close();
  });

  it('a device shows nothing while its user has paused notifications', async () => {
    const { page, context, owner, device } = await notified();
    const other = await anAccount();
    const { id } = await aRoom({ owner, members: [other], name: 'Plans' });
    await page.getByRole('button', { name: 'For an hour' }).click();
    await page.getByText(/^Paused until/).waitFor();
    await aMessage(other, id, { text: `@${owner.username} lunch?` }, call());
    const told = async () => (await pushed.findOne({ _id: new ObjectId(id) }))?.seq ?? 0;
    await expect.poll(told).toBeGreaterThan(0);
    expect(device.pushes).toEqual([]);
    await page.getByRole('button', { name: 'Notify me again' }).click();
    await page.getByText(/^Paused until/).waitFor({ state: 'hidden' });
    await aMessage(other, id, { text: `@${owner.username} dinner?` }, call());
    await expect.poll(() => device.pushes.map(({ payload }) => payload.count)).toEqual([2]);
    await context.close();
  });

  it('a device shows nothing after notifications are turned off', async () => {
    const { page, context, device } = await notified();
    await page.getByLabel('Show notifications on this device').uncheck();
    await expect.poll(() => pushSubscriptions.countDocuments({ endpoint: device.endpoint })).toBe(0);
    await page.getByRole('button', { name: 'Send one now' }).waitFor({ state: 'hidden' });
    await context.close();
  });
});
