import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launchDatabase } from 'embedded-mongodb/launch';
import { buildIfStale } from '../packages/web/build.ts';
import { commands, freePort, startService } from './harness/service.ts';

/*
 * `npm run webkit`: what Chromium can't show. WebKit keeps nothing in its place by itself when older messages come in above; here someone signs
 * in, scrolls up through a long room, in which nothing may move, and sends a message. Needs Debian's webkit2gtk-driver and xvfb.
 */

const driverPath = '/usr/bin/WebKitWebDriver';
const [browserPath] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');
if (!existsSync(driverPath) || browserPath === undefined || !existsSync('/usr/bin/Xvfb')) {
  process.stderr.write("This needs Debian's webkit2gtk-driver and xvfb.\n");
  process.exit(1);
}

await buildIfStale();
const directory = await mkdtemp(join(tmpdir(), 'chat-webkit-'));
const database = await launchDatabase({ dataDir: directory });
const environment = {
  MONGODB_URI: database.uri,
  BCRYPT_COST: '4',
  LOG_LEVEL: 'silent',
  RATE_LIMITS: 'off',
  ROOM_CREATION: 'users',
};
const service = await startService(environment, commands.serve);
const started: ChildProcess[] = [];
try {
  const { room, password, username } = await fill();
  const display = `:${100 + (process.pid % 900)}`;
  run('/usr/bin/Xvfb', [display, '-screen', '0', '1280x800x24'], {});
  const port = await freePort();
  run(driverPath, [`--port=${port}`], { DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' });
  const page = await openPage(`http://127.0.0.1:${port}`, browserPath);

  await page.go(`${service.url}/rooms/${room}`);
  await page.until("document.querySelector('#field-username')");
  await page.type('#field-username', username);
  await page.type('#field-password', password);
  await page.evaluate("document.querySelector('form').requestSubmit()");
  await page.until("document.querySelectorAll('li.message').length > 50");

  let moved = 0;
  for (let turn = 0; turn < 12; turn++) {
    const before = await page.evaluate<number>("document.querySelector('li[data-seq]').dataset.seq");
    if (Number(before) === 1) break;
    // A message that is in view, and where it is; then those that come in above it.
    const place = await page.evaluate<{ seq: string; top: number }>(`
      const box = document.querySelector('#messages');
      box.scrollTop = 40;
      const row = [...box.querySelectorAll('li[data-seq]')].find((one) => one.getBoundingClientRect().top > 200);
      return { seq: row.dataset.seq, top: row.getBoundingClientRect().top };`);
    await page.until(`document.querySelector('li[data-seq]').dataset.seq !== '${before}'`);
    const top = await page.evaluate<number>(
      `return document.querySelector('li[data-seq="${place.seq}"]').getBoundingClientRect().top`,
    );
    moved = Math.max(moved, Math.abs(top - place.top));
  }
  if (moved > 1) throw new Error(`A message moved by ${moved} pixels when older ones came.`);

  await page.type('.room-pane .composer textarea', 'Hello from WebKit\uE007');
  await page.until(
    "[...document.querySelectorAll('li.message:not(.pending) .text')].some(({ textContent }) => textContent === 'Hello from WebKit')",
  );
  await page.close();
  process.stdout.write(`WebKit: ${moved} pixels of movement, and a message was sent.\n`);
} finally {
  for (const child of started.reverse()) await end(child);
  await service.stop();
  await database.close();
  await rm(directory, { recursive: true });
}

function run(command: string, words: string[], extra: Record<string, string>): void {
  started.push(spawn(command, words, { stdio: 'ignore', env: { ...process.env, ...extra } }));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Someone with a room of 400 messages. */
async function fill() {
  const [username, password] = ['ann', 'a horse, a battery'];
  const call = async <T>(path: string, body: object, token?: string): Promise<T> => {
    const headers = { 'Content-Type': 'application/json', ...(token !== undefined && { 'X-Auth-Token': token }) };
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const { token } = await call<{ token: string }>('/api/users', { username, email: 'ann@example.org', password });
  const made = await call<{ _id: { $oid: string } }>('/api/rooms', { name: 'Long' }, token);
  const room = made._id.$oid;
  for (let number = 0; number < 400; number++) {
    const text = `message ${number}`.padEnd(20 + (number % 7) * 60, ' word');
    await call('/api/messages', { room, text }, token);
  }
  return { room, username, password };
}

/** A page that is told what to do by WebDriver. */
async function openPage(driver: string, binary: string) {
  const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${driver}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await answer.json()) as { value: T & { message?: string } };
    if (!answer.ok) throw new Error(`WebDriver: ${path}: ${value.message}`);
    return value;
  };
  for (
    let attempt = 0;
    attempt < 100 &&
    !(await send('GET', '/status').then(
      () => true,
      () => false,
    ));
    attempt++
  )
    await delay(100);
  const options = { binary, args: ['--automation'] };
  const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  });
  const at = `/session/${sessionId}`;
  const evaluate = <T>(script: string) =>
    send<T>('POST', `${at}/execute/sync`, { script: script.includes('return ') ? script : `return ${script}`, args: [] });
  return {
    go: (url: string) => send('POST', `${at}/url`, { url }),
    evaluate,
    type: async (selector: string, text: string) => {
      const found = await send<Record<string, string>>('POST', `${at}/element`, { using: 'css selector', value: selector });
      await send('POST', `${at}/element/${Object.values(found)[0]}/value`, { text });
    },
    until: async (condition: string) => {
      for (const start = Date.now(); !(await evaluate(`Boolean(${condition})`)); await delay(100))
        if (Date.now() - start > 60_000) throw new Error(`It did not happen: ${condition}`);
    },
    close: () => send('DELETE', at),
  };
}
