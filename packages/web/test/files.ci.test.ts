import { createHash, randomBytes } from 'node:crypto';
import { sha256 } from 'chat-service-client/sha256';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aFile } from '../../../test/support/files.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, aRoomOf } from '../../../test/support/rooms.ts';
import { aPng } from '../../../tools/gallery/pictures.ts';
import { goWithin, interceptRequests } from '../../../tools/harness/browser.ts';
import { call, openPage, say, serveUrl, signIn, type VisitSettings, visit } from './support.ts';

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

/** Waits for the picture of 300 pixels that a dialog shows. */
const loaded = (shown: Locator) =>
  expect
    .poll(() => shown.locator('img').evaluate((picture) => (picture as unknown as { naturalWidth: number }).naturalWidth))
    .toBe(300);

/** A picture that is shown as large as the page. */
async function magnifying(settings: VisitSettings = {}) {
  const { owner, room } = await withFiles(async (...of) => [await aPicture(...of, 300, 200)]);
  const visited = await visit({ path: `/rooms/${room}`, ...settings, as: owner });
  await visited.page.getByRole('button', { name: 'Show Garden.png' }).press('Enter');
  const shown = visited.page.getByRole('dialog');
  await loaded(shown);
  const widthOf = async () => Math.round((await shown.locator('img').boundingBox())?.width ?? 0);
  return { ...visited, shown, widthOf };
}

