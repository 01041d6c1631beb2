/*
 * Reads the width and height of pictures from their headers. A browser needs four bytes of memory
 * per pixel, whatever the size of the file: 48 kB can need gigabytes.
 */

/** The maximum width and height of an avatar and of a preview, in pixels. */
export const largestAvatarSide = 1_024;
export const largestPreviewSide = 2_048;
/**
 * The maximum number of pixels of a picture that is shown inline: more than phone cameras have, and
 * 256 MB of memory in the browser.
 */
const mostPixelsInPlace = 64_000_000;

/**
 * How many bytes of a picture are enough to find its size. In a JPEG it comes after metadata of any
 * length.
 */
export const pictureHeaderLength = 262_144;

type Size = { width: number; height: number };

/** Returns true if a picture is wider or higher than `side`; false if its size is unreadable. */
export const isWiderThan = (side: number, type: string, bytes: Buffer): boolean => {
  const { width, height } = pictureSizeOf(type, bytes) ?? { width: 0, height: 0 };
  return width > side || height > side;
};

/**
 * Returns true if a browser should not show a picture inline, because its pixels need too much
 * memory.
 */
export const hasTooManyPixels = (type: string, bytes: Buffer): boolean => {
  const { width, height } = pictureSizeOf(type, bytes) ?? { width: 0, height: 0 };
  return width * height > mostPixelsInPlace;
};

/** The size of a picture; undefined if its header does not contain it. */
export const pictureSizeOf = (type: string, bytes: Buffer): Size | undefined => readers[type]?.(bytes);

const readers: Record<string, (bytes: Buffer) => Size | undefined> = {
  'image/png': (bytes) =>
    bytes.length >= 24 && bytes.toString('latin1', 12, 16) === 'IHDR'
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
  'image/gif': (bytes) => (bytes.length >= 10 ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined),
  'image/jpeg': sizeOfJpeg,
  'image/webp': sizeOfWebp,
  'image/avif': sizeOfAvif,
};

/** Frame headers: SOF0 to SOF15, without the tables DHT, JPG and DAC. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** TEM, RST0 to RST7 and SOI lack a length. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    // Decoders skip bytes between segments, and a marker may begin with several 0xff.
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) at++;
    else if (isAlone(marker)) at += 2;
    else if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/**
 * The largest size in an AVIF file, which has those of the picture, its tiles and its thumbnails.
 */
function sizeOfAvif(bytes: Buffer): Size | undefined {
  let largest: Size | undefined;
  for (let at = bytes.indexOf('ispe'); at !== -1 && at + 16 <= bytes.length; at = bytes.indexOf('ispe', at + 4)) {
    const size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}
