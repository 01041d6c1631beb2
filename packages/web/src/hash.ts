/** The SHA-256 of bytes, in hexadecimal. */
export async function hashOf(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  // Over plain http, browsers have none of their own.
  const hash = crypto.subtle ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)) : sha256(bytes);
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const primes = [2];
for (let next = 3; primes.length < 64; next += 2) if (primes.every((prime) => next % prime !== 0)) primes.push(next);

/** The first 32 bits of the fraction of a root. */
const fractionOf = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const constants = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));
const start = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));

/** SHA-256 as FIPS 180-4 describes it. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = start.slice();
  const words = new Int32Array(64);
  const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));
  const at = (index: number) => words[index] as number;
  for (let block = 0; block < padded.length; block += 64) {
    for (let index = 0; index < 64; index++) {
      if (index < 16) {
        words[index] = view.getInt32(block + index * 4);
        continue;
      }
      const [low, high] = [at(index - 15), at(index - 2)];
      const mixed = (turn(low, 7) ^ turn(low, 18) ^ (low >>> 3)) + (turn(high, 17) ^ turn(high, 19) ^ (high >>> 10));
      words[index] = at(index - 16) + at(index - 7) + mixed;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let index = 0; index < 64; index++) {
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (constants[index] as number) + at(index);
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + word;
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) hash.setInt32(index * 4, word);
  return new Uint8Array(hash.buffer);
}
