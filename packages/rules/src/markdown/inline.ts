import { addressAt, longestAddress, safeAddress } from './addresses.ts';
import { characterAt, characterBefore, isBlank, joinsWord } from './characters.ts';
import { delimiterAt, Openers, Pieces } from './emphasis.ts';
import { findEscapes } from './escapes.ts';
import { faceAt, shrug } from './faces.ts';
import { mentionEnd } from './names.ts';
import type { Inline } from './pieces.ts';
import { textOf } from './plain.ts';

/**
 * Parses emphasis, code, links, mentions and emoji codes in one pass from left to right. Openers
 * wait on stacks, where closers find them in constant time. Skipped text is not read again, so the
 * time is linear.
 */
export function parseInline(text: string): Inline[] {
  const pieces = new Pieces();
  const openers = new Openers(pieces);
  const brackets: Bracket[] = [];
  const codeEnds = findCodeEnds(text);
  const isEscape = findEscapes(text);
  let plainFrom = 0;
  // The start of the word that ends at `spacesUntil`.
  let wordFrom = 0;
  let spacesUntil = 0;
  let at = 0;

  const endPlain = (end: number) => {
    if (end > plainFrom) pieces.push({ type: 'text', text: text.slice(plainFrom, end) });
    plainFrom = end;
  };
  const push = (piece: Inline, end: number) => {
    endPlain(at);
    pieces.push(piece);
    at = plainFrom = end;
  };

  while (at < text.length) {
    special.lastIndex = at;
    const next = special.exec(text);
    if (!next) break;
    at = next.index;
    const character = text[at] as string;
    if (character === '\\') {
      shrug.lastIndex = at;
      const face = shrug.exec(text);
      if (face) push({ type: 'text', text: `\\${face[1]}${face[2]}` }, shrug.lastIndex);
      else if (isEscape(at)) {
        endPlain(at);
        plainFrom = at + 1;
        at += 2;
      } else at = afterBackslash(text, at);
    } else if (character === '`') {
      const run = runAt(text, at);
      const end = codeEnds(at, run);
      const code = end === undefined ? '' : trimCode(text.slice(at + run, end));
      // An empty code span would be invisible.
      if (end === undefined || isBlank(code)) at += run;
      else push({ type: 'code', text: code }, end + run);
    } else if (character === '*' || character === '_' || character === '~') {
      const run = faceAt(text, at) ?? runAt(text, at);
      endPlain(at);
      const delimiter = faceAt(text, at) === undefined ? delimiterAt(text, at, run) : undefined;
      const space = text.slice(spacesUntil, at).search(/\s\S*$/);
      if (space >= 0) wordFrom = spacesUntil + space;
      spacesUntil = at;
      if (delimiter) openers.meet(delimiter, brackets.at(-1)?.delimiters ?? 0, wordFrom);
      else pieces.push({ type: 'text', text: text.slice(at, at + run) });
      at = plainFrom = at + run;
    } else if (character === '[' || character === '!') {
      const length = character === '!' ? 2 : 1;
      endPlain(at);
      brackets.push({ piece: pieces.length, delimiters: openers.mark() });
      pieces.push({ type: 'text', text: text.slice(at, at + length) });
      at = plainFrom = at + length;
    } else if (character === ']') {
      const bracket = brackets.pop();
      const target = bracket && destinationAt(text, at + 1);
      if (target) endPlain(at);
      if (!bracket || !target || pieces.isDeepAfter(bracket.piece)) {
        at++;
        continue;
      }
      openers.drop(bracket.delimiters);
      const { children, depth } = pieces.takeAfter(bracket.piece);
      pieces.pop();
      // Links cannot be nested, so brackets that are open outside of this one cannot become links.
      brackets.length = 0;
      pieces.push(linkTo(target, withoutLinks(children)), depth + 1);
      at = plainFrom = target.end;
    } else {
      const isAfterMention = plainFrom === at - 1 && pieces.at(-1)?.type === 'mention';
      const isAfterEmoji = plainFrom === at && pieces.at(-1)?.type === 'emoji';
      const { piece, end } = wordAt(text, at, isAfterMention, isAfterEmoji);
      if (piece) push(piece, end);
      else at = end;
    }
  }
  at = text.length;
  endPlain(at);
  return pieces.shown();
}

type Bracket = { piece: number; delimiters: number };

// All characters that may have a meaning. Letters are included only if an address may begin there.
const special = /[\\`*_~\]<@＠﹫:]|!?\[|(?<![a-z0-9])(?:https?:\/\/|www\.)/giu;

/**
 * The next position after a literal backslash. In a literal `\\` or `\*`, the second character is
 * not a mark either.
 */
const afterBackslash = (text: string, at: number): number => (/[\\`*_~[\]@＠<:!]/.test(text[at + 1] ?? '') ? at + 2 : at + 1);

