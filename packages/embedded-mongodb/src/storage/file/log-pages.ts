import { closeSync, openSync, readSync } from 'node:fs';
import { addSums, frameBytes, frameHeadBytes, framesPerRead, headerBytes, isSwapped, pageBytes, pageSum } from './log-reader.ts';

/**
 * The checksums of the latest content of each page in a log, by page number, and whether all of it
 * is intact.
 */
export type LatestPages = { readonly isIntact: boolean; readonly pages: ReadonlyMap<number, number> };

/**
 * Reads the latest content of each page from a log of `frames` frames, and checks it. The log has
 * many versions of a page that changed often. Older versions are skipped, because a checkpoint
 * writes only the latest.
 */
export function readLatestPages(path: string, frames: number): LatestPages {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.from(new ArrayBuffer(headerBytes));
    readSync(file, header, 0, headerBytes, 0);
    const salt = header.readBigUInt64BE(16);
    const swapped = isSwapped(header);
    const [ofHeader, otherOfHeader] = addSums(new Int32Array(header.buffer), 0, 24, [0, 0], swapped);
    const latest = new Map<number, number>();
    // The checksums are cumulative: that of a frame starts from the checksum of the frame before
    // it.
    const sums = new Int32Array(2 * frames + 2);
    sums[0] = header.readInt32BE(24);
    sums[1] = header.readInt32BE(28);
    let isIntact = ofHeader === sums[0] && otherOfHeader === sums[1];
    const block = Buffer.alloc(framesPerRead * frameBytes);
    for (let first = 0; first < frames; first += framesPerRead) {
      const count = Math.min(frames - first, framesPerRead);
      const read = readSync(file, block, 0, count * frameBytes, headerBytes + first * frameBytes);
      if (read < count * frameBytes) return { isIntact: false, pages: new Map() };
      for (let at = 0; at < count; at++) {
        const start = at * frameBytes;
        if (block.readBigUInt64BE(start + 8) !== salt) isIntact = false;
        sums[2 * (first + at) + 2] = block.readInt32BE(start + 16);
        sums[2 * (first + at) + 3] = block.readInt32BE(start + 20);
        latest.set(block.readUInt32BE(start), first + at);
      }
    }
    const frame = Buffer.from(new ArrayBuffer(frameBytes));
    const words = new Int32Array(frame.buffer);
    const pages = new Map<number, number>();
    for (const [page, at] of latest) {
      readSync(file, frame, 0, frameBytes, headerBytes + at * frameBytes);
      const before = [sums[2 * at] as number, sums[2 * at + 1] as number] as const;
      const [one, other] = addSums(words, frameHeadBytes, pageBytes, addSums(words, 0, 8, before, swapped), swapped);
      if (one !== sums[2 * at + 2] || other !== sums[2 * at + 3]) isIntact = false;
      pages.set(page, pageSum(frame.subarray(frameHeadBytes)));
    }
    return { isIntact, pages };
  } finally {
    closeSync(file);
  }
}
