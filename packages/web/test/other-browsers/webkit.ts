import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../../tools/harness/service.ts';
import { keysOf, type OtherBrowser, type Window } from './window.ts';

type Call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

/** The name of an element's handle, which the standard fixes. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

/**
 * Starts WebKitGTK's small browser on a screen in memory, and controls it by WebDriver. Each window
 * has a driver of its own, which has one session.
 */
export async function openWebKit(): Promise<OtherBrowser> {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [display] = await Promise.race([once(screen.stdio[3] as NodeJS.ReadableStream, 'data'), failed(screen)]);
  const ends: (() => Promise<unknown>)[] = [];
  return {
    openWindow: async () => {
      const { window, end } = await openSession(`:${String(display).trim()}`);
      ends.push(end);
      return window;
    },
    close: async () => {
      await Promise.all(ends.map((end) => end()));
      await kill(screen);
    },
  };
}

async function openSession(display: string): Promise<{ window: Window; end: () => Promise<unknown> }> {
  const port = await freePort();
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
    env: { ...process.env, DISPLAY: display },
    stdio: 'ignore',
  });
  const call = callTo(`http://127.0.0.1:${port}`);
  const isReady = () =>
    call('GET', '/status').then(
      () => true,
      () => false,
    );
  await Promise.race([
    failed(driver),
    (async () => {
      while (!(await isReady())) await wait(50);
    })(),
  ]);
  const [binary] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');
  const options = { binary, args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  const { sessionId } = (await call('POST', '/session', { capabilities })) as { sessionId: string };
  const session: Call = (method, path, body) => call(method, `/session/${sessionId}${path}`, body);
  await session('POST', '/window/rect', { x: 0, y: 0, width: 1_280, height: 900 });
  return {
    window: windowOf(session),
    end: async () => {
      await session('DELETE', '');
      await kill(driver);
    },
  };
}

function windowOf(session: Call): Window {
  const run = (script: string) => session('POST', '/execute/sync', { script, args: [] });
  const type = (element: string, text: string) => session('POST', `/element/${element}/value`, { text });
  return {
    open: (url) => session('POST', '/url', { url }),
    run,
    find: async (body) => ((await run(body)) as Record<string, string> | null)?.[elementKey],
    click: (element) => session('POST', `/element/${element}/click`, {}),
    type: async (text) => {
      const focused = (await session('GET', '/element/active')) as Record<string, string>;
      await type(focused[elementKey] ?? '', keysOf(text).join(''));
    },
    chooseFile: (element, path) => type(element, path),
  };
}

const callTo =
  (address: string): Call =>
  async (method, path, body) => {
    const answer = await fetch(`${address}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await answer.json()) as { value: unknown };
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  };

async function failed(child: ChildProcess): Promise<never> {
  const [reason] = await Promise.race([once(child, 'error'), once(child, 'close')]);
  throw new Error(`${child.spawnfile} ended: ${reason}`);
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill();
  await ended;
}
