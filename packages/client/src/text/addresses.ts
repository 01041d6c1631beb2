import { characterAt, characterBefore, isUnspaced } from './characters.ts';

/** The address as a link may have it; undefined for one that is none, or not of the web or an e-mail. */
export function safeAddress(text: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}

/** How many characters an address may have. */
export const longestAddress = 2_048;

/** The address that stands in a sentence from here on, without what belongs to the sentence. */
export function addressAt(text: string, from: number): string {
  start.lastIndex = from;
  let at = from + (start.exec(text)?.[0].length ?? 0);
  const most = Math.min(text.length, from + longestAddress);
  const open = { round: 0, square: 0 };
  let isHost = true;
  while (at < most) {
    const character = characterAt(text, at);
    if (ends.test(character) || (isUnspaced(character) && !mayGoOn(characterBefore(text, at), isHost))) break;
    if (character === '(') open.round++;
    else if (character === '[') open.square++;
    // A bracket that was opened outside closes there, too.
    else if ((character === ')' && --open.round < 0) || (character === ']' && --open.square < 0)) break;
    isHost &&= !/[/?#]/.test(character);
    at += character.length;
  }
  while (at > from && /[?!.,:;*_~'\u00b7\u2010-\u2015]/.test(text[at - 1] as string)) at--;
  return text.slice(from, at);
}

const start = /https?:\/\/|www\./iy;

// Space, what an address must encode, and punctuation beyond ASCII: sentences end with it, addresses rarely contain it.
// Dashes and the middle dot of Catalan do stand in them.
const ends =
  /[\s<>"`\\]|(?![ -~\u00b7])[\p{Po}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Extended_Pictographic}]|[\u3000-\u3004\u3008-\u3020\u3030\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee]/u;

/**
 * Whether a character of a script without spaces goes on with an address after this one: it does in `/wiki/東京` and `?q=東京`,
 * and in a host of that script. After a Latin letter it begins the rest of the sentence.
 */
const mayGoOn = (before: string, isHost: boolean): boolean =>
  /[/=#?&\-_+%(@]/.test(before) || (isHost && before === '.') || isUnspaced(before);
