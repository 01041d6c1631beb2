import { characterAt, characterBefore, isUnspaced } from './characters.ts';

/** A safe address for a link; undefined if it is not a web or e-mail address. */
export function safeAddress(text: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}

/** The most characters of an address. */
export const longestAddress = 2_048;

/** The address that begins here in a sentence, without the sentence's punctuation. */
export function addressAt(text: string, from: number): string {
  start.lastIndex = from;
  let at = from + (start.exec(text)?.[0].length ?? 0);
  const most = Math.min(text.length, from + longestAddress);
  const open = { '(': 0, '[': 0, '{': 0 };
  const isQuoted = characterBefore(text, from) === "'";
  let isHost = true;
  while (at < most) {
    const character = characterAt(text, at);
    const before = characterBefore(text, at);
    if (ends.test(character) || (isUnspaced(character) && !mayGoOn(before, isHost))) break;
    if (isHost && character === '/' && startsSentence(text, at + 1, before)) {
      at++;
      break;
    }
    if (isHost ? /[,;!|']/.test(character) : /[,;|]/.test(character) && startsAt(text, at + 1)) break;
    if (character === '—' && before !== '_') break;
    const opener = closers[character as keyof typeof closers];
    // A closing bracket or quote without its opening one in the address belongs to the sentence.
    if ((opener && --open[opener] < 0) || (isQuoted && character === "'")) break;
    if (character in open) open[character as keyof typeof open]++;
    isHost &&= !/[/?#]/.test(character);
    at += character.length;
  }
  if (/['’]s$/.test(text.slice(Math.max(from, at - 2), at))) at -= 2;
  while (at > from && /[?!.,:;|*_~'\u00b7\u2010-\u2015\u200c\u200d]/.test(text[at - 1] as string)) at--;
  return text.slice(from, at);
}

const closers = { ')': '(', ']': '[', '}': '{' } as const;

/**
 * True if the sentence continues right after the slash of a host in Latin letters:
 * `https://example.org/を見て`. Few paths begin with Hiragana, Thai and similar scripts. Of Korean,
 * only a particle that ends its word counts.
 */
function startsSentence(text: string, at: number, before: string): boolean {
  sentence.lastIndex = at;
  return /[A-Za-z0-9]/.test(before) && sentence.test(text);
}

const sentence =
  /[\p{sc=Hira}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]|(?:을|를|은|는|이|가|에|에서|로|으로|의|와|과|도|만|부터|까지|에요|예요|입니다)(?![\p{L}\p{N}/])/uy;

const startsAt = (text: string, at: number): boolean => {
  start.lastIndex = at;
  return start.test(text);
};

const start = /https?:\/\/|www\./iy;

// Spaces, characters that an address must encode, and non-ASCII punctuation: sentences end with it,
// and addresses rarely contain it. Dashes and the middle dot of Catalan are allowed.
const ends =
  /[\s<>"`\\\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?![ -~\u00b7])[\p{Po}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Extended_Pictographic}]|[\u3000-\u3004\u3008-\u3020\u3030\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee]/u;

/**
 * True if a character of a script without spaces can continue an address: as in `/wiki/東京`,
 * `?q=東京`, or a host in that script. After a Latin letter it begins the rest of the sentence.
 */
const mayGoOn = (before: string, isHost: boolean): boolean =>
  /[/=#?&\-_+%(@]/.test(before) || (isHost && before === '.') || isUnspaced(before);
