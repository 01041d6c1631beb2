import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';

/** A browser's executable, and the environment that it needs. */
type Executable = { path: string; environment: Record<string, string> };

/** Browsers that are installed: the one that `CHROMIUM` names, then Debian's, with a window or without. */
const installed = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];

/** Starts a browser, without its own network requests. */
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

/** Returns why no browser can run here, or undefined if one can. */
export async function explainMissingBrowser(): Promise<string | undefined> {
  const { path, environment } = await findExecutable();
  const { error, status, stderr } = spawnSync(path, ['--version'], { env: { ...process.env, ...environment }, encoding: 'utf8' });
  if (!error && status === 0) return undefined;
  const reason = (error?.message ?? stderr ?? '').trim().split('\n')[0] || `it ends with status ${status}`;
  return `${path} does not run here (${reason}): install a Chromium, or name one in CHROMIUM.`;
}

/** Goes to a path within the page, as someone who clicks does it: the session stays. */
export const goWithin = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`);

/** Resolves when the page has been drawn as it is now. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');

const findExecutable = async (): Promise<Executable> => {
  const path = installed.find((candidate) => existsSync(candidate));
  return path === undefined ? unpackBundled() : { path, environment: {} };
};

/**
 * Unpacks the headless Chromium of @sparticuz/chromium, with the libraries that it is linked to, into a
 * folder of `node_modules` that `npm ci` removes. Processes that do so concurrently don't disturb each
 * other: the folder is complete when it has its name.
 */
async function unpackBundled(): Promise<Executable> {
  const folder = join(cacheFolder, `chromium-${bundledVersion()}`);
  if (!existsSync(folder)) {
    await mkdir(cacheFolder, { recursive: true });
    const staging = await mkdtemp(`${folder}-`);
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack], {
      // It unpacks into the temporary directory, and on Lambda alone the libraries as well.
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

/** Names the machine's fonts before the one of the package, whose own configuration names fixed folders of Lambda. */
const fontsConfiguration = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
