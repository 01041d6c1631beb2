/*
 * The text that people type into the search: words, and operators such as `from:hanna` or
 * `has:file` that narrow it.
 */

export const foundKinds = ['file', 'picture', 'link'] as const;
export type FoundKind = (typeof foundKinds)[number];

/**
 * The parts of the typed text: the words, and the values of the operators. Names are as they were
 * typed.
 */
export type TypedSearch = {
  words: string;
  from?: string;
  in?: string;
  has?: FoundKind;
  /** Days, as `2026-11-25`; of the last one everything counts. */
  since?: string;
  until?: string;
};

const operator = /(?<=^|\s)(from|in|has|before|after|on):(?:"([^"]*)"|(\S+))/gi;

/** Extracts the operators from the typed text. An operator with an invalid value stays a word. */
export function readTyped(typed: string, now = new Date()): TypedSearch {
  const found: TypedSearch = { words: '' };
  const words = typed.replace(operator, (whole, name: string, quoted: string | undefined, plain: string | undefined) => {
    const value = (quoted ?? plain ?? '').trim();
    return value !== '' && apply(found, name.toLowerCase(), value, now) ? '' : whole;
  });
  return { ...found, words: words.replaceAll(/\s+/g, ' ').trim() };
}

function apply(found: TypedSearch, name: string, value: string, now: Date): boolean {
  if (name === 'from') found.from = value.replace(/^@/, '');
  else if (name === 'in') found.in = value.replace(/^#/, '');
  else if (name === 'has') return applyKind(found, value);
  else return applyDay(found, name, value, now);
  return true;
}

/** The plural and the usual other words mean the same. */
const kinds: Record<string, FoundKind> = {
  file: 'file',
  files: 'file',
  attachment: 'file',
  picture: 'picture',
  pictures: 'picture',
  image: 'picture',
  images: 'picture',
  link: 'link',
  links: 'link',
};

function applyKind(found: TypedSearch, value: string): boolean {
  const kind = Object.hasOwn(kinds, value.toLowerCase()) ? kinds[value.toLowerCase()] : undefined;
  if (kind) found.has = kind;
  return kind !== undefined;
}

function applyDay(found: TypedSearch, name: string, value: string, now: Date): boolean {
  const day = dayOf(value, now);
  if (day === undefined) return false;
  if (name === 'after') found.since = shift(day, 1);
  else if (name === 'before') found.until = shift(day, -1);
  else Object.assign(found, { since: day, until: day });
  return true;
}

function dayOf(value: string, now: Date): string | undefined {
  if (value.toLowerCase() === 'today') return isoDay(now);
  if (value.toLowerCase() === 'yesterday') return shift(isoDay(now), -1);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`));
  return isDay ? value : undefined;
}

/** A day of this browser, as `2026-11-25`. */
export const isoDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** The day that is `days` later. */
export function shift(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
