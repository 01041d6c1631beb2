import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { browser } from '../../../test/support/browser.ts';
import { aFile } from '../../../test/support/files.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { aPng } from '../../../tools/gallery/pictures.ts';
import { call, serveUrl, signIn, visit } from './support.ts';

const aPicture = (owner: Account, room: string, width: number, height: number, name = 'Garden.png') =>
  aFile(owner, room, { bytes: aPng(width, height), name, type: 'image/png', width, height, call });

/** Opens a room in which a message has files. */
async function withFiles(files: (owner: Account, room: string) => Promise<{ id: string }[]>, text = '') {
  const owner = await anAccount();
  const room = await aRoomOf([owner]);
  const ids = (await files(owner, room)).map(({ id }) => id);
  const message = await aMessage(owner, room, { text, files: ids }, call);
  return { owner, room, message };
}

/** A box of a file, as large as it is. */
const sizeOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  return box && { width: Math.round(box.width), height: Math.round(box.height) };
};

describe('the files of a message', () => {
  it('have their place before they are loaded, at most 360 pixels high', async () => {
    const { owner, room } = await withFiles(async (...of) => [await aPicture(...of, 300, 900)]);
    const { page, context, problems } = await visit(browser, { path: `/rooms/${room}` });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/content*', (route) => held.then(() => route.continue()));
    await page.route('**/assets/files-*.js', (route) => held.then(() => route.continue()));
    await signIn(page, owner);
    await page.locator('li.file').waitFor();
    const before = await sizeOf(page, 'li.file');
    expect(before).toEqual({ width: 120, height: 360 });
    letGo();
    await expect.poll(() => page.evaluate("document.querySelector('li.file img')?.naturalWidth")).toBe(300);
    expect([await sizeOf(page, 'li.file'), await sizeOf(page, 'li.file img'), problems]).toEqual([before, before, []]);
    await context.close();
  });

  it('open by keyboard as large as the page, where the arrows lead from one picture to the next and Escape closes', async () => {
    const { owner, room } = await withFiles(async (...of) => [
      await aPicture(...of, 60, 40, 'One.png'),
      await aFile(...of, { call }),
      await aPicture(...of, 40, 60, 'Two.png'),
    ]);
    const { page, context, problems } = await visit(browser, { path: `/rooms/${room}` });
    await signIn(page, owner);
    const first = page.getByRole('button', { name: 'Show One.png' });
    await first.focus();
    await page.keyboard.press('Enter');
    const shown = page.getByRole('dialog');
    await shown.getByRole('img', { name: 'One.png' }).waitFor();
    const names: string[] = [];
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft']) {
      await page.keyboard.press(key);
      names.push((await shown.getByRole('heading').textContent()) ?? '');
    }
    expect(names).toEqual(['Two.png', 'One.png', 'Two.png']);
    const download = page.waitForEvent('download');
    await shown.getByRole('link', { name: 'Download Two.png' }).press('Enter');
    expect((await download).suggestedFilename()).toBe('Two.png');
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'hidden' });
    expect([await page.evaluate('document.activeElement.ariaLabel'), problems]).toEqual(['Show One.png', []]);
    await context.close();
  });

  it('are rows with name, size and download where a browser shows nothing in place, whatever their names are', async () => {
    const name = '<b>Plan</b> \u202egpj.exe';
    const { owner, room } = await withFiles(async (...of) => [await aFile(...of, { name, type: 'text/html', call })], 'Look');
    const { page, context, problems } = await visit(browser, { path: `/rooms/${room}`, width: 390, height: 780 });
    await signIn(page, owner);
    const row = page.locator('li.file.other');
    await row.locator('.file-name').waitFor();
    // The service has removed what would turn the direction.
    expect(await row.locator('bdi').textContent()).toBe('<b>Plan</b> gpj.exe');
    expect(await row.locator('small').textContent()).toBe('5 B');
    const download = page.waitForEvent('download');
    await row.getByRole('link').click();
    await download;
    expect([page.url(), problems]).toEqual([`${serveUrl}/rooms/${room}`, []]);
    await context.close();
  });

  it('play where they are sounds or videos', async () => {
    const wav = Buffer.from(
      `RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0`,
      'latin1',
    );
    const { owner, room } = await withFiles(async (...of) => [
      await aFile(...of, { bytes: wav, name: 'Bell.wav', type: 'audio/wav', call }),
    ]);
    const { page, context, problems } = await visit(browser, { path: `/rooms/${room}` });
    await signIn(page, owner);
    await expect.poll(() => page.evaluate("document.querySelector('audio')?.readyState")).toBeGreaterThan(0);
    expect([await sizeOf(page, 'li.file'), problems]).toEqual([{ width: 384, height: 110 }, []]);
    await context.close();
  });

  it('say so when they are deleted, and go with their message', async () => {
    const { owner, room, message } = await withFiles(async (...of) => [await aPicture(...of, 300, 200)]);
    const { page, context } = await visit(browser, { path: `/rooms/${room}` });
    await page.route('**/content*', (route) => route.fulfill({ status: 404, json: {} }));
    await signIn(page, owner);
    await page.getByText('This file was deleted.').waitFor();
    await call('DELETE', `/api/messages/${message._id.$oid}`, { token: owner.token });
    await page.getByText('This message was deleted.').waitFor();
    expect(await page.locator('li.file').count()).toBe(0);
    await context.close();
  });
});