function runAt(text: string, at: number): number {
  let end = at + 1;
  while (text[end] === text[at]) end++;
  return end - at;
}

/**
 * Returns a function that finds the end of a code span with this many backticks. It passes each
 * position once for each length.
 */
function findCodeEnds(text: string): (at: number, length: number) => number | undefined {
  const runs = new Map<number, number[]>();
  for (const { index, 0: run } of text.matchAll(/`+/g)) {
    const known = runs.get(run.length);
    if (known) known.push(index);
    else runs.set(run.length, [index]);
  }
  const passed = new Map<number, number>();
  return (at, length) => {
    const ends = runs.get(length) ?? [];
    let next = passed.get(length) ?? 0;
    while ((ends[next] ?? Number.POSITIVE_INFINITY) <= at) next++;
    passed.set(length, next);
    return ends[next];
  };
}

const trimCode = (code: string) => (code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code);

type Target = { href: string; title: string | undefined; end: number };

const linkTo = ({ href, title }: Target, children: Inline[]): Inline => ({
  type: 'link',
  href,
  ...(title && { title }),
  children: isBlank(textOf(children)) ? [{ type: 'text', text: href }] : children,
});

/** The content of a link. Addresses in it become text, because the link has another target. */
const withoutLinks = (pieces: Inline[]): Inline[] =>
  pieces.flatMap((piece) => {
    if (!('children' in piece)) return [piece];
    const children = withoutLinks(piece.children);
    return piece.type === 'link' ? children : [{ ...piece, children }];
  });

/** The destination of a link, `(address)` or `(address "title")`. */
function destinationAt(text: string, at: number): Target | undefined {
  if (text[at] !== '(') return undefined;
  let depth = 0;
  let end = at + 1;
  for (; end < text.length && end - at < longestAddress; end++) {
    const character = text[end] as string;
    if (character === '(' && ++depth > 4) return undefined;
    if (character === ')' && --depth < 0) break;
    if (/\s/.test(character)) break;
  }
  const href = safeAddress(text.slice(at + 1, end));
  if (href === undefined) return undefined;
  afterAddress.lastIndex = end;
  const rest = afterAddress.exec(text);
  return rest ? { href, title: rest[1], end: afterAddress.lastIndex } : undefined;
}

const afterAddress = /[ \n]{0,3}(?:"([^"\n]{0,200})")?[ \n]{0,3}\)/y;

/** A piece, if there is one, and the position after it. */
type Word = { piece?: Inline; end: number };

/** The address, bracketed address, mention or emoji code that begins here. */
function wordAt(text: string, at: number, isAfterMention: boolean, isAfterEmoji: boolean): Word {
  const character = text[at] as string;
  if (character === ':') return emojiAt(text, at, isAfterEmoji);
  if (/[@＠﹫]/.test(character)) {
    const end = mentionEnd(text, at, isAfterMention);
    return end === undefined ? { end: at + 1 } : { piece: { type: 'mention', text: text.slice(at, end) }, end };
  }
  if (character === '<') {
    angled.lastIndex = at;
    const address = angled.exec(text)?.[1];
    const href = address === undefined ? undefined : safeAddress(address.includes(':') ? address : `mailto:${address}`);
    if (address === undefined || href === undefined) return { end: at + 1 };
    return { piece: { type: 'link', href, children: [{ type: 'text', text: address }] }, end: angled.lastIndex };
  }
  const before = characterBefore(text, at);
  if (joinsWord(before) && before !== '_') return { end: at + 1 };
  const address = addressAt(text, at);
  const href = safeAddress(/^www\./i.test(address) ? `https://${address}` : address);
  const end = Math.max(at + 1, at + address.length);
  return href === undefined ? { end } : { piece: { type: 'link', href, children: [{ type: 'text', text: address }] }, end };
}

const angled = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2048}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})>/iy;

/**
 * `:smile:`, unless it is part of something else, such as `std::max::` or `12:30:45`. The reader
 * decides which codes exist.
 */
function emojiAt(text: string, at: number, isAfterEmoji: boolean): Word {
  const before = characterBefore(text, at);
  emojiCode.lastIndex = at;
  const code = joinsWord(before) || (before === ':' && !isAfterEmoji) ? undefined : emojiCode.exec(text)?.[0];
  if (code === undefined || joinsWord(characterAt(text, at + code.length))) return { end: at + 1 };
  return { piece: { type: 'emoji', text: code }, end: at + code.length };
}

const emojiCode = /:[a-z0-9_+-]{1,64}:/iy;
