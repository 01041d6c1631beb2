import { encodePng } from '../../lib/reference/draw-png.ts';

/** A sample picture: a gradient between two colours. */
export function aPng(width: number, height: number, [from, to] = [0xf4b942, 0x2a6f97]): Buffer {
  const row = (y: number) => {
    const bytes = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x++)
      for (let part = 0; part < 3; part++) {
        const [one, other] = [from, to].map((colour = 0) => (colour >> (16 - 8 * part)) & 255) as [number, number];
        bytes[1 + x * 3 + part] = Math.round(one + ((other - one) * (x / width + y / height)) / 2);
      }
    return bytes;
  };
  const rows = Buffer.concat(Array.from({ length: height }, (_, y) => row(y)));
  return encodePng({ width, height, hasAlpha: false }, rows);
}
