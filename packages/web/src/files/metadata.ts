/*
 * Removes the metadata that cameras and programs store in a picture or a video: where and when it
 * was taken, and with what. The image data stays as it is, byte by byte, and so do texts that
 * programs need to open it again. Files in other formats, and broken files, stay as they are.
 *
 * Sources:
 *
 * - JPEG and Exif: ITU-T T.81, JEITA CP-3451.
 * - PNG, third edition (W3C), 11.3.
 * - WebP container specification (Google), "Metadata".
 * - GIF 89a (CompuServe).
 * - Boxes (`iinf`, `iloc`, `stbl`): ISO/IEC 14496-12. Pictures in them: ISO/IEC 23008-12.
 * - QuickTime File Format (Apple), "User data".
 * - EBML: RFC 8794. Matroska: RFC 9559.
 */

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The bytes of a JPEG, PNG, WebP, GIF, HEIC, AVIF, MP4, QuickTime or WebM file without its
 * metadata; of any other, as they are.
 */
export function withoutMetadata(bytes: Bytes): Bytes {
  try {
    if (bytes[0] === 0xff && bytes[1] === 0xd8) return withoutJpegMetadata(bytes);
    if (textAt(bytes, 1, 3) === 'PNG') return withoutPngMetadata(bytes);
    if (textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 4) === 'WEBP') return withoutWebpMetadata(bytes);
    if (textAt(bytes, 0, 4) === 'GIF8') return withoutGifMetadata(bytes);
    if (textAt(bytes, 4, 4) === 'ftyp') return wiped(bytes, wipeBoxes);
    if (textAt(bytes, 0, 4) === '\x1aE\xdf\xa3') return wiped(bytes, wipeElements);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return bytes;
}

const textAt = (bytes: Bytes, at: number, length: number) => String.fromCharCode(...bytes.subarray(at, at + length));

const viewOf = (bytes: Bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Throws for a part that ends after its file. */
function requireWithin(bytes: Bytes, end: number): void {
  if (end > bytes.length) throw new RangeError('A part ends after the file.');
}

function join(parts: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Photos are drawn again; this is for those that the browser could not draw. */
function withoutJpegMetadata(bytes: Bytes): Bytes {
  const parts = [bytes.subarray(0, 2)];
  // Programs ignore bytes between two segments.
  for (let at = bytes.indexOf(0xff, 2); at >= 0 && at < bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1] as number;
    const begin = at;
    // Cameras write more after the end: a second picture, or a video, with metadata of its own.
    if (marker === 0xd9) return join([...parts, bytes.subarray(at, at + 2)]);
    // A marker may have any number of the same byte before it.
    at += marker === 0xff ? 1 : 2 + viewOf(bytes).getUint16(at + 2);
    requireWithin(bytes, at);
    if (marker === 0xda) at = endOfScan(bytes, at);
    if (marker !== 0xff && !isJpegMetadata(bytes, begin)) parts.push(bytes.subarray(begin, at));
  }
  return join(parts);
}

/** The end of the image data: the next marker that does not belong to it. */
function endOfScan(bytes: Bytes, from: number): number {
  for (let at = from; ; at++) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return bytes.length;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
}

/** A comment, or what programs put into a picture, unless its size or its colours depend on it. */
function isJpegMetadata(bytes: Bytes, at: number): boolean {
  const marker = bytes[at + 1] as number;
  const shown = { 224: 'JFIF', 226: 'ICC_PROFILE', 238: 'Adobe' }[marker];
  if (shown) return textAt(bytes, at + 4, shown.length) !== shown;
  return marker === 0xfe || (marker >= 0xe0 && marker <= 0xef);
}

function withoutPngMetadata(bytes: Bytes): Bytes {
  const parts = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    // A length, a type, the data, and a sum.
    const end = at + viewOf(bytes).getUint32(at) + 12;
    requireWithin(bytes, end);
    const type = textAt(bytes, at + 4, 4);
    const isText = ['tEXt', 'zTXt', 'iTXt'].includes(type) && toldByTexts.test(textAt(bytes, at + 8, 79).split('\0')[0] ?? '');
    if (type !== 'eXIf' && type !== 'tIME' && !isText) parts.push(bytes.subarray(at, end));
    // Some programs write more after the end of the image.
    if (type === 'IEND') break;
    at = end;
  }
  return join(parts);
}

