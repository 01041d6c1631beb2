import { crc32, deflateSync } from 'node:zlib';

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
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits each for red, green and blue.
  header.set([8, 2], 8);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, (_, y) => row(y))));
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND')]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
