import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pngIcon, svgIcon } from '../../../lib/reference/brand-icon.ts';
import { brandFiles } from '../../../lib/reference/web-page.ts';
import { readConfig } from '../../../lib/settings/config.ts';

const brand = (brandName: string) => ({ brandName, brandColor: '#0f766e' });
const teal = [0x0f, 0x76, 0x6e, 255];
const white = [255, 255, 255, 255];

/** The size of a PNG, and its pixels; its rows are unfiltered. */
function read(png: Buffer) {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const size = png.readUInt32BE(16);
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const rows = inflateSync(Buffer.concat(parts));
  return {
    size,
    pixel: (x: number, y: number) => [...rows.subarray(y * (1 + 4 * size) + 1 + 4 * x, y * (1 + 4 * size) + 5 + 4 * x)],
  };
}

describe('the icon of the service as PNG', () => {
  it('has a white bubble on the colour of the brand, up to the edges or with round corners', () => {
    const square = read(pngIcon(brand('Northwind'), { size: 180, isRound: false }));
    expect([square.size, square.pixel(0, 0), square.pixel(90, 5), square.pixel(40, 85)]).toEqual([180, teal, teal, white]);
    const round = read(pngIcon(brand('Northwind'), { size: 192, isRound: true }));
    expect([round.pixel(0, 0)[3], round.pixel(96, 3), round.pixel(43, 91)]).toEqual([0, teal, white]);
  });

  it('leaves room around the bubble where systems cut a shape of their own out of it', () => {
    const { size, pixel } = read(pngIcon(brand('Northwind'), { size: 512, isRound: false, isMaskable: true }));
    // The safe zone is a circle with 40 % of the side as its radius.
    const outside = Array.from({ length: 360 }, (_, degree) => {
      const angle = (degree * Math.PI) / 180;
      return pixel(Math.round(256 + 0.41 * size * Math.cos(angle)), Math.round(256 + 0.41 * size * Math.sin(angle)));
    });
    expect(new Set(outside.map(String))).toEqual(new Set([String(teal)]));
  });

  it('shows the initial of the name without its accent, and dots for other scripts', () => {
    const of = (name: string) => pngIcon(brand(name), { size: 64, isRound: true }).toString('base64');
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
    expect(new Set(letters.map(of)).size).toBe(letters.length);
    expect(of('Ölberg')).toBe(of('O'));
    expect(of('聊天')).toBe(of('Чат'));
    expect(letters.map(of)).not.toContain(of('聊天'));
  });

  it('is SVG without a font for Latin letters, and with the letter itself for others', () => {
    expect(svgIcon(brand('<b>'))).toContain('&lt;');
    expect(svgIcon(brand('Northwind'))).not.toContain('<text');
    expect(svgIcon(brand('聊天'))).toMatch(/<text[^>]*>聊</);
  });
});

describe('the manifest', () => {
  it('names icons of the sizes that systems ask for, shortcuts, and where other apps share to', () => {
    const files = brandFiles({ ...readConfig({ MONGODB_URI: 'mongodb://x', BRAND_NAME: 'Northwind', LANGUAGES: 'de,en' }) });
    const manifest = JSON.parse(files['/manifest.webmanifest'].text);
    expect(manifest).toMatchObject({
      name: 'Northwind',
      background_color: '#0f766e',
      shortcuts: [{ name: 'Benachrichtigungen' }, { name: 'Threads' }],
      share_target: { action: '/share', method: 'POST', enctype: 'multipart/form-data' },
    });
    for (const { src, sizes, type } of manifest.icons as { src: keyof typeof files; sizes: string; type: string }[]) {
      const file = files[src];
      expect(file.type).toBe(type);
      if ('bytes' in file) expect(`${read(Buffer.from(file.bytes, 'base64')).size}`).toBe(sizes.split('x')[0]);
    }
  });
});
