import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

/** A compressed file that several archives can contain. */
export type PackedFile = { path: string; size: number; checksum: number; packed: Buffer };

const deflate = promisify<Uint8Array, Buffer>(deflateRaw);

export const pack = async (path: string, contents: Uint8Array): Promise<PackedFile> => ({
  path,
  size: contents.length,
  checksum: crc32(contents),
  packed: await deflate(contents),
});

/**
 * Creates a zip archive. Equal files give equal bytes, so that unchanged functions are not deployed
 * again: their date is the first one that the format can express.
 */
export function zip(files: PackedFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, size, checksum, packed } of files) {
    const name = Buffer.from(path);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0); // version 2.0
    fields.writeUInt16LE(8, 4); // deflated
    fields.writeUInt16LE(0x21, 8); // 1 January 1980
    fields.writeUInt32LE(checksum, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(0o100644 * 0x10000, 6); // readable for everyone
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03'), fields, place, name);
    parts.push(Buffer.from('PK\x03\x04'), fields, name, packed);
    offset += 4 + fields.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06'), end]);
}
