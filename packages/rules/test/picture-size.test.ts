import { hasTooManyPixels, isWiderThan, pictureSizeOf } from 'chat-service-rules/picture-size';
import { expect, it } from 'vitest';

const u16be = (value: number) => [value >> 8, value & 0xff];
const u16le = (value: number) => [value & 0xff, value >> 8];
const u32be = (value: number) => [0, 0, ...u16be(value)];
const text = (value: string) => [...Buffer.from(value, 'latin1')];
const [width, height] = [23_000, 11_000];

const frame = (marker = 0xc2) => [0xff, marker, ...u16be(17), 8, ...u16be(height), ...u16be(width), 3, 0, 0];
const webp = (chunk: string, rest: number[]) => [...text('RIFF'), 0, 0, 0, 0, ...text(`WEBP${chunk}`), 0, 0, 0, 0, ...rest];
const ispe = (w: number, h: number) => [...text('ispe'), 0, 0, 0, 0, ...u32be(w), ...u32be(h)];

it.each<[string, number[]]>([
  ['a PNG', [...text('\x89PNG\r\n\x1a\n'), 0, 0, 0, 13, ...text('IHDR'), ...u32be(width), ...u32be(height)]],
  ['a GIF', [...text('GIF89a'), ...u16le(width), ...u16le(height)]],
  ['a JPEG', [0xff, 0xd8, ...frame(0xc0)]],
  [
    'a JPEG after metadata, tables and bytes between them',
    [0xff, 0xd8, 0xff, 0xe1, ...u16be(9_002), ...Array<number>(9_000).fill(0xc0), 7, 7, 0xff, 0xff, 0xc4, 0, 3, 0, ...frame()],
  ],
  ['an extended WebP', webp('VP8X', [0, 0, 0, 0, ...u16le(width - 1), 0, ...u16le(height - 1), 0])],
  ['an AVIF, by its largest part', [...text('....ftypavif'), ...ispe(64, 64), ...ispe(width, height), ...ispe(9, 9)]],
])('the size of %s is read from its header', (_what, bytes) => {
  const picture = Buffer.from(bytes);
  expect(pictureSizeOf(picture)).toEqual({ width, height });
  expect([isWiderThan(1_024, picture), hasTooManyPixels(picture)]).toEqual([true, true]);
  for (let length = 0; length < Math.min(picture.length, 200); length++) pictureSizeOf(picture.subarray(0, length));
});

it.each<[string, number[]]>([
  ['a lossy WebP', webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, ...u16le(16_000), ...u16le(9_000)])],
  ['a lossless WebP', webp('VP8L', [0x2f, 0x7f, 0xfe, 0xc9, 0x08, 0, 0, 0, 0, 0])],
])('the size of %s is read from its header', (_what, bytes) => {
  const size = pictureSizeOf(Buffer.from(bytes));
  expect(size).toEqual({ width: 16_000, height: 9_000 });
});

it('a picture whose header has no size is not too large', () => {
  expect(pictureSizeOf(Buffer.from([0xff, 0xd8, 0xff, 0xda]))).toBeUndefined();
  expect(isWiderThan(1, Buffer.alloc(10))).toBe(false);
  expect(hasTooManyPixels(Buffer.alloc(100))).toBe(false);
});
