/* Names of rooms in texts: `#Design`, and `#People & Culture` if a room has this name. */

/** Rooms by their names in small letters, and how many words the longest of these names has. */
export type RoomNames<T> = { byName: ReadonlyMap<string, T>; mostWords: number };

/** Longer names are not searched for their end. */
const mostWords = 8;

/** Prepares rooms for finding them by name; of several with the same name, the first one counts. */
export function nameRooms<T extends { name: string }>(rooms: readonly T[]): RoomNames<T> {
  const byName = new Map<string, T>();
  let most = 0;
  for (const room of rooms) {
    const name = foldName(room.name);
    if (byName.has(name)) continue;
    byName.set(name, room);
    most = Math.max(most, name.split(' ').length);
  }
  return { byName, mostWords: Math.min(most, mostWords) };
}

const foldName = (name: string): string => name.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** A part of a text: as it is, or the name of a room with its sign. */
type Part<T> = { text: string; room?: T };

/** Divides a text at the names of rooms. Of two names that begin alike, the longer one is meant. */
export function splitAtRooms<T>(text: string, { byName, mostWords: most }: RoomNames<T>): Part<T>[] {
  if (!text.includes('#') || byName.size === 0) return [{ text }];
  const parts: Part<T>[] = [];
  let done = 0;
  // Not within a word, an address or another sign.
  for (const { index } of text.matchAll(/(?<![\p{L}\p{N}#/&@.-])#(?=[^\s#])/gu)) {
    if (index < done) continue;
    const found = roomAt(text, index + 1, byName, most);
    if (!found) continue;
    if (index > done) parts.push({ text: text.slice(done, index) });
    parts.push({ text: text.slice(index, found.end), room: found.room });
    done = found.end;
  }
  if (done < text.length) parts.push({ text: text.slice(done) });
  return parts;
}

function roomAt<T>(
  text: string,
  start: number,
  byName: ReadonlyMap<string, T>,
  most: number,
): { room: T; end: number } | undefined {
  const words = [...text.slice(start, start + 150).matchAll(/[^\s]+/g)].slice(0, most);
  for (let count = words.length; count > 0; count--) {
    const last = words[count - 1] as RegExpExecArray;
    let end = start + last.index + last[0].length;
    // Few names contain punctuation that ends a sentence.
    for (;;) {
      const room = byName.get(foldName(text.slice(start, end)));
      if (room && !text.slice(start, end).includes('\n')) return { room, end };
      if (end - 1 <= start + last.index || !/[^\p{L}\p{N}]/u.test(text[end - 1] as string)) break;
      end--;
    }
  }
  return undefined;
}