describe('the files of a message', () => {
  it('the files of a message have their place before they are loaded, at most 360 pixels high', async () => {
    const { owner, room } = await withFiles(async (...of) => [await aPicture(...of, 300, 900)]);
    const { page, context, problems } = await visit({ path: `/rooms/${room}` });
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

  it('the files of a message open over the whole page by keyboard, arrows move between pictures, and Escape closes', async () => {
    const { owner, room } = await withFiles(async (...of) => [
      await aPicture(...of, 60, 40, 'One.png'),
      await aFile(...of, { call }),
      await aPicture(...of, 40, 60, 'Two.png'),
    ]);
    const { page, context, problems } = await visit({ path: `/rooms/${room}`, as: owner });
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
    expect([await page.evaluate('document.activeElement.textContent'), problems]).toEqual(['Show One.png', []]);
    await context.close();
  });

  it('the files of a message have the description of their sender for screen readers, also below a picture that is shown large', async () => {
    const alt = 'A heron on a roof';
    const { owner, room } = await withFiles(async (...[sender, id]) => [
      await aFile(sender, id, { bytes: aPng(60, 40), name: 'One.png', type: 'image/png', width: 60, height: 40, alt, call }),
    ]);
    const { page, context, problems } = await visit({ path: `/rooms/${room}`, as: owner });
    await page.getByRole('button', { name: `Show One.png ${alt}` }).press('Enter');
    const shown = page.getByRole('dialog');
    await shown.getByRole('img', { name: alt }).waitFor();
    expect(await shown.locator('p').count()).toBe(0);
    await shown.getByRole('button', { name: 'Description' }).click();
    expect([await shown.locator('p').textContent(), problems]).toEqual([alt, []]);
    await context.close();
  });

  it('pictures of a message are zoomed by keys, buttons, wheel and double click, moved by the pointer, and fitted again', async () => {
    const { page, context, problems, shown, widthOf } = await magnifying();
    expect(await widthOf()).toBe(300);
    await page.keyboard.press('+');
    expect(await widthOf()).toBe(450);
    await page.keyboard.press('-');
    expect(await widthOf()).toBe(300);
    await shown.getByRole('button', { name: 'Zoom in' }).click();
    await shown.getByRole('button', { name: 'Zoom in' }).click();
    expect([await widthOf(), await shown.getByRole('button', { name: /^225 %/ }).textContent()]).toEqual([675, '225 %']);
    await shown.getByRole('button', { name: 'Zoom out' }).click();
    expect(await widthOf()).toBe(450);
    await shown.getByRole('button', { name: /^150 %/ }).click();
    expect(await widthOf()).toBe(300);
    const middle = { x: 640, y: 380 };
    await page.mouse.move(middle.x, middle.y);
    for (const ctrl of [false, true]) {
      if (ctrl) await page.keyboard.down('Control');
      await page.mouse.wheel(0, -100);
      await expect.poll(widthOf).toBeGreaterThan(300);
      await page.keyboard.up('Control');
      await page.keyboard.press('0');
      expect(await widthOf()).toBe(300);
    }
    await page.mouse.dblclick(middle.x, middle.y);
    await expect.poll(widthOf).toBe(750);
    // Larger than its frame only from here on.
    for (const _step of [1, 2, 3]) await page.keyboard.press('+');
    expect(await widthOf()).toBe(2_400);
    const left = async () => (await shown.locator('img').boundingBox())?.x ?? 0;
    const before = await left();
    await page.mouse.down();
    await page.mouse.move(middle.x + 60, middle.y);
    await page.mouse.up();
    expect(await left()).toBe(before + 60);
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await page.mouse.move(middle.x + 5_000, middle.y);
    await page.mouse.up();
    const frame = await shown.locator('.frame').boundingBox();
    expect(await left()).toBe(frame?.x);
    await page.mouse.dblclick(middle.x, middle.y);
    await expect.poll(widthOf).toBe(300);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the files of a message are shown large on a phone without scrolling, with the buttons of the zoom side by side', async () => {
    const alt = 'A heron on a roof. '.repeat(8);
    const aTall = (owner: Account, room: string) =>
      aFile(owner, room, { bytes: aPng(300, 2_000), name: 'Tall.png', type: 'image/png', width: 300, height: 2_000, alt, call });
    const { owner, room } = await withFiles(async (...of) => [await aTall(...of), await aTall(...of)]);
    const { page, context, problems } = await visit({
      path: `/rooms/${room}`,
      width: 360,
      height: 640,
      options: { hasTouch: true, isMobile: true },
      as: owner,
    });
    await page.getByRole('button', { name: 'Show Tall.png' }).first().press('Enter');
    const shown = page.getByRole('dialog');
    await loaded(shown);
    const isHigherThanSeen = (dialog: unknown) => {
      const { scrollHeight, clientHeight } = dialog as { scrollHeight: number; clientHeight: number };
      return scrollHeight > clientHeight;
    };
    expect(await shown.evaluate(isHigherThanSeen)).toBe(false);
    const middles = ['Zoom out', /^100 %/, 'Zoom in'].map(async (name) => {
      const { y = 0, height = 0 } = (await shown.getByRole('button', { name }).boundingBox()) ?? {};
      return Math.round(y + height / 2);
    });
    expect(new Set(await Promise.all(middles)).size).toBe(1);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('pictures of a message are zoomed by two fingers and by a double tap', async () => {
    const { page, context, problems, widthOf } = await magnifying({ width: 390, height: 780, options: { hasTouch: true } });
    const whole = await widthOf();
    const browserOf = await context.newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: number[]) =>
      browserOf.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x, y: 390, id })) });
    await touch('touchStart', 180, 200);
    await touch('touchMove', 150, 230);
    await touch('touchMove', 140, 240);
    await touch('touchEnd');
    await expect.poll(widthOf).toBe(whole * 5);
    // All four at once: more than 400 milliseconds between two taps make them single ones.
    const doubleTap = () =>
      Promise.all([touch('touchStart', 195), touch('touchEnd'), touch('touchStart', 195), touch('touchEnd')]);
    for (const width of [whole, whole * 2.5]) {
      await doubleTap();
      await expect.poll(widthOf).toBe(width);
    }
    expect(problems).toEqual([]);
    await context.close();
  });

  it('files that a browser cannot show are rows with name, size and download, with any name', async () => {
    const name = '<b>Plan</b> \u202egpj.exe';
    const { owner, room } = await withFiles(async (...of) => [await aFile(...of, { name, type: 'text/html', call })], 'Look');
    const { page, context, problems } = await visit({ path: `/rooms/${room}`, width: 390, height: 780, as: owner });
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

  it('the files of a message play where they are sounds or videos', async () => {
    const wav = Buffer.from(
      `RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0`,
      'latin1',
    );
    const { owner, room } = await withFiles(async (...of) => [
      await aFile(...of, { bytes: wav, name: 'Bell.wav', type: 'audio/wav', call }),
    ]);
    const { page, context, problems } = await visit({ path: `/rooms/${room}`, as: owner });
    await expect.poll(() => page.evaluate("document.querySelector('audio')?.readyState")).toBeGreaterThan(0);
    expect([await sizeOf(page, 'li.file'), problems]).toEqual([{ width: 384, height: 110 }, []]);
    await context.close();
  });

  it('the files of a message of every kind have the same box before their code is loaded and after it, on a phone too', async () => {
    const mp4 = Buffer.from('\0\0\0\x18ftypisom', 'latin1');
    const { owner, room } = await withFiles(async (...of) => [
      await aFile(...of, { bytes: mp4, name: 'Walk.mp4', type: 'video/mp4', call }),
      await aFile(...of, { bytes: Buffer.from('ID3'), name: 'Song.mp3', type: 'audio/mpeg', call }),
      await aFile(...of, { name: 'A name that is far too long for the row in which it stands.txt', call }),
      await aPicture(...of, 30, 3_000),
      await aPicture(...of, 3_000, 30),
    ]);
    const { page, context } = await visit({ path: `/rooms/${room}`, width: 390, height: 780 });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/assets/files-*.js', (route) => held.then(() => route.continue()));
    await signIn(page, owner);
    await page.locator('li.file').nth(4).waitFor();
    const boxes = () =>
      page.evaluate(`[...document.querySelectorAll('li.file')].map((box) => {
        const { width, height } = box.getBoundingClientRect();
        return [box.className, Math.round(width), Math.round(height)];
      })`);
    const before = await boxes();
    letGo();
    await page.locator('.open-picture').nth(1).waitFor();
    expect(await boxes()).toEqual(before);
    await context.close();
  });

  it('the files of a message say so when they are deleted, and go with their message', async () => {
    const { owner, room, message } = await withFiles(async (...of) => [await aPicture(...of, 300, 200)]);
    const { page, context } = await visit({ path: `/rooms/${room}` });
    await page.route('**/content*', (route) => route.fulfill({ status: 404, json: {} }));
    await signIn(page, owner);
    await page.getByText('This file was deleted.').waitFor();
    await call('DELETE', `/api/messages/${message._id.$oid}`, { token: owner.token });
    await page.getByText('This message was deleted.').waitFor();
    expect(await page.locator('li.file').count()).toBe(0);
    await context.close();
  });
});

