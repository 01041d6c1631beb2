import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { serveUrl } from '../../../test/support/services.ts';
import { createChatClient, unwrap } from '../src/index.ts';
import { sha256 } from '../src/sha256.ts';

const baseUrl = await serveUrl();

describe('chat.upload', () => {
  it('chat.upload uploads a file and its preview for a message', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const chat = createChatClient({ baseUrl, token: ann.token });
    const preview = new Blob(['RIFF\x10\0\0\0WEBPVP8 '], { type: 'image/webp' });
    const file = new File(['Cake at four.'], 'Notes.txt', { type: 'text/plain' });
    const id = await chat.upload(room, file, { preview, alt: 'When there is cake' });
    const { files } = await unwrap(chat.POST('/api/messages', { body: { room, files: [id] } }));
    expect(files).toMatchObject([
      { _id: id, name: 'Notes.txt', type: 'text/plain', size: 13, has_preview: true, alt: 'When there is cake' },
    ]);
    const path = { params: { path: { file: id.$oid } }, parseAs: 'text' } as const;
    expect(await unwrap(chat.GET('/api/files/{file}/content', path))).toBe('Cake at four.');
    expect(await (await chat.download(id)).text()).toBe('Cake at four.');
    expect((await chat.download(id, { preview: true })).type).toBe('image/webp');
  });

  it('chat.upload throws the refusal of the service', async () => {
    const ann = await anAccount();
    const chat = createChatClient({ baseUrl, token: ann.token });
    await expect(chat.upload('a'.repeat(24), new Blob(['x']))).rejects.toMatchObject({ status: 404, code: 'room_not_found' });
  });

  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 100_000, 3_000_001])('sha256 of %i bytes is as in Node.js', async (size) => {
    const bytes = randomBytes(size);
    expect(await sha256(new Blob([bytes]))).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
