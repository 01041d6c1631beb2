import { createReadStream } from 'node:fs';

/**
 * A line of a file, its place, and whether it ends with a line break. The text is undefined if the
 * line is too long.
 */
type Line = { text: string | undefined; offset: number; length: number; isEnded: boolean };

/**
 * The lines of a file, each with its place in bytes. The text of a line that is too long is
 * dropped.
 */
export async function* linesOf(path: string, most: number): AsyncGenerator<Line> {
  let begun: Buffer[] = [];
  let [offset, length] = [0, 0];
  const take = (bytes: Buffer) => {
    length += bytes.length;
    if (length <= most) begun.push(bytes);
    else begun = [];
  };
  const end = (isEnded: boolean): Line => {
    const text = length > most ? undefined : Buffer.concat(begun).toString('utf8');
    const line = { text, offset, length, isEnded };
    offset += length + 1;
    begun = [];
    length = 0;
    return line;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at));
      yield end(true);
      from = at + 1;
    }
    take(chunk.subarray(from));
  }
  if (length > 0) yield end(false);
}