type Message = {
  text: string;
  files: {
    _id: { $oid: string };
    name: string;
    type: string;
    size: number;
    width: number | null;
    has_preview: boolean;
    alt?: string;
  }[];
};

/** The messages of a room, in order. */
const messagesOf = async (room: string, { token }: Account) =>
  (await call('GET', `/api/messages?room=${room}&limit=200`, { token })).body as Message[];

/** The messages as their texts and the names of their files. */
const sentTo = async (room: string, owner: Account) =>
  (await messagesOf(room, owner)).map(({ text, files }) => [text, ...files.map(({ name }) => name)].filter(Boolean).join(' + '));

/** A room that is open to write in. */
async function writing(settings: VisitSettings = {}) {
  const room = await aRoom();
  const visited = await visit({ path: `/rooms/${room.id}`, ...settings, as: room.owner });
  await visited.page.locator('.room-pane .beginning').waitFor();
  return { ...visited, ...room };
}

const chosen = (name: string, mimeType = 'text/plain', buffer: Buffer = Buffer.from('Hello')) => ({ name, mimeType, buffer });

const choose = (page: Page, ...files: ReturnType<typeof chosen>[]) =>
  page.locator('.room-pane .composer input[type=file]').setInputFiles(files);

const send = (page: Page) => page.locator('.room-pane .composer textarea').press('Enter');

/** Takes a message back while its file is uploaded. Then the composer has the focus. */
async function takeBack(page: Page): Promise<void> {
  await page.locator('li.pending').getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.locator('.room-pane .composer textarea:focus').waitFor();
}

/** Takes a message back while its file is uploaded, and removes the file from it. */
async function takeOut(page: Page): Promise<void> {
  await takeBack(page);
  await page.getByRole('button', { name: 'Remove Plan.txt' }).press('Enter');
}

/**
 * A photo as a camera makes it when held upright. The pixels lie on their side, and metadata has
 * the orientation and the location.
 */