/** The names of texts that contain the place, the time or the camera. */
const toldByTexts = /exif|xmp|iptc|8bim|APP1|date|time|gps|location|^(make|model|source)$/i;

function withoutWebpMetadata(bytes: Bytes): Bytes {
  const parts = [bytes.slice(0, 12)];
  const whole = Math.min(bytes.length, 8 + viewOf(bytes).getUint32(4, true));
  for (let at = 12; at < whole; ) {
    const size = viewOf(bytes).getUint32(at + 4, true);
    // Chunks begin at even places; some programs leave the last byte out.
    const end = Math.min(at + 8 + size + (size % 2), Math.max(bytes.length, at + 8 + size));
    requireWithin(bytes, end);
    const type = textAt(bytes, at, 4);
    const chunk = bytes.slice(at, end);
    // Bits of its header say that there is metadata.
    if (type === 'VP8X') chunk[8] = (chunk[8] ?? 0) & ~0b1100;
    if (type !== 'EXIF' && type !== 'XMP ') parts.push(chunk);
    at = end;
  }
  const joined = join(parts);
  viewOf(joined).setUint32(4, joined.length - 8, true);
  return joined;
}

/**
 * Comments, and what other programs than those that play it read, are left out; a file that ends
 * too early keeps what there is.
 */
function withoutGifMetadata(bytes: Bytes): Bytes {
  const colours = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  // Blocks of up to 255 bytes, each after its length; an empty one is the last.
  const endOfBlocks = (from: number) => {
    let at = from;
    while (bytes[at]) at += 1 + (bytes[at] as number);
    return Math.min(at + 1, bytes.length);
  };
  let at = 13 + colours(bytes[10]);
  const parts = [bytes.subarray(0, at)];
  // A picture, or something about it.
  for (let end = at; bytes[at] === 0x2c || bytes[at] === 0x21; at = end) {
    const isPicture = bytes[at] === 0x2c;
    end = endOfBlocks(at + (isPicture ? 11 + colours(bytes[at + 9]) : 2));
    const isMetadata = bytes[at + 1] === 0xfe || (bytes[at + 1] === 0xff && !shownByPrograms.has(textAt(bytes, at + 3, 11)));
    if (isPicture || !isMetadata) parts.push(bytes.subarray(at, end));
  }
  // Some programs write more after the end of the image.
  return join([...parts, bytes.subarray(at, bytes[at] === 0x3b ? at + 1 : bytes.length)]);
}

/** Of what programs write into a GIF: how often it is repeated, and its colours. */
const shownByPrograms = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/** A box: its type, and the start and end of its content. */
type Box = { type: string; at: number; begin: number; end: number };

/** The boxes between two places. */
function* boxesIn(bytes: Bytes, from: number, to: number): Generator<Box> {
  const view = viewOf(bytes);
  for (let at = from; at + 8 <= to; ) {
    const short = view.getUint32(at);
    const size = short === 1 ? Number(view.getBigUint64(at + 8)) : short === 0 ? to - at : short;
    const begin = at + (short === 1 ? 16 : 8);
    if (at + size > to || at + size < begin) throw new RangeError('A box ends outside of what it is in.');
    yield { type: textAt(bytes, at + 4, 4), at, begin, end: at + size };
    at += size;
  }
}

/** The file contains offsets, so wiped data keeps its length and nothing moves. */
function wiped(sent: Bytes, wipe: (bytes: Bytes) => void): Bytes {
  const bytes = sent.slice();
  try {
    wipe(bytes);
  } catch (error) {
    // Keep the data that was wiped so far: some cameras write an invalid box at the end.
    if (!(error instanceof RangeError)) throw error;
  }
  return bytes;
}

/**
 * The boxes that contain pictures and videos. Others are, for example, the video that phones append
 * to a picture, and data of camera makers.
 */
const shownBoxes = new Set(['ftyp', 'styp', 'moov', 'moof', 'mdat', 'meta', 'mfra', 'sidx', 'ssix', 'pdin', 'prft', 'emsg']);

/**
 * In a video, boxes are emptied and get the type of unused space. In a picture, the data that they
 * refer to is wiped.
 */
