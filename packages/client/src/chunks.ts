/** A part of a text that streams: its characters after the first `at`. */
export type TextPart = { at: number; text: string };

/** The text of both parts, from the place of the first; undefined if a gap is between them. */
export function joinParts(first: TextPart, next: TextPart): string | undefined {
  const characters = [...first.text];
  const place = next.at - first.at;
  if (place < 0 || place > characters.length) return undefined;
  return characters.slice(0, place).join('') + next.text;
}