const aPhoto = async (page: Page, width: number, height: number) => {
  const base64 = (await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(${width}, ${height});
    const drawing = canvas.getContext('2d');
    for (let at = 0; at < 400; at++) {
      drawing.fillStyle = 'hsl(' + at * 37 + ' 70% 50%)';
      drawing.fillRect((at * 131) % ${width}, (at * 97) % ${height}, 80, 60);
    }
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.95 });
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''));
  })()`)) as string;
  const bytes = Buffer.from(base64, 'base64');
  // One field: the orientation is the sixth.
  const exif = Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0the place', 'latin1');
  const length = Buffer.from([0, exif.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, exif, bytes.subarray(2)]);
};

describe('a file that is sent', () => {
  it.each([
    ['chosen', (page: Page) => choose(page, chosen('Plan.txt'))],
    ['pasted', (page: Page) => hand(page, 'paste', '.room-pane .composer textarea')],
    [
      'dropped on the messages, over which the page shows where it goes',
      async (page: Page) => {
        const target = page.locator('.room-pane[data-drop="Drop files to add them to your message"]');
        // A browser repeats the event. Without it, the page stops showing the target.
        const drag = async () => {
          await hand(page, 'dragover', '#messages');
          return target.count();
        };
        await expect.poll(drag).toBe(1);
        await hand(page, 'drop', '#messages');
        expect(await page.locator('[data-drop]').count()).toBe(0);
      },
    ],
  ] as const)('a file goes with a text or without one, when it is %s', async (_how, give) => {
    const { page, context, problems, id, owner } = await writing();
    await give(page);
    await page.locator('.tray li', { hasText: '5 B' }).waitFor();
    await send(page);
    await expect.poll(() => sentTo(id, owner)).toEqual(['Plan.txt']);
    await give(page);
    await page.locator('.tray li').waitFor();
    await say(page, 'Look');
    await expect.poll(() => sentTo(id, owner)).toEqual(['Plan.txt', 'Look + Plan.txt']);
    await page.locator('li.message:not(.pending) li.file').nth(1).waitFor();
    expect([await page.locator('.tray').count(), problems]).toEqual([0, []]);
    await context.close();
  });

  it('a file that was not sent is not lost by a reload without a question of the browser', async () => {
    const { page, context } = await writing();
    const questions: string[] = [];
    page.removeAllListeners('dialog');
    page.on('dialog', async (dialog) => {
      questions.push(dialog.type());
      await dialog.dismiss();
    });
    // Browsers ask only after the user has done something.
    await page.locator('.room-pane .composer textarea').press('Shift');
    await choose(page, chosen('Plan.txt'));
    const waiting = page.locator('.tray li', { hasText: '5 B' });
    await waiting.waitFor();
    await page.evaluate('setTimeout(() => location.reload())');
    await expect.poll(() => questions).toEqual(['beforeunload']);
    await waiting.waitFor();
    await page.getByRole('button', { name: 'Remove Plan.txt' }).press('Enter');
    await waiting.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.room-pane .beginning').waitFor();
    expect(questions).toEqual(['beforeunload']);
    await context.close();
  });

  it('a file can be removed by keyboard before it is sent, also on a phone', async () => {
    const { page, context, problems, id, owner } = await writing({ width: 390, height: 780 });
    await choose(page, chosen('One.txt'), chosen('Two.txt'));
    await page.getByRole('button', { name: 'Remove One.txt' }).press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.getByRole('button', { name: 'Add files' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter');
    await expect.poll(() => sentTo(id, owner)).toEqual(['Two.txt']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([
    ['Beach.jpg', 'image/jpeg'],
    ['Beach.png', 'image/png'],
    ['Beach', ''],
  ])('a photo is sent upright and without its place, with its size and a small picture of it: %s', async (name, type) => {
    const { page, context, problems, id, owner } = await writing();
    await choose(page, chosen(name, type, await aPhoto(page, 1_600, 1_200)));
    await send(page);
    await page.locator('li.message:not(.pending) .open-picture img').waitFor();
    const [message] = await messagesOf(id, owner);
    const [file] = message?.files ?? [];
    const sent = name.replace('png', 'jpg');
    expect(file).toMatchObject({ name: sent, type: 'image/jpeg', width: 1_200, height: 1_600, has_preview: true });
    const read = async (query: string) => {
      const headers = { 'X-Auth-Token': owner.token };
      return Buffer.from(
        await (await fetch(`${serveUrl}/api/files/${file?._id.$oid}/content${query}`, { headers })).arrayBuffer(),
      );
    };
    const [whole, preview] = [await read(''), await read('?preview=true')];
    expect([whole.length, whole.includes('the place')]).toEqual([file?.size, false]);
    expect([preview.length <= 65_536, preview.toString('latin1', 8, 12)]).toEqual([true, 'WEBP']);
    expect(await sizeOf(page, 'li.file')).toEqual({ width: 270, height: 360 });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a video is sent with its size and a picture of it', async () => {
    const { page, context, problems, id, owner } = await writing();
    const recorded = (await page.evaluate(`(async () => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [320, 240];
      const drawing = canvas.getContext('2d');
      const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' });
      const parts = [];
      recorder.ondataavailable = ({ data }) => parts.push(data);
      recorder.start();
      for (let at = 0; at < 20; at++) {
        drawing.fillStyle = 'hsl(' + at * 18 + ' 70% 50%)';
        drawing.fillRect(0, 0, 320, 240);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const stopped = new Promise((resolve) => (recorder.onstop = resolve));
      recorder.stop();
      await stopped;
      return (await new Blob(parts).bytes()).toBase64();
    })()`)) as string;
    await choose(page, chosen('Waves.webm', 'video/webm', Buffer.from(recorded, 'base64')));
    await send(page);
    await page.locator('li.message:not(.pending) video[poster]').waitFor();
    const [message] = await messagesOf(id, owner);
    expect(message?.files).toMatchObject([
      { name: 'Waves.webm', type: 'video/webm', width: 320, height: 240, has_preview: true },
    ]);
    // An unplayable video is sent as it is.
    await choose(page, chosen('Broken.mp4', 'video/mp4', Buffer.from('no video')));
    await send(page);
    await expect.poll(() => sentTo(id, owner)).toEqual(['Waves.webm', 'Broken.mp4']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a file waits without a connection, also over a reload, and is sent once and in order', async () => {
    const { page, context, problems, id, owner } = await writing();
    // By then, the code that is loaded later is there.
    await choose(page, chosen('One.txt'));
    await page.getByRole('button', { name: 'Remove One.txt' }).click();
    await context.setOffline(true);
    await say(page, 'first');
    await choose(page, chosen('Garden.png', 'image/png', aPng(300, 200)), chosen('Plan.txt'));
    await say(page, 'with files');
    await say(page, 'last');
    await page.locator('li.pending', { hasText: 'last' }).waitFor();
    await page.locator('li.pending canvas').waitFor();
    await context.setOffline(false);
    await page.reload();
    await expect.poll(() => sentTo(id, owner)).toEqual(['first', 'with files + Garden.png + Plan.txt', 'last']);
    await page.locator('li.message:not(.pending)').nth(2).waitFor();
    expect([await page.locator('li.message').count(), problems]).toEqual([3, []]);
    await context.close();
  });

  it('a file is uploaded again after a reload in the middle, while other rooms are written to, and its answer may be lost', async () => {
    const { page, context, id, owner } = await writing();
    const other = await aRoom({ owner, name: 'Elsewhere' });
    // No server was notified, so no page was either.
    await page.reload();
    await page.getByRole('link', { name: 'Elsewhere' }).waitFor();
    let isHeld = true;
    let lost = 0;
    await page.route('**/content', async (route) => {
      if (isHeld) return;
      // The bytes come, and the first answer does not.
      if (lost++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await choose(page, chosen('Plan.txt'));
    await say(page, 'held');
    await page.getByRole('progressbar', { name: 'Sending files' }).waitFor();
    await page.getByRole('link', { name: 'Elsewhere' }).click();
    await say(page, 'meanwhile');
    await expect.poll(() => sentTo(other.id, owner)).toEqual(['meanwhile']);
    expect(await sentTo(id, owner)).toEqual([]);
    isHeld = false;
    await page.reload();
    await expect.poll(() => sentTo(id, owner)).toEqual(['held + Plan.txt']);
    await context.close();
  });

  it('a file is sent once by several tabs, even if one of them is closed during the upload', async () => {
    const { page, context, id, owner } = await writing();
    let isHeld = true;
    await context.route('**/content', (route) => (isHeld ? undefined : route.continue()));
    await choose(page, chosen('Plan.txt'));
    await say(page, 'from two tabs');
    await page.getByRole('progressbar', { name: 'Sending files' }).waitFor();
    const { page: other, problems } = await openPage(context, `${serveUrl}/rooms/${id}`);
    await other.locator('li.pending li.file').waitFor();
    isHeld = false;
    await page.close();
    await other.locator('li.message:not(.pending) li.file').waitFor();
    await other.locator('li.pending').waitFor({ state: 'hidden' });
    expect([await sentTo(id, owner), await other.locator('li.message').count(), problems]).toEqual([
      ['from two tabs + Plan.txt'],
      1,
      [],
    ]);
    await context.close();
  });

  it('a file can be sent in a thread, where its pictures stand as in a room, and is quoted by its name', async () => {
    const { page, context, problems, id, owner } = await writing();
    const { _id: thread } = await aMessage(owner, id, { text: 'the plan?' }, call);
    await goWithin(page, `/rooms/${id}?thread=${thread.$oid}`);
    const panel = page.locator('.side');
    await panel.locator('textarea').waitFor();
    await hand(page, 'drop', '.side textarea');
    await panel.locator('.tray li').waitFor();
    expect(await page.locator('.room-pane .tray').count()).toBe(0);
    await panel.locator('textarea').press('Enter');
    const reply = panel.locator('li.message:not(.pending)', { has: page.locator('.file-row') });
    await reply.focus();
    await reply.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Quote' }).click();
    await expect.poll(() => panel.locator('textarea').inputValue()).toContain('> Plan.txt');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a file can be taken back while it is uploaded, and then goes with another text', async () => {
    const { page, context, problems, id, owner } = await writing();
    let isHeld = true;
    await page.route('**/content', (route) => (isHeld ? undefined : route.continue()));
    await choose(page, chosen('Plan.txt'));
    await say(page, 'too early');
    await takeBack(page);
    await page.locator('.tray li', { hasText: 'Plan.txt' }).waitFor();
    // The service is not out of reach.
    expect(await page.locator('.banner').count()).toBe(0);
    isHeld = false;
    await say(page, 'in time');
    await expect.poll(() => sentTo(id, owner)).toEqual(['in time + Plan.txt']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a file may have a description, which is edited beside its picture until the message is sent', async () => {
    const { page, context, problems, id, owner } = await writing({ width: 390, height: 780 });
    let isHeld = true;
    await page.route('**/content', (route) => (isHeld ? undefined : route.continue()));
    await choose(page, chosen('Garden.png', 'image/png', aPng(300, 200)), chosen('Plan.txt'));
    const description = page.getByLabel('Description of Garden.png');
    await description.fill('A heron');
    await description.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    expect(await page.getByLabel('Description of Plan.txt').count()).toBe(0);
    await send(page);
    await takeBack(page);
    expect(await description.inputValue()).toBe('A heron');
    await description.fill('A heron on a roof');
    isHeld = false;
    await send(page);
    await expect.poll(() => sentTo(id, owner)).toEqual(['Garden.png + Plan.txt']);
    const [message] = await messagesOf(id, owner);
    expect(message?.files.map(({ alt }) => alt)).toEqual(['A heron on a roof', undefined]);
    await page.getByRole('img', { name: 'A heron on a roof' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([
    ['removed', takeOut],
    [
      'discarded with its message',
      async (page: Page) => {
        await page.locator('li.pending').getByRole('button', { name: 'Discard' }).press('Enter');
      },
    ],
  ] as const)('a file takes no space of the service when it is %s after its upload began', async (how, giveUp) => {
    const { page, context } = await writing();
    const isRefused = how !== 'removed';
    await page.route('**/content', (route) =>
      isRefused ? route.fulfill({ status: 409, json: { code: 'other_bytes' } }) : undefined,
    );
    await choose(page, chosen('Plan.txt'));
    const announced = page.waitForResponse((response) => response.url().endsWith('/api/files'));
    await send(page);
    const { _id } = (await (await announced).json()) as { _id: { $oid: string } };
    const taken = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await giveUp(page);
    const answer = await taken;
    expect([new URL(answer.url()).pathname, answer.status()]).toEqual([`/api/files/${_id.$oid}`, 204]);
    await context.close();
  });

  it('a file takes no space of the service when it is removed before the page knows that it was announced', async () => {
    const { page, context } = await writing();
    const answer = Promise.withResolvers<void>();
    const paths: string[] = [];
    await page.route('**/api/files', async (route) => {
      const response = await route.fetch();
      const { _id } = (await response.json()) as { _id: { $oid: string } };
      paths.push(`/api/files/${_id.$oid}`);
      await answer.promise;
      await route.fulfill({ response });
    });
    await page.route('**/content', (route) => route.abort());
    const uploads: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('/content') && uploads.push(request.url())));
    await choose(page, chosen('Plan.txt'));
    await send(page);
    await expect.poll(() => paths).toHaveLength(1);
    await takeOut(page);
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
    answer.resolve();
    const { url, status } = await deleted.then((response) => ({ url: response.url(), status: response.status() }));
    expect([new URL(url).pathname, status, uploads]).toEqual([paths[0], 204, []]);
    await context.close();
  });

  it('a file takes no space of the service when it is discarded after its announcement was repeated in vain', async () => {
    const { page, context } = await writing();
    let announcements = 0;
    await page.route('**/api/files', (route) =>
      ++announcements === 1 ? route.continue() : route.fulfill({ status: 403, json: {} }),
    );
    await page.route('**/content', (route) => route.fulfill({ status: 503, json: {} }));
    await choose(page, chosen('Plan.txt'));
    const announced = page.waitForResponse((response) => response.url().endsWith('/api/files'));
    await send(page);
    const { _id } = (await (await announced).json()) as { _id: { $oid: string } };
    const taken = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.locator('li.pending').getByRole('button', { name: 'Discard' }).press('Enter');
    const answer = await taken;
    expect([new URL(answer.url()).pathname, answer.status()]).toEqual([`/api/files/${_id.$oid}`, 204]);
    await context.close();
  });

  it('a file is refused before it is sent if it is too large, and later with the reason and the way to try again', async () => {
    const { page, context, id, owner } = await writing();
    await interceptRequests(page, '**/api/health', (route) => route.fulfill({ json: { limits: { file_bytes: 4 } } }), 1);
    await choose(page, chosen('Plan.txt'));
    await page.locator('.toast', { hasText: 'Plan.txt is too large: a file can have at most 4 B.' }).waitFor();
    await page.reload();
    await interceptRequests(page, '**/api/files', (route) => route.fulfill({ status: 409, json: { code: 'quota_exceeded' } }), 1);
    await choose(page, chosen('Plan.txt'));
    await send(page);
    const refused = page.locator('li.pending .refused');
    await refused.getByText('Not sent: Your space for files, or that of the service, is used up.').waitFor();
    await refused.getByRole('button', { name: 'Try again' }).press('Enter');
    await expect.poll(() => sentTo(id, owner)).toEqual(['Plan.txt']);
    await context.close();
  });

  it('a text that is too long for a message becomes a file', async () => {
    const { page, context, id, owner } = await writing();
    await page.locator('.room-pane .composer textarea').fill('word '.repeat(2_001).trim());
    await page.getByRole('button', { name: 'Send as a file' }).press('Enter');
    await page.locator('.tray li', { hasText: 'Message.txt' }).waitFor();
    await send(page);
    await expect.poll(() => sentTo(id, owner)).toEqual(['Message.txt']);
    expect((await messagesOf(id, owner))[0]?.files[0]?.size).toBe(10_004);
    await context.close();
  });
});

/** Drops or pastes a file. */
const hand = (page: Page, type: 'dragover' | 'drop' | 'paste', where: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['Hello'], 'Plan.txt', { type: 'text/plain' }));
    const settings = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
    const event = '${type}' === 'paste' ? new ClipboardEvent('paste', settings) : new DragEvent('${type}', settings);
    document.querySelector('${where}').dispatchEvent(event);
  })()`);

describe('the hash of a file', () => {
  it('the hash of a file is the same if the browser offers no hash function, as over plain http', async () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 1_000, 100_003]) {
      const bytes = randomBytes(length);
      expect(await sha256(new Blob([bytes]))).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
  });
});
