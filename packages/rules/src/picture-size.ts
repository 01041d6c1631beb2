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
export const isWiderThan = (side: number, bytes: Uint8Array): boolean => {
  const { width, height } = pictureSizeOf(bytes) ?? { width: 0, height: 0 };
  return width > side || height > side;
};

/**
 * Returns true if a browser should not show a picture inline, because its pixels need too much
 * memory.
 */
export const hasTooManyPixels = (bytes: Uint8Array): boolean => {
  const { width, height } = pictureSizeOf(bytes) ?? { width: 0, height: 0 };
  return width * height > mostPixelsInPlace;
};

/**
 * The size of a picture; undefined if its header does not contain it. Its kind is found in its
 * bytes, as browsers do, whatever it claims to be.
 */
export function pictureSizeOf(bytes: Uint8Array): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (at: number, length: number) => String.fromCharCode(...bytes.subarray(at, at + length));
  if (text(1, 3) === 'PNG') return bytes.length >= 24 && text(12, 4) === 'IHDR' ? sizeAt(view, 16) : undefined;
  if (text(0, 3) === 'GIF')
    return bytes.length >= 10 ? { width: view.getUint16(6, true), height: view.getUint16(8, true) } : undefined;
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return sizeOfJpeg(bytes, view);
  if (text(8, 4) === 'WEBP') return sizeOfWebp(text(12, 4), view);
  return text(4, 4) === 'ftyp' ? sizeOfAvif(bytes, view) : undefined;
}

const sizeAt = (view: DataView, at: number): Size => ({ width: view.getUint32(at), height: view.getUint32(at + 4) });

/** Frame headers: SOF0 to SOF15, without the tables DHT, JPG and DAC. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** TEM, RST0 to RST7 and SOI lack a length. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

function sizeOfJpeg(bytes: Uint8Array, view: DataView): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    // Decoders skip bytes between segments, and a marker may begin with several 0xff.
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) at++;
    else if (isAlone(marker)) at += 2;
    else if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

function sizeOfWebp(chunk: string, view: DataView): Size | undefined {
  if (view.byteLength < 30) return undefined;
  const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  if (chunk === 'VP8X') return { width: three(24) + 1, height: three(27) + 1 };
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/**
 * The largest size in an AVIF or HEIC file, which has those of the picture, its tiles and its
 * thumbnails.
 */
function sizeOfAvif(bytes: Uint8Array, view: DataView): Size | undefined {
  let largest: Size | undefined;
  for (let at = indexOfIspe(bytes, 0); at !== -1 && at + 16 <= bytes.length; at = indexOfIspe(bytes, at + 4)) {
    const size = sizeAt(view, at + 8);
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

/** The place of the next box `ispe`, or -1. */
function indexOfIspe(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x69, from); at !== -1; at = bytes.indexOf(0x69, at + 1))
    if (bytes[at + 1] === 0x73 && bytes[at + 2] === 0x70 && bytes[at + 3] === 0x65) return at;
  return -1;
}
