import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchDatabase } from 'embedded-mongodb/launch';
import { buildIfStale } from '../../packages/web/build.ts';
import { openBrowser } from '../harness/browser.ts';
import { commands, startService } from '../harness/service.ts';
import { fillSample } from './sample.ts';
import { leave, looks, screens, show, sizes } from './screens.ts';

/*
 * `npm run gallery` takes pictures of every screen of the web client, on desktop and phone, light
 * and dark, left-to-right and right-to-left. `npm run gallery -- --only room --look desk-light-ltr`
 * takes some; `--scale 2` takes them for fine screens, as those of the documentation.
 */

const { values } = parseArgs({
  options: { only: { type: 'string' }, look: { type: 'string' }, to: { type: 'string' }, scale: { type: 'string' } },
});
await buildIfStale();
const target = values.to ?? 'gallery';
const directory = await mkdtemp(join(tmpdir(), 'chat-gallery-'));
const database = await launchDatabase({ dataDir: directory });
process.env.MONGODB_URI = database.uri;
process.env.BCRYPT_COST = '4';
const { createUser } = await import('../../lib/accounts/accounts.ts');
const files = { FILES: join(directory, 'files') };
const service = await startService(
  { MONGODB_URI: database.uri, BCRYPT_COST: '4', LOG_LEVEL: 'silent', ...files },
  commands.serve,
);
const browser = await openBrowser();
try {
  const ann = { username: 'ann', email: 'ann@example.org', password: 'a horse, a battery' };
  await createUser({ ...ann, is_admin: true });
  const headers = { 'Content-Type': 'application/json' };
  const { username, password } = ann;
  const body = JSON.stringify({ username, password });
  const login = await fetch(`${service.url}/api/sessions`, { method: 'POST', headers, body });
  const { token } = (await login.json()) as { token: string };
  const sample = await fillSample(service.url, { username, password, token });
  await mkdir(target, { recursive: true });

  for (const look of looks) {
    const { where, theme, direction } = look;
    const name = `${where}-${theme}-${direction}`;
    if (values.look && values.look !== name) continue;
    const context = await browser.newContext({
      viewport: sizes[where],
      colorScheme: theme,
      hasTouch: where === 'phone',
      isMobile: where === 'phone',
      reducedMotion: 'reduce',
      deviceScaleFactor: Number(values.scale ?? 1),
    });
    const page = await context.newPage();
    let isIn = false;
    for (const screen of screens) {
      if (values.only && !values.only.split(',').includes(screen.name)) continue;
      if (!isIn) await page.goto(`${service.url}/login`);
      if (!screen.isSignedOut && !isIn) {
        await page.getByLabel('Username or e-mail address').fill('ann');
        await page.getByLabel('Password').fill(ann.password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        // On a phone, the list of rooms may be out of view.
        await page.locator('.rooms li').first().waitFor({ state: 'attached' });
        isIn = true;
      }
      await show(page, screen, sample, look);
      await page.screenshot({ path: join(target, `${screen.name}-${name}.png`) });
      await context.setOffline(false);
      await leave(page);
    }
    await context.close();
  }
} finally {
  await browser.close();
  await service.stop();
  const { database: handle } = await import('../../lib/database/client.ts');
  await handle.client.close();
  await database.close();
  await rm(directory, { recursive: true });
}
