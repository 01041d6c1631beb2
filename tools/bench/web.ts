import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import { heapAtRest, scrollThrough } from '../harness/scrolling.ts';
import type { Bench, Figure } from './figure.ts';
import { median, percentile } from './measure.ts';
import { unlimited, withServer } from './server.ts';

/** The room: as many messages as anyone scrolls through, unless fewer are asked for. */
const mostMessages = 100_000;
const password = 'a long password';

/** A slow line and a slow telephone: bytes per second, milliseconds, and by how much slower the processor is. */
const slow = { throughput: 200_000, latency: 150, slowdown: 4 };

/** How many messages a second arrive while somebody types. */
const arriving = 5;

/** A service to measure, and a room in it. */
type Place = { url: string; room: string; token: string };

/** Measures what somebody notices who uses the web client under `npm run serve`, with its own database. */
export const web = (bench: Bench): Promise<Figure[]> =>
  withServer({ ...unlimited, LOG_LEVEL: 'error' }, async (service, ask) => {
    const messages = Math.min(bench.messages, mostMessages);
    const browser = await openBrowser();
    try {
      bench.progress(`web: filling with ${messages} messages`);
      const { token, room } = await ask('fill', { rooms: 50, ownRooms: 50, members: 10, messages });
      const place = { url: service.url, room, token };
      // Whoever writes has read what is there: the room opens at its end from now on.
      await send(place);
      const context = await signedIn(browser, place);
      const page = await openRoom(context, place);
      return await withStaticPages(page, async (yardsticks) => [
        await firstMessage('a room that was read before', browser, place, yardsticks, bench),
        await firstMessage('a room that is new to the browser', browser, place, yardsticks, bench),
        await typing(page, place, yardsticks, bench),
        await heap(browser, place, messages, bench),
      ]);
    } finally {
      await browser.close();
    }
  });

/** A browser in which the caller of the dataset is signed in, and which has nothing of the service but the cookie. */
async function signedIn(browser: Browser, { url }: Place): Promise<BrowserContext> {
  const context = await browser.newContext({ serviceWorkers: 'block', reducedMotion: 'reduce' });
  await context.addInitScript(watching);
  const data = { username: 'author-0', password, cookie: true };
  const answer = await context.request.post(`${url}/api/sessions`, { data });
  if (!answer.ok()) throw new Error(`Signing in: ${answer.status()} ${await answer.text()}`);
  return context;
}

async function openRoom(context: BrowserContext, { url, room }: Place): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/rooms/${room}`);
  await page.locator('.room-pane li.message').first().waitFor();
  return page;
}

/** In every page: when the first message is seen, and how long each key takes until what it does is painted. */
const watching = `
  const painted = (tell) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = tell;
    port2.postMessage(0);
  });
  const seen = new MutationObserver(() => {
    if (!document.querySelector('li.message')) return;
    seen.disconnect();
    painted(() => { window.firstMessage = performance.now(); });
  });
  seen.observe(document, { childList: true, subtree: true });
  window.keys = [];
  addEventListener('keydown', ({ timeStamp }) => painted(() => window.keys.push(performance.now() - timeStamp)), true);
