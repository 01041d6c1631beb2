import { expect, it, onTestFinished, vi } from 'vitest';
import { decodePicture } from '../src/files/decode.ts';

/** The header of a PNG with this width and height. */
function aPng(side: number): Blob {
  const bytes = Buffer.alloc(48_000);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  return new Blob([bytes], { type: 'image/gif' });
}

it('the page decodes no picture whose pixels need gigabytes of memory, even if its type is wrong', async () => {
  const decode = vi.fn(async () => 'a bitmap');
  vi.stubGlobal('createImageBitmap', decode);
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(decodePicture(aPng(23_000))).rejects.toThrow('too many pixels');
  expect(decode).not.toHaveBeenCalled();
  expect(await decodePicture(aPng(4_000))).toBe('a bitmap');
});
