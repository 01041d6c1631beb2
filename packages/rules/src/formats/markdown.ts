import { shortened } from '../shortened.ts';
import { isBlank } from '../texts.ts';

/** A link, or only its label if the address is missing. */
export function link(label: string, address: string | undefined): string {
  if (!address) return label;
  const shown = label.replaceAll(/\s+/g, ' ').replaceAll(/[[\]]/g, (bracket) => `\\${bracket}`);
  return isBlank(shown) ? address : `[${shown}](${address})`;
}

/** Some texts one below the other, without those that say nothing. */
export const lines = (...texts: (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && !isBlank(text)).join('\n');

/** Some texts as paragraphs, without those that say nothing. */
export const paragraphs = (...texts: (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && !isBlank(text)).join('\n\n');

/** The beginning of what somebody has written elsewhere, as a quote. */
export function quote(text: string): string {
  const short = shortened(text.trim().replaceAll(/\n{3,}/g, '\n\n'), 500);
  return isBlank(short) ? '' : short.replaceAll(/^/gm, '> ');
}

/** A list with a line for each text, and how many more there are. */
export const list = (texts: string[], more: number): string =>
  lines(...texts.map((text) => `- ${text}`), more > 0 ? `- … and ${more} more` : undefined);

/** A text that is short enough for a message, and says so if it was longer. */
export function cut(text: string, most: number): string {
  const points = [...text];
  if (points.length <= most) return text;
  const kept = points
    .slice(0, most - mark.length - fence.length)
    .join('')
    .trimEnd();
  const isInCode = kept.split('```').length % 2 === 0;
  return `${kept}${isInCode ? fence : ''}${mark}`;
}

const fence = '\n```';
const mark = '\n\n… (cut: the message was too long)';
