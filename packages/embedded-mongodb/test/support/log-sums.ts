import { frameBytes, frameHeadBytes, headerBytes, pageBytes } from '../../src/storage/file/log-reader.ts';

/** The offset of a frame in the log. Frames are counted from 0. */
export const frameStart = (frame: number): number => headerBytes + frame * frameBytes;

/**
 * Recomputes the checksums of all frames, so that SQLite accepts their changed content.
 * https://www.sqlite.org/walformat.html#checksum_algorithm
 */
export function renewSums(log: Buffer, frames: number): void {
  const isLittle = log.readUInt32BE(0) === 0x377f0682;
  let [s0, s1] = [0, 0];
  const add = (start: number, length: number) => {
    for (let at = start; at < start + length; at += 8) {
      const [first, second] = isLittle
        ? [log.readUInt32LE(at), log.readUInt32LE(at + 4)]
        : [log.readUInt32BE(at), log.readUInt32BE(at + 4)];
      s0 = (s0 + first + s1) >>> 0;
      s1 = (s1 + second + s0) >>> 0;
    }
  };
  add(0, 24);
  log.writeUInt32BE(s0, 24);
  log.writeUInt32BE(s1, 28);
  for (let frame = 0; frame < frames; frame++) {
    const start = frameStart(frame);
    if (!log.subarray(start + 8, start + 16).equals(log.subarray(16, 24))) break;
    add(start, 8);
    add(start + frameHeadBytes, pageBytes);
    log.writeUInt32BE(s0, start + 16);
    log.writeUInt32BE(s1, start + 20);
  }
}