`;

/** The yardsticks: the messages as a page of their own, with the same style; and a field in which one types. */
type Yardsticks = { messages: string; field: string };

async function withStaticPages<T>(page: Page, use: (pages: Yardsticks) => Promise<T>): Promise<T> {
  const style = await page.evaluate<string>(
    "fetch(document.querySelector('link[rel=stylesheet]').href).then((answer) => answer.text())",
  );
  const shown = await page.evaluate<string>("document.querySelector('#messages').outerHTML");
  const head = '<!doctype html><meta charset="utf-8"><title>Static</title><link rel="stylesheet" href="/style.css">';
  const files: Record<string, [string, string]> = {
    '/messages': ['text/html', `${head}${shown}`],
    '/field': ['text/html', `${head}<textarea autofocus></textarea>`],
    '/style.css': ['text/css', style],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', ''];
    response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip', 'Cache-Control': 'no-store' });
    response.end(gzipSync(text));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://localhost:${typeof address === 'object' && address?.port}`;
  try {
    return await use({ messages: `${url}/messages`, field: `${url}/field` });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/**
 * How long somebody who has used the page before waits for the first message, after a release, when none of its files is in the cache; in a room
 * whose messages the browser keeps, or has yet to ask for.
 */
async function firstMessage(
  room: 'a room that was read before' | 'a room that is new to the browser',
  browser: Browser,
  place: Place,
  yardsticks: Yardsticks,
  bench: Bench,
): Promise<Figure> {
  const times: number[] = [];
  const references: number[] = [];
  for (let round = 0; round < bench.rounds + 2; round++) {
    bench.progress(`web: the first message of ${room}, round ${round + 1}`);
    const context = await signedIn(browser, place);
    const page = room === 'a room that was read before' ? await openRoom(context, place) : await context.newPage();
    if (page.url() === 'about:blank') await page.goto(place.url);
    await page.locator('.rooms li').first().waitFor();
    // Until what is to be kept is kept.
    await page.waitForTimeout(1_000);
    await page.close();
    references.push(await slowly(context, yardsticks.messages));
    times.push(await slowly(context, `${place.url}/rooms/${place.room}`));
    await context.close();
  }
  return {
    name: `the first message of ${room}`,
    unit: 'ms',
    value: median(times),
    reference: median(references),
    goal: { of: 'ratio', atMost: 2 },
  };
}

async function slowly(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const { throughput, latency, slowdown } = slow;
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const rates = { downloadThroughput: throughput, uploadThroughput: throughput };
  await session.send('Network.emulateNetworkConditions', { offline: false, latency, ...rates });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('li.message').first().waitFor({ timeout: 60_000 });
  const time = await page.evaluate<number>(
    'new Promise((resolve) => { const look = () => (window.firstMessage ? resolve(window.firstMessage) : setTimeout(look, 20)); look(); })',
  );
  await page.close();
  return time;
}

/** How long a key takes in a long room in which messages arrive, and in a field that does nothing. */
async function typing(page: Page, place: Place, { field }: Yardsticks, bench: Bench): Promise<Figure> {
  const bare = await page.context().newPage();
  await bare.goto(field);
  const sending = setInterval(() => void send(place).catch(() => {}), 1_000 / arriving);
  const [times, references]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < bench.rounds + 2; round++) {
      bench.progress(`web: typing, round ${round + 1}`);
      references.push(...(await type(bare, 'textarea')));
      times.push(...(await type(page, '.room-pane .composer textarea')));
    }
  } finally {
    clearInterval(sending);
    await bare.close();
  }
  return {
    name: `a key in a room of ${Math.min(bench.messages, mostMessages)} messages, ${arriving} arriving a second: p98`,
    unit: 'ms',
    value: percentile(times, 98),
    reference: percentile(references, 98),
    goal: { of: 'ratio', atMost: 1.5 },
    isUnsteady: true,
  };
}

const send = ({ url, room, token }: Place) =>
  fetch(`${url}/api/messages`, {
    method: 'POST',
    headers: { 'X-Auth-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ room, text: 'This arrives while somebody types.' }),
  });

async function type(page: Page, selector: string): Promise<number[]> {
  await page.bringToFront();
  await page.locator(selector).fill('');
  await page.evaluate('window.keys = []');
  for (const key of 'Nobody waits for letters: they are there when the key is, and 1234567890 ')
    await page.keyboard.press(key === ' ' ? 'Space' : key);
  return (await page.evaluate('window.keys')) as number[];
}

/** The memory of a page in which somebody scrolls through all messages, beside that of one who scrolls through a few thousand of them. */
async function heap(browser: Browser, place: Place, messages: number, bench: Bench): Promise<Figure> {
  // A page of its own: another one of the same site may share its heap.
  const context = await signedIn(browser, place);
  const page = await openRoom(context, place);
  await page.locator('.room-pane li.message').nth(40).waitFor();
  bench.progress('web: scrolling');
  const few = Math.min(5_000, messages / 2);
  const first = await scrollThrough(page, few);
  const reference = await heapAtRest(page);
  await scrollThrough(page, messages - first);
  const value = await heapAtRest(page);
  await context.close();
  const megabyte = 1_048_576;
  return {
    name: `heap after ${messages} scrolled messages, beside ${few}`,
    unit: 'MB',
    value: value / megabyte,
    reference: reference / megabyte,
    goal: { of: 'ratio', atMost: 1.1 },
  };
}
