import { locale } from './locale.ts';
import { laterStrings } from './strings-later.ts';

/** A number of bytes as people read it. */
export function sizeOf(bytes: number): string {
  const at = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : bytes < 1_000_000_000 ? 2 : 3;
  const number = bytes / 1_000 ** at;
  return `${number.toLocaleString(locale, { maximumFractionDigits: number < 10 ? 1 : 0 })} ${laterStrings.files.units[at]}`;
}
