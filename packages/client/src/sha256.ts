/*
 * SHA-256 (FIPS 180-4) of a file as a stream. `crypto.subtle` needs the whole file in memory, and
 * does not exist in a page over plain http.
 */

/**
 * The first 32 bits of the fractional parts of the square roots (2) or cube roots (3) of the first
 * primes.
 */
function fractionsOfRoots(count: number, root: 2 | 3): Uint32Array {
  const primes: number[] = [];
  for (let one = 2; primes.length < count; one++) if (primes.every((prime) => one % prime !== 0)) primes.push(one);
  return Uint32Array.from(primes, (prime) => (prime ** (1 / root) % 1) * 2 ** 32);
}

const constants = fractionsOfRoots(64, 3);

/** The SHA-256 of bytes, in hexadecimal. */
export async function sha256(bytes: Blob): Promise<string> {
  const state = fractionsOfRoots(8, 2);
  let rest = new Uint8Array(0);
  const reader = bytes.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const chunk = new Uint8Array(rest.length + value.length);
    chunk.set(rest);
    chunk.set(value, rest.length);
    rest = chunk.slice(addBlocks(state, chunk));
  }
  const end = new Uint8Array(rest.length < 56 ? 64 : 128);
  end.set(rest);
  end[rest.length] = 0x80;
  const view = new DataView(end.buffer);
  view.setUint32(end.length - 8, Math.floor(bytes.size / 2 ** 29));
  view.setUint32(end.length - 4, (bytes.size * 8) >>> 0);
  addBlocks(state, end);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

const words = new Uint32Array(64);
const rotated = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** Adds all whole blocks, and returns their size in bytes. */
function addBlocks(state: Uint32Array, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (; at + 64 <= bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const early = words[i - 15] as number;
      const late = words[i - 2] as number;
      const one = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
      const other = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
      words[i] = (words[i - 16] as number) + one + (words[i - 7] as number) + other;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const sum = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const first = (h + sum + ((e & f) ^ (~e & g)) + (constants[i] as number) + (words[i] as number)) | 0;
      const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      // Assigned one by one: this runs 64 times for 64 bytes, and an array would be allocated each
      // time.
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word;
  }
  return at;
}
