import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive. The sizes are those that the archive states, which may be false. */
export type ZipEntry = {
  /** The name, or its bytes, which then lack the UTF-8 flag. */
  name: string | Uint8Array;
  bytes: string | Uint8Array;
  size?: number;
  packedSize?: number;
  offset?: number;
  checksum?: number;
};

/** A zip archive with these entries, in their order, with the best compression. */
export function zipOf(entries: ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name: sent, bytes, ...said } of entries) {
    const name = Buffer.from(sent);
    const content = Buffer.from(bytes);
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(typeof sent === 'string' ? 0x800 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(said.checksum ?? crc32(content), 10);
    fields.writeUInt32LE(said.packedSize ?? packed.length, 14);
    fields.writeUInt32LE(said.size ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), fields, name]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(said.offset ?? at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, rest, name);
    parts.push(header, packed);
    at += header.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06'), end]);
}
