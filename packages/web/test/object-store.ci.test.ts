import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { credentials, type FakeS3, region, startFakeS3 } from '../../../test/support/fake-s3.ts';
import { aFile } from '../../../test/support/files.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { aService } from '../../../test/support/services.ts';
import { overHttp } from '../../../test/support/transports.ts';
import { aPng } from '../../../tools/gallery/pictures.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { visit } from './support.ts';

let store: FakeS3;
let service: Service;
beforeAll(async () => {
  store = await startFakeS3();
  service = await aService(
    {
      FILES: 's3://files/chat',
      FILES_ENDPOINT: store.endpoint,
      FILES_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    commands.serve,
  );
});
afterAll(async () => {
  await service.stop();
  await store.close();
});

describe('the page with files in an object store', () => {
  it('the page sends a pasted picture straight to the object store, shows it from there, and stores it', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const { page, context, problems } = await visit({ path: `/rooms/${room}`, baseUrl: service.url, as: ann });
    await page.locator('.room-pane .beginning').waitFor();
    const paste = `(async () => {
      const bytes = Uint8Array.from(atob('${aPng(300, 200).toString('base64')}'), (one) => one.charCodeAt(0));
      const given = new DataTransfer();
      given.items.add(new File([bytes], 'Garden.png', { type: 'image/png' }));
      const event = new ClipboardEvent('paste', { clipboardData: given, bubbles: true, cancelable: true });
      document.querySelector('.room-pane .composer textarea').dispatchEvent(event);
    })()`;
    await page.evaluate(paste);
    await page.locator('.tray li').waitFor();
    await page.locator('.room-pane .composer textarea').press('Enter');
    await page.locator('li.message:not(.pending) .open-picture img').waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('li.message .open-picture img')?.naturalWidth")).toBe(300);
    await page.getByRole('button', { name: 'Show Garden.png' }).click();
    const shown = page.getByRole('dialog');
    await expect.poll(() => page.evaluate("document.querySelector('.lightbox img')?.naturalWidth")).toBe(300);
    const download = page.waitForEvent('download');
    await shown.getByRole('link', { name: 'Download Garden.png' }).click();
    expect((await download).suggestedFilename()).toBe('Garden.png');
    // The page requests nothing else from other origins, and stays open.
    expect(problems.filter((one) => !one.startsWith(`asked for ${store.endpoint}/files/chat/`))).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
    expect(page.url()).toBe(`${service.url}/rooms/${room}`);
    await context.close();
  });

  it('the page continues to play a recording after its address in the object store has expired', async () => {
    const size = 12_000_000;
    const header = Buffer.from('RIFF____WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data____', 'latin1');
    header.writeUInt32LE(size + 36, 4);
    header.writeUInt32LE(size, 40);
    const bytes = Buffer.concat([header, Buffer.alloc(size, 128)]);
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const call = overHttp(service.url);
    const { id } = await aFile(ann, room, { bytes, name: 'Meeting.wav', type: 'audio/wav', call });
    await aMessage(ann, room, { files: [id] }, call);
    const { page, context } = await visit({ path: `/rooms/${room}`, baseUrl: service.url, as: ann });
    await expect.poll(() => page.evaluate("document.querySelector('audio')?.readyState")).toBeGreaterThan(0);
    const begun = Date.now();
    await expect.poll(() => Date.now() - begun).toBeGreaterThan(1_100);
    store.clock.endedBefore = Math.floor(Date.now() / 1_000) * 1_000;
    await page.evaluate("document.querySelector('audio').currentTime = 1400");
    const place =
      "(({ readyState, currentTime, error }) => [readyState > 1, currentTime, error])(document.querySelector('audio'))";
    await expect.poll(() => page.evaluate(place)).toEqual([true, 1400, null]);
    store.clock.endedBefore = 0;
    await context.close();
  });
});
