import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { keysOf, type OtherBrowser, type Window } from './window.ts';

type Call = (method: string, params?: object) => Promise<Result>;
type Result = { userContext?: string; context?: string; result?: Value };
type Value = { type: string; value?: unknown; sharedId?: string };

/** Starts Debian's Firefox without a screen, and controls it by WebDriver BiDi. */
export async function openFirefox(): Promise<OtherBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  const firefox = spawn(
    'firefox-esr',
    ['--headless', '--no-remote', '--width=1280', '--height=900', '--profile', profile, '--remote-debugging-port=0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(firefox, 'close');
  const address = await new Promise<string>((resolve, reject) => {
    let output = '';
    firefox.once('error', reject);
    ended.then(() => reject(new Error(`Firefox ended: ${output}`)));
    firefox.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(output) ?? [];
      if (found) resolve(`${found}/session`);
    });
  });
  const call = await connect(address);
  await call('session.new', { capabilities: {} });
  return {
    openWindow: () => openWindow(call),
    close: async () => {
      // It closes the connection before it has answered.
      void call('browser.close');
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
}

async function connect(address: string): Promise<Call> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, { method: string; resolve: (result: Result) => void; reject: (reason: Error) => void }>();
  socket.on('message', (data) => {
    const { id, result, error, message } = JSON.parse(String(data));
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(`${call.method}: ${error}: ${message}`));
    else call?.resolve(result);
  });
  let last = 0;
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { method, resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
}

async function openWindow(call: Call): Promise<Window> {
  const { userContext } = await call('browser.createUserContext');
  const { context } = await call('browsingContext.create', { type: 'window', userContext });
  const evaluate = async (body: string): Promise<Value> => {
    const params = { expression: `(() => { ${body} })()`, target: { context }, awaitPromise: true, userActivation: false };
    const { result } = await call('script.evaluate', params);
    if (!result) throw new Error(`The page could not run ${body}`);
    return result;
  };
  const act = (id: string, type: string, actions: object[]) =>
    call('input.performActions', { context, actions: [{ id, type, actions }] });
  return {
    open: (url) => call('browsingContext.navigate', { context, url, wait: 'complete' }),
    run: async (body) => JSON.parse(String((await evaluate(`return JSON.stringify((() => { ${body} })() ?? null)`)).value)),
    find: async (body) => (await evaluate(body)).sharedId,
    click: async (element) => {
      const origin = { type: 'element', element: { sharedId: element } };
      await call('script.callFunction', {
        functionDeclaration: "(element) => element.scrollIntoView({ block: 'nearest' })",
        arguments: [{ sharedId: element }],
        target: { context },
        awaitPromise: false,
      });
      await act('mouse', 'pointer', [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]);
    },
    type: (text) =>
      act(
        'keyboard',
        'key',
        keysOf(text).flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      ),
    chooseFile: (element, path) => call('input.setFiles', { context, element: { sharedId: element }, files: [path] }),
  };
}