function wipeBoxes(bytes: Bytes): void {
  const free = ({ at, begin, end }: Box) => {
    bytes.set([0x66, 0x72, 0x65, 0x65], at + 4);
    bytes.fill(0, begin, end);
  };
  for (const box of boxesIn(bytes, 0, bytes.length)) {
    if (!shownBoxes.has(box.type)) free(box);
    if (box.type === 'meta') for (const [begin, end] of metadataOf(bytes, box)) bytes.fill(0, begin, end);
    if (box.type !== 'moov') continue;
    for (const inner of boxesIn(bytes, box.begin, box.end)) {
      if (isMetadata(inner)) free(inner);
      wipeTimes(bytes, inner);
      if (inner.type !== 'trak') continue;
      if (wipeSamples(bytes, inner)) free(inner);
      for (const ofTrack of boxesIn(bytes, inner.begin, inner.end)) {
        if (isMetadata(ofTrack)) free(ofTrack);
        wipeTimes(bytes, ofTrack);
        if (ofTrack.type === 'mdia') for (const ofMedia of boxesIn(bytes, ofTrack.begin, ofTrack.end)) wipeTimes(bytes, ofMedia);
      }
    }
  }
}

const boxIn = (bytes: Bytes, box: Box | undefined, wanted: string): Box | undefined =>
  box && [...boxesIn(bytes, box.begin, box.end)].find(({ type }) => type === wanted);

/**
 * Wipes a track with the position of the camera at each moment, as action cameras and drones record
 * it. Returns true if it was one.
 */
function wipeSamples(bytes: Bytes, track: Box): boolean {
  const media = boxIn(bytes, track, 'mdia');
  const handler = boxIn(bytes, media, 'hdlr');
  if (!handler || !['meta', 'camm'].includes(textAt(bytes, handler.begin + 8, 4))) return false;
  const table = boxIn(bytes, boxIn(bytes, media, 'minf'), 'stbl');
  const [sizes, runs, short, long] = ['stsz', 'stsc', 'stco', 'co64'].map((type) => boxIn(bytes, table, type));
  const places = short ?? long;
  if (!sizes || !runs || !places) return true;
  const view = viewOf(bytes);
  const width = short ? 4 : 8;
  const sameSize = view.getUint32(sizes.begin + 4);
  let [run, sample, sum] = [0, 0, 0];
  for (let chunk = 0; chunk < view.getUint32(places.begin + 4); chunk++) {
    // Each run has the number of its first chunk, counted from 1, and the number of samples in each
    // chunk.
    const isNext = run + 1 < view.getUint32(runs.begin + 4) && view.getUint32(runs.begin + 8 + (run + 1) * 12) === chunk + 1;
    if (isNext) run++;
    const count = view.getUint32(runs.begin + 8 + run * 12 + 4);
    let length = sameSize * count;
    if (sameSize === 0)
      for (let at = sizes.begin + 12 + sample * 4; at < sizes.begin + 12 + (sample + count) * 4; at += 4)
        length += view.getUint32(at);
    sample += count;
    sum += length;
    requireWithin(bytes, sum);
    const begin = numberAt(view, places.begin + 8 + chunk * width, width);
    bytes.fill(0, begin, begin + length);
  }
  return true;
}

/**
 * Wipes when a video, or a track of it, was made and changed: two numbers of four bytes or, in
 * version 1, of eight.
 */
function wipeTimes(bytes: Bytes, { type, begin, end }: Box): void {
  if (!['mvhd', 'tkhd', 'mdhd'].includes(type)) return;
  bytes.fill(0, begin + 4, Math.min(end, begin + (bytes[begin] === 1 ? 20 : 12)));
}

const isMetadata = ({ type }: Box) => type === 'udta' || type === 'meta' || type === 'uuid';

