import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import { readFiles, readPage, type SiteFile } from '../site.ts';
import { heapAtRest, scrollThrough } from './scrolling.ts';
import { call, say, serveUrl, visit, waitForCode } from './support.ts';

/** The number of messages in the long room: more than twice the number that the page keeps. */
const many = 700;

/** How many messages somebody scrolls through, up and down; at night more. */
const scrolled = Number(process.env.SCROLLED ?? 9_000);

let owner: Account;
/** Somebody who has not sent anything to the long room yet. */
let late: Account;
let long: string;
beforeAll(async () => {
  // The burst of one account, in messages.
  const each = 40;
  const people = await Promise.all(Array.from({ length: Math.ceil(many / each) }, () => anAccount()));
  owner = people[0] as Account;
  late = await anAccount();
  long = await aRoomOf([...people, late], { name: 'Long' });
  for (const [at, person] of people.entries()) {
    const numbers = Array.from({ length: Math.min(each, many - at * each) }, (_, index) => at * each + index);
    const textOf = (number: number) => `message ${number}`.padEnd(20 + (number % 7) * 40, ' word');
    await Promise.all(numbers.map((number) => aMessage(person, long, { text: textOf(number) })));
  }
});

/** How many bytes of a file the network carries at most. */
const sizeOf = (file: SiteFile) => Buffer.from('gzip' in file ? file.gzip : file.bytes, 'base64').length;

describe('the load of the page', () => {
  it('the load of the page until the first message is at most 100 kB of script and 14 kB of style, compressed', () => {
    const files = readFiles() ?? {};
    const first = Object.entries(files).filter(([path]) => readPage()?.includes(path));
    const bytes = (type: string) =>
      first.filter(([path]) => path.endsWith(type)).reduce((sum, [, file]) => sum + sizeOf(file), 0);
    expect(bytes('.js')).toBeGreaterThan(10_000);
    expect(bytes('.js')).toBeLessThanOrEqual(100_000);
    expect(bytes('.css')).toBeLessThanOrEqual(14_000);
    const later = Object.entries(files).filter(([path]) => !readPage()?.includes(path) && !path.endsWith('.woff2'));
    expect(later.filter(([, file]) => sizeOf(file) > 45_000)).toEqual([]);
  });

  it('the load of the page until the first messages are there is at most 11 requests, all of them needed', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}`, as: owner });
    await page.reload();
    await page.locator('li.message').first().waitFor();
    // Ignore requests made between the arrival and the drawing of messages. They delay nothing, and
    // slow drawing leads to more of them.
    const asked = (await page.evaluate(`(() => {
      const all = performance.getEntriesByType('resource').map((entry) => ({ entry, path: new URL(entry.name).pathname }));
      const { responseEnd } = all.find(({ path }) => path === '/api/messages').entry;
      // The font of an earlier visit comes from the cache of the browser.
      const isKeptFont = ({ entry, path }) => path.endsWith('.woff2') && entry.transferSize === 0;
      return all.filter((one) => one.entry.startTime < responseEnd && !isKeptFont(one)).map(({ path }) => path);
    })()`)) as string[];
    expect(asked.length + 1, asked.join(' ')).toBeLessThanOrEqual(11);
    expect(asked.filter((path) => path.includes('emoji'))).toEqual([]);
    await context.close();
  });
});

describe('a long room', () => {
  it('a long room shows at most 300 messages, none of which moves when older ones are loaded', async () => {
    const { page, context, problems } = await visit({ path: `/rooms/${long}`, as: owner });
    await page.locator('li.message').nth(40).waitFor();
    await page.getByRole('button', { name: 'Jump to the newest messages' }).click();
    await page.getByText(`message ${many - 1}`).waitFor();
    await expect.poll(() => isAtStart(page)).toBe(false);
    let moved = 0;
    while (!(await isAtStart(page))) {
      const before = await wheel(page, -1_500);
      await page.waitForTimeout(50);
      moved = Math.max(moved, await movement(page, before));
      expect(await page.locator('.room-pane li.message').count()).toBeLessThanOrEqual(300);
    }
    expect(moved).toBeLessThanOrEqual(1);
    expect(await page.locator('*').count()).toBeLessThanOrEqual(6_000);
    await page.getByRole('button', { name: 'Jump to the newest messages' }).click();
    await page.getByText(`message ${many - 1}`).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  // The memory is measured after two waits, in which the next test runs.
  it.concurrent(`a long room takes as much memory after ${scrolled} scrolled messages as after 5000`, {
    timeout: 1_200_000,
  }, async () => {
    const { page, context } = await visit({ path: `/rooms/${long}`, as: owner });
    await page.locator('li.message').nth(40).waitFor();
    const few = await scrollThrough(page, 5_000);
    const before = await heapAtRest(page);
    await scrollThrough(page, scrolled - few);
    // A tenth, and a megabyte for the browser's records of its first 250 requests and for compiled
    // code. The messages are many times larger.
    expect(await heapAtRest(page)).toBeLessThanOrEqual(before * 1.1 + 1_048_576);
    await context.close();
  });

  it.concurrent('rooms leave nothing behind: 300 of them take as much memory as 180', async () => {
    const person = await anAccount();
    const ids = await Promise.all(Array.from({ length: 8 }, (_, at) => aRoomOf([person], { name: `Room ${at}` })));
    for (const id of ids) for (const text of ['one', 'two', 'three']) await aMessage(person, id, { text });
    const { page, context } = await visit({ path: `/rooms/${ids[0]}`, as: person });
    await page.locator('li.message').last().waitFor();
    const session = await context.newCDPSession(page);
    const switchRooms = async (count: number) => {
      for (let at = 0; at < count; at++) {
        await page.keyboard.press(Math.floor(at / 7) % 2 ? 'Alt+ArrowUp' : 'Alt+ArrowDown');
        await page.locator('li.message').last().waitFor();
      }
    };
    // Garbage that waits for collection varies from one moment to the next. A leak grows with each
    // room.
    const threeTimes = async () => {
      const found = [];
      for (let at = 0; at < 3; at++) {
        await switchRooms(20);
        found.push(await inUse(session));
      }
      return found;
    };
    // Five seconds after the start, the page loads all code that it may need later.
    await waitForCode(page, 'search');
    await switchRooms(120);
    const before = await threeTimes();
    await switchRooms(60);
    const after = await threeTimes();
    const least = (counter: keyof (typeof after)[number]) => Math.min(...after.map((found) => found[counter]));
    const most = (counter: keyof (typeof after)[number]) => Math.max(...before.map((found) => found[counter]));
    expect(least('nodes')).toBeLessThanOrEqual(most('nodes') * 1.1);
    expect(least('jsEventListeners')).toBeLessThanOrEqual(most('jsEventListeners') * 1.1);
    expect(least('usedSize')).toBeLessThanOrEqual(most('usedSize') * 1.1 + 1_048_576);
    await context.close();
  });

  it('a long room keeps no message that has left its window while others come', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}/${many - 320}`, as: owner });
    await page.locator('li.message.pointed').waitFor();
    const newest = page.locator('.room-pane li.message', { hasText: `message ${many - 1}` });
    while ((await newest.count()) === 0) {
      await page.locator('#messages').evaluate((box) => box.scrollTo(0, box.scrollHeight));
      await page.waitForTimeout(50);
    }
    const session = await context.newCDPSession(page);
    const before = await inUse(session);
    for (let at = 0; at < 40; at++) await aMessage(late, long, { text: `live ${at}` }, call);
    await page.locator('.room-pane li.message', { hasText: 'live 39' }).waitFor();
    expect(await page.locator('.room-pane li.message').count()).toBeLessThanOrEqual(300);
    // A kept row has about a dozen nodes, and 40 of them have come while others left.
    await expect.poll(async () => (await inUse(session)).nodes - before.nodes).toBeLessThan(240);
    await context.close();
  });

  it('a long room moves messages into view that arrive at its end, not those that were there before', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}/20`, as: owner });
    await page.locator('li.message.pointed').waitFor();
    await page.getByRole('button', { name: 'Jump to the newest messages' }).click();
    await page.locator('.room-pane li.message', { hasText: `message ${many - 1}` }).waitFor();
    const moving = page.locator('.room-pane li.message.new');
    expect(await moving.count()).toBe(0);
    await aMessage(late, long, { text: 'arrives now' }, call);
    await page.locator('.room-pane li.message', { hasText: 'arrives now' }).waitFor();
    expect(await moving.allTextContents()).toEqual([expect.stringContaining('arrives now')]);
    await context.close();
  });

  it('a long room shows any of its messages in one request, and goes on from there', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}`, as: owner });
    await page.locator('li.message').first().waitFor();
    const pages: string[] = [];
    page.on('request', (request) => request.url().includes('/api/messages?') && pages.push(request.url()));
    await goWithin(page, `/rooms/${long}/400`);
    await page.locator('li[data-seq="400"].pointed').waitFor();
    expect(pages.filter((address) => address.includes('around'))).toEqual([expect.stringContaining('around=400')]);
    await say(page, 'back at the end');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'back at the end' }).waitFor();
    await context.close();
  });
});

