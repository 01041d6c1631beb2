/** Reads a stream as a whole. Throws an error of `refuse` once it has more than `most` bytes. */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array>,
  most: number,
  refuse: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > most) throw refuse();
    parts.push(part);
  }
  return Buffer.concat(parts);
}