/** The position of a picture's metadata. */
function metadataOf(bytes: Bytes, meta: Box): [begin: number, end: number][] {
  const view = viewOf(bytes);
  const boxes = [...boxesIn(bytes, meta.begin + 4, meta.end)];
  const [infos, locations, data] = ['iinf', 'iloc', 'idat'].map((wanted) => boxes.find(({ type }) => type === wanted));
  if (!infos || !locations) return [];

  const wanted = new Set<number>();
  const countSize = view.getUint8(infos.begin) === 0 ? 2 : 4;
  for (const { type, begin } of boxesIn(bytes, infos.begin + 4 + countSize, infos.end)) {
    const version = view.getUint8(begin);
    if (type !== 'infe' || version < 2) continue;
    const idSize = version === 2 ? 2 : 4;
    if (['Exif', 'mime'].includes(textAt(bytes, begin + 4 + idSize + 2, 4))) wanted.add(numberAt(view, begin + 4, idSize));
  }

  let at = locations.begin;
  const take = (size: number) => {
    at += size;
    if (at > locations.end) throw new RangeError('A list of places ends after its box.');
    return numberAt(view, at - size, size);
  };
  const version = take(1);
  at += 3;
  const [sizes, moreSizes] = [take(1), take(1)];
  const [offsetSize, lengthSize, baseSize, indexSize] = [
    sizes >> 4,
    sizes & 15,
    moreSizes >> 4,
    version > 0 ? moreSizes & 15 : 0,
  ];
  const found: [number, number][] = [];
  let seen = 0;
  for (let items = take(version < 2 ? 2 : 4); items > 0; items--) {
    const id = take(version < 2 ? 2 : 4);
    const method = version > 0 ? take(2) & 15 : 0;
    at += 2;
    // From the beginning of the file, or of a box beside this one.
    const origin = method === 0 ? 0 : method === 1 ? data?.begin : undefined;
    const base = take(baseSize);
    for (let extents = take(2); extents > 0; extents--) {
      // No real file has this many. The entries of a broken list may take no bytes, and never end.
      if (++seen > mostPlaces) throw new RangeError('A list has too many places.');
      take(indexSize);
      const begin = (origin ?? 0) + base + take(offsetSize);
      const end = begin + take(lengthSize);
      if (wanted.has(id) && origin !== undefined) found.push([begin, end]);
    }
  }
  return found;
}

const mostPlaces = 100_000;

/** A number of no, two, four or eight bytes, the highest first. */
function numberAt(view: DataView, at: number, size: number): number {
  if (size === 0) return 0;
  if (size === 1) return view.getUint8(at);
  if (size === 2) return view.getUint16(at);
  if (size === 4) return view.getUint32(at);
  return Number(view.getBigUint64(at));
}

/**
 * The elements of a WebM file between two places. An element of unknown length extends to the end.
 */
function* elementsIn(bytes: Bytes, from: number, to: number): Generator<{ id: number; at: number; begin: number; end: number }> {
  const view = viewOf(bytes);
  for (let at = from; at < to; ) {
    // The leading zeros of a number's first byte give the number of bytes that follow. Those of a
    // size mean nothing else.
    const [idSize, sizeAt] = [Math.clz32(view.getUint8(at)) - 23, at + Math.clz32(view.getUint8(at)) - 23];
    const first = view.getUint8(sizeAt);
    const sizeSize = Math.clz32(first) - 23;
    if (idSize > 4 || sizeSize > 8) throw new RangeError('An element is none.');
    const begin = sizeAt + sizeSize;
    let id = 0;
    for (let one = at; one < sizeAt; one++) id = id * 256 + view.getUint8(one);
    let size = first & (0xff >> sizeSize);
    let isUnknown = size === 0xff >> sizeSize;
    for (let one = sizeAt + 1; one < begin; one++) {
      size = size * 256 + view.getUint8(one);
      isUnknown &&= view.getUint8(one) === 0xff;
    }
    const end = isUnknown ? to : begin + size;
    if (end > to) throw new RangeError('An element ends outside of what it is in.');
    yield { id, at, begin, end };
    at = end;
  }
}

/** Wipes the tags of a WebM file, and when it was made. */
function wipeElements(bytes: Bytes): void {
  const free = ({ at, end }: { at: number; end: number }) => {
    // An element that nobody reads, with its length in one byte or in eight.
    const isShort = end - at <= 128;
    const head = isShort ? [0xec, 0x80 | (end - at - 2)] : [0xec, 0x01, 0, 0, 0];
    bytes.fill(0, at, end);
    bytes.set(head, at);
    if (!isShort) viewOf(bytes).setUint32(at + 5, end - at - 9);
  };
  for (const segment of elementsIn(bytes, 0, bytes.length)) {
    if (segment.id !== 0x18538067) continue;
    for (const inner of elementsIn(bytes, segment.begin, segment.end)) {
      if (inner.id === 0x1254c367) free(inner);
      if (inner.id !== 0x1549a966) continue;
      // The checksum before it would become wrong.
      for (const about of elementsIn(bytes, inner.begin, inner.end)) if ([0x4461, 0xbf].includes(about.id)) free(about);
    }
  }
}