/** The memory, the nodes and the listeners of a page that are in use after a collection. */
async function inUse(session: CDPSession) {
  for (let turn = 0; turn < 3; turn++) await session.send('HeapProfiler.collectGarbage');
  const [{ usedSize }, { nodes, jsEventListeners }] = await Promise.all([
    session.send('Runtime.getHeapUsage'),
    session.send('Memory.getDOMCounters'),
  ]);
  return { usedSize, nodes, jsEventListeners };
}

const isAtStart = (page: Page) => page.getByText('This is the beginning of the room.').isVisible();

type Place = { seq: string; top: number };

/** Scrolls, and returns the position of the middle message. */
async function wheel(page: Page, by: number): Promise<Place> {
  return (await page.evaluate(`(async () => {
    const box = document.querySelector('#messages');
    box.scrollTop += ${by};
    const { top, height } = box.getBoundingClientRect();
    const rows = [...box.querySelectorAll('li[data-seq]')];
    const row = rows.find((row) => row.getBoundingClientRect().bottom > top + height / 2);
    return { seq: row.dataset.seq, top: row.getBoundingClientRect().top };
  })()`)) as Place;
}

/** By how many pixels that message has moved since. */
const movement = async (page: Page, { seq, top }: Place): Promise<number> =>
  Math.abs(
    ((await page.evaluate(`document.querySelector('li[data-seq="${seq}"]').getBoundingClientRect().top`)) as number) - top,
  );

describe('the page', () => {
  it('the page requests nothing from any other origin, and stays in the cache of the browser until it changes', async () => {
    const response = await fetch(serveUrl, { headers: { 'Accept-Encoding': 'br' } });
    expect(response.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
    const [asset = ''] = Object.keys(readFiles() ?? {});
    const file = await fetch(`${serveUrl}${asset}`);
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect((await fetch(`${serveUrl}/assets/nothing.js`)).status).toBe(404);
  });
});
