import { gzipSync } from 'node:zlib';

/** An entry of an archive. The type is one of tar's letters; the default is a file. */
export type TarEntry = { name: string; bytes?: string | Uint8Array; type?: string; link?: string; size?: number };

/** A tar archive with these entries, in their order. */
export function tarOf(entries: TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, bytes = '', type = '0', link = '', size }) => {
    const content = Buffer.from(bytes);
    const header = Buffer.alloc(512);
    const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
    header.write(name, 0);
    header.write(octal(0o644, 7), 100);
    header.write(octal(0, 7), 108);
    header.write(octal(0, 7), 116);
    header.write(octal(size ?? content.length, 11), 124);
    header.write(octal(1_577_836_800, 11), 136);
    header.write(' '.repeat(8), 148);
    header.write(type, 156);
    header.write(link, 157);
    header.write('ustar\x0000', 257);
    header.write(
      octal(
        header.reduce((sum, byte) => sum + byte, 0),
        6,
      ),
      148,
    );
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export const tarGzOf = (entries: TarEntry[]): Buffer => gzipSync(tarOf(entries));
