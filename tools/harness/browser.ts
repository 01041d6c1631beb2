import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page, type Request, type Route } from 'playwright-core';

/** The path of a browser, and the environment variables that it needs. */
type Executable = { path: string; environment: Record<string, string> };

/** Installed browsers: the one in `CHROMIUM`, then Debian's Chromium, with or without a window. */
const installed = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];

/** Starts a browser that makes no network requests of its own. */
export async function openBrowser(): Promise<Browser> {
  const { path, environment } = await findExecutable();
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...environment },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Explains why browsers cannot run here; `undefined` if they can. */
export async function explainMissingBrowser(): Promise<string | undefined> {
  const { path, environment } = await findExecutable();
  const { error, status, stderr } = spawnSync(path, ['--version'], { env: { ...process.env, ...environment }, encoding: 'utf8' });
  if (!error && status === 0) return undefined;
  const reason = (error?.message ?? stderr ?? '').trim().split('\n')[0] || `it ends with status ${status}`;
  return `${path} does not run here (${reason}): install a Chromium, or name one in CHROMIUM.`;
}

/** Navigates within the page, like a click on a link. The session stays. */
export const goWithin = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`);

/**
 * Answers the next requests of a page in place of the service: at most `most`, until the returned
 * function is called. The route itself stays, because Chromium never answers a request that is on
 * its way while the last route of a page ends.
 */
export async function interceptRequests(
  page: Page,
  url: Parameters<Page['route']>[0],
  answer: (route: Route) => unknown,
  most = Number.POSITIVE_INFINITY,
): Promise<() => void> {
  let left = most;
  await page.route(url, (route) => (left-- > 0 ? answer(route) : route.fallback()));
  return () => {
    left = 0;
  };
}

/**
 * Holds the answer to the next request to an address. `answered` resolves when the service has
 * answered, and `release` when the page has received and drawn the answer.
 */
export async function holdAnswer(
  page: Page,
  url: Parameters<Page['route']>[0],
  changeRequest: (route: Route) => { url?: string } = () => ({}),
): Promise<HeldAnswer> {
  const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let held: Request | undefined;
  const hold = async (route: Route) => {
    held = route.request();
    const response = await route.fetch(changeRequest(route));
    answered.resolve();
    await released.promise;
    await route.fulfill({ response });
  };
  await interceptRequests(page, url, hold, 1);
  const release = async () => {
    const isReceived = page.waitForEvent('requestfinished', (request) => request === held);
    released.resolve();
    await isReceived;
    await drawn(page);
  };
  return { answered: answered.promise, release };
}

export type HeldAnswer = { answered: Promise<void>; release: () => Promise<void> };

/** Resolves when the page has been drawn in its current state. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

const findExecutable = async (): Promise<Executable> => {
  const path = installed.find((candidate) => existsSync(candidate));
  return path === undefined ? unpackBundled() : { path, environment: {} };
};

/**
 * Unpacks the headless Chromium of @sparticuz/chromium and its libraries into a folder of
 * `node_modules`, which `npm ci` removes. It unpacks into a temporary folder and renames it, so
 * that concurrent processes do not interfere.
 */
async function unpackBundled(): Promise<Executable> {
  const folder = join(cacheFolder, `chromium-${bundledVersion()}`);
  if (!existsSync(folder)) {
    await mkdir(cacheFolder, { recursive: true });
    const staging = await mkdtemp(`${folder}-`);
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack], {
      // The package unpacks into the temporary directory. It unpacks the libraries only on Lambda.
      env: { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    });
    await writeFile(join(staging, 'fonts', 'fonts.conf'), fontsConfiguration(folder));
    await rename(staging, folder).catch(async (error) => {
      await rm(staging, { recursive: true });
      if (!existsSync(folder)) throw error;
    });
  }
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return {
    path: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}

const unpack = "await (await import('@sparticuz/chromium')).default.executablePath();";

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

function bundledVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  return JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')).version;
}

/**
 * Lists the machine's fonts before the package's. The package's own configuration uses fixed
 * folders of Lambda.
 */
const fontsConfiguration = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
