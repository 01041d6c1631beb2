/* The tools of the composer: they edit the text as Markdown. */

/** A change of a text: replaces `start` to `end` by `text`, and then selects `from` to `to`. */
export type Edit = { start: number; end: number; text: string; from: number; to: number };

/** A text with the part that is selected. */
export type TextSelection = { value: string; start: number; end: number };

/**
 * Puts marks around the selection, or removes them. Blanks at its ends stay outside, because marks
 * do not work beside them.
 */
export function toggleMark({ value, start, end }: TextSelection, mark: string): Edit {
  const chosen = value.slice(start, end);
  const isMarked =
    value.slice(start - mark.length, start) === mark &&
    value.slice(end, end + mark.length) === mark &&
    // One of two asterisks is not a mark for emphasis.
    value[start - mark.length - 1] !== mark[0];
  if (isMarked) {
    const from = start - mark.length;
    return { start: from, end: end + mark.length, text: chosen, from, to: from + chosen.length };
  }
  const [before = ''] = /^\s*/.exec(chosen) ?? [];
  const after = chosen.trim() === '' ? '' : (/\s*$/.exec(chosen)?.[0] ?? '');
  const inner = chosen.slice(before.length, chosen.length - after.length);
  const from = start + before.length + mark.length;
  return { start, end, text: `${before}${mark}${inner}${mark}${after}`, from, to: from + inner.length };
}

/** Marks the selection as code: inline within a line, as a block over several lines. */
export function toggleCode(selected: TextSelection): Edit {
  const { value, start, end } = selected;
  const chosen = value.slice(start, end);
  if (!chosen.includes('\n')) return toggleMark(selected, '`');
  const before = start === 0 || value[start - 1] === '\n' ? '' : '\n';
  const after = end === value.length || value[end] === '\n' ? '' : '\n';
  const from = start + before.length + 4;
  return { start, end, text: `${before}\`\`\`\n${chosen}\n\`\`\`${after}`, from, to: from + chosen.length };
}

/** Adds a prefix to each selected line, or removes it if all have it. */
export function togglePrefix({ value, start, end }: TextSelection, prefix: string): Edit {
  const first = value.lastIndexOf('\n', start - 1) + 1;
  const next = value.indexOf('\n', end);
  const last = next < 0 ? value.length : next;
  const lines = value.slice(first, last).split('\n');
  const haveIt = lines.every((line) => line.startsWith(prefix));
  const text = lines.map((line) => (haveIt ? line.slice(prefix.length) : `${prefix}${line}`)).join('\n');
  const caret = first + text.length;
  return { start: first, end: last, text, from: lines.length > 1 ? first : caret, to: caret };
}

/**
 * Turns the selection into a link; without an address, the caret is placed where the address is
 * typed.
 */
export function makeLink({ value, start, end }: TextSelection, address = ''): Edit {
  const chosen = value.slice(start, end);
  const text = `[${chosen}](${address})`;
  const caret = chosen === '' ? start + 1 : address === '' ? start + text.length - 1 : start + text.length;
  return { start, end, text, from: caret, to: caret };
}

/** True if a text is the address of a page, and nothing else. */
export const isAddress = (text: string): boolean => /^https?:\/\/[^\s<>()]+$/.test(text);

/**
 * Continues a list or a quote on a new line. An empty item ends the list. Undefined for a plain new
 * line.
 */
export function continueLine({ value, start, end }: TextSelection): Edit | undefined {
  const first = value.lastIndexOf('\n', start - 1) + 1;
  const [mark, indent = '', bullet = ''] = /^( *)([-*+] |\d{1,9}[.)] |> )/.exec(value.slice(first, start)) ?? [];
  if (mark === undefined || start !== end) return undefined;
  if (value.slice(first, start).trimEnd() === mark.trimEnd())
    return { start: first, end: start, text: '', from: first, to: first };
  const number = /^\d+/.exec(bullet)?.[0];
  const next = number === undefined ? bullet : bullet.replace(number, String(Number(number) + 1));
  const text = `\n${indent}${next}`;
  return { start, end, text, from: start + text.length, to: start + text.length };
}

/** The effect of each tool, and of its key, on the selected text. */
export const formats = {
  bold: (selected: TextSelection) => toggleMark(selected, '**'),
  italic: (selected: TextSelection) => toggleMark(selected, '*'),
  code: toggleCode,
  link: (selected: TextSelection) => makeLink(selected),
  quote: (selected: TextSelection) => togglePrefix(selected, '> '),
  list: (selected: TextSelection) => togglePrefix(selected, '- '),
};
