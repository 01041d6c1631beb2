import { expect, it } from 'vitest';
import type { Message } from '../src/service/api.ts';
import { endStream, showChunk, textOf } from '../src/store/rooms/streams.ts';

const aStream = (id: string) => ({ _id: { $oid: id }, text: 'One', is_streaming: true }) as Message;

const chunkOf = (id: string, at: number, text: string) =>
  ({ type: 'chunk', room: { $oid: 'r' }, message: { $oid: id }, at, text }) as const;

it('a message shows its streamed text until it is complete or deleted', () => {
  for (const [id, end] of [
    ['complete', { is_streaming: false }],
    ['deleted', { text: '', is_streaming: undefined }],
  ] as const) {
    const message = aStream(id);
    expect(showChunk(chunkOf(id, 3, ' two'), message)).toBe(true);
    expect(textOf(message)).toBe('One two');
    endStream({ ...message, ...end } as Message);
    expect(textOf(message)).toBe('One');
  }
});
