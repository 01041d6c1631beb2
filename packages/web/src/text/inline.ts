import { safeAddress } from './links.ts';

/** A piece of a line. */
export type Inline =
  | { type: 'text' | 'code'; text: string }
  | { type: 'strong' | 'em' | 'del'; children: Inline[] }
  | { type: 'link'; href: string; children: Inline[] }
  | { type: 'mention'; name: string };

/**
 * Parses emphasis, code, links and mentions in one pass from left to right. What opens waits on stacks, what closes finds it there in constant
 * time, and what was skipped is never looked at again, so the time is linear.
 */
export function parseInline(text: string): Inline[] {
  const pieces: Piece[] = [];
  const openers = new Openers(pieces);
  const brackets: Bracket[] = [];
  const codeEnds = findCodeEnds(text);
  let plainFrom = 0;
  let at = 0;

  const push = (piece: Piece, end: number) => {
    endPlain(at);
    pieces.push(piece);
    at = plainFrom = end;
  };
  const endPlain = (end: number) => {
    if (end > plainFrom) pieces.push({ type: 'text', text: text.slice(plainFrom, end) });
    plainFrom = end;
  };

  while (at < text.length) {
    special.lastIndex = at;
    const next = special.exec(text);
    if (!next) break;
    at = next.index;
    const character = text[at] as string;
    if (character === '\\') {
      if (!/[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) at++;
      else {
        endPlain(at);
        plainFrom = at + 1;
        at += 2;
      }
    } else if (character === '`') {
      const run = runAt(text, at);
      const end = codeEnds(at, run);
      if (end === undefined) at += run;
      else push({ type: 'code', text: trimCode(text.slice(at + run, end)) }, end + run);
    } else if (character === '*' || character === '_' || character === '~') {
      const run = runAt(text, at);
      endPlain(at);
      const delimiter = delimiterAt(text, at, run);
      if (delimiter) openers.meet(delimiter, brackets.at(-1)?.delimiters ?? 0);
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
      if (!bracket || !target) {
        at++;
        continue;
      }
      endPlain(at);
      openers.drop(bracket.delimiters);
      const children = finish(pieces.splice(bracket.piece).slice(1));
      // No link within a link: what was open outside of this one cannot become one any more.
      brackets.length = 0;
      pieces.push({ type: 'link', href: target.href, children: children.length > 0 ? children : asText(target.href) });
      at = plainFrom = target.end;
    } else {
      const { piece, end } = wordAt(text, at);
      if (piece) push(piece, end);
      else at = end;
    }
  }
  at = text.length;
  endPlain(at);
  return finish(pieces);
}

const asText = (text: string): Inline[] => [{ type: 'text', text }];

// Whatever may have a meaning; letters only where an address may begin.
const special = /[\\`*_~\]<@]|!?\[|(?<![\p{L}\p{N}])(?:https?:\/\/|www\.)/giu;

type Delimiter = { type: 'delimiter'; character: string; length: number; opens: boolean; closes: boolean };
type Piece = Inline | Delimiter;
type Bracket = { piece: number; delimiters: number };

function runAt(text: string, at: number): number {
  let end = at + 1;
  while (text[end] === text[at]) end++;
  return end - at;
}

/** Finds where a code span ends that begins with a run of so many backticks; each position is passed once for each length of a run. */
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

const trimCode = (code: string) => (/^ .*\S.* $/s.test(code) ? code.slice(1, -1) : code);

/** What a run of `*`, `_` or `~` may do, by what stands before and behind it, as CommonMark says. */
function delimiterAt(text: string, at: number, length: number): Delimiter | undefined {
  const character = text[at] as string;
  if (character === '~' && length !== 2) return undefined;
  const before = characterBefore(text, at);
  const after = characterAt(text, at + length);
  const left = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const right = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  const isWord = character === '_';
  const opens = left && (!isWord || !right || isPunctuation(before));
  const closes = right && (!isWord || !left || isPunctuation(after));
  return opens || closes ? { type: 'delimiter', character, length, opens, closes } : undefined;
}

const characterBefore = (text: string, at: number) =>
  at === 0 ? ' ' : (/.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? ' ');
const characterAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 32);
const isSpace = (character: string) => /\s/u.test(character);
const isPunctuation = (character: string) => /[\p{P}\p{S}]/u.test(character);

/** What is open, by what could close it: one stack for all, and one for each kind that tells in constant time where its newest is. */
class Openers {
  readonly #pieces: Piece[];
  readonly #open: { piece: number; kind: string }[] = [];
  readonly #newest = new Map<string, number[]>();

  constructor(pieces: Piece[]) {
    this.#pieces = pieces;
  }

  mark(): number {
    return this.#open.length;
  }

  /** Closes what a run closes, and opens what it opens. What it can close began after the mark `bottom`. */
  meet(met: Delimiter, bottom: number): void {
    const length = met.length;
    for (let left = this.#close(met, length, bottom); left !== met.length; left = this.#close(met, length, bottom))
      met.length = left;
    if (met.length === 0) return;
    if (!met.opens) {
      this.#pieces.push({ type: 'text', text: met.character.repeat(met.length) });
      return;
    }
    this.#pieces.push(met);
    const kind = kindOf(met.character, met.closes, length);
    this.#open.push({ piece: this.#pieces.length - 1, kind });
    const stack = this.#newest.get(kind);
    if (stack) stack.push(this.#open.length - 1);
    else this.#newest.set(kind, [this.#open.length - 1]);
  }

  /** Forgets what was opened after a mark. */
  drop(mark: number): void {
    while (this.#open.length > mark) this.#newest.get((this.#open.pop() as { kind: string }).kind)?.pop();
  }

  /** Closes the newest fitting opener once; returns how much of the run is left. */
  #close(met: Delimiter, length: number, bottom: number): number {
    if (!met.closes || met.length === 0) return met.length;
    const found = this.#find(met, length);
    if (found === undefined || found < bottom) return met.length;
    this.drop(found + 1);
    const { piece } = this.#open[found] as { piece: number };
    const opener = this.#pieces[piece] as Delimiter;
    const used = Math.min(opener.length, met.length, 2);
    const type = met.character === '~' ? 'del' : used === 2 ? 'strong' : 'em';
    const children = finish(this.#pieces.splice(piece + 1));
    opener.length -= used;
    if (opener.length === 0) {
      this.drop(found);
      this.#pieces.pop();
    }
    this.#pieces.push({ type, children });
    return met.length - used;
  }

  /** The newest opener that a run may close. A run that could also open, or be closed, only matches by CommonMark's rule of three. */
  #find(met: Delimiter, length: number): number | undefined {
    let newest: number | undefined;
    for (const closes of [false, true])
      for (const rest of [0, 1, 2]) {
        const isOdd = (closes || met.opens) && (rest + length) % 3 === 0 && !(rest === 0 && length % 3 === 0);
        const candidate =
          isOdd && met.character !== '~' ? undefined : this.#newest.get(kindOf(met.character, closes, rest))?.at(-1);
        if (candidate !== undefined && (newest === undefined || candidate > newest)) newest = candidate;
      }
    return newest;
  }
}

const kindOf = (character: string, closes: boolean, length: number) => `${character}${closes}${length % 3}`;

/** The pieces as they are shown: what nothing closed is text, and texts next to each other are one. */
function finish(pieces: Piece[]): Inline[] {
  const shown: Inline[] = [];
  for (const piece of pieces) {
    const one: Inline = piece.type === 'delimiter' ? { type: 'text', text: piece.character.repeat(piece.length) } : piece;
    const last = shown.at(-1);
    if (one.type === 'text' && last?.type === 'text') shown[shown.length - 1] = { type: 'text', text: last.text + one.text };
    else shown.push(one);
  }
  return shown;
}

/** The destination of a link, `(address)` or `(address "title")`; titles are not shown. */
function destinationAt(text: string, at: number): { href: string; end: number } | undefined {
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
  return rest ? { href, end: afterAddress.lastIndex } : undefined;
}

const longestAddress = 2_048;
const afterAddress = /[ \n]{0,3}(?:"[^"\n]{0,200}")?[ \n]{0,3}\)/y;

/** A piece, if there is one, and where to go on. */
type Word = { piece?: Inline; end: number };

/** The address, address in angle brackets, or mention that begins here. */
function wordAt(text: string, at: number): Word {
  if (text[at] === '@') return mentionAt(text, at);
  if (text[at] === '<') {
    angled.lastIndex = at;
    const address = angled.exec(text)?.[1];
    const href = address === undefined ? undefined : safeAddress(address.includes(':') ? address : `mailto:${address}`);
    if (address === undefined || href === undefined) return { end: at + 1 };
    return { piece: { type: 'link', href, children: asText(address) }, end: angled.lastIndex };
  }
  bare.lastIndex = at;
  const address = withoutPunctuation(bare.exec(text)?.[0] ?? '');
  const href = safeAddress(/^www\./i.test(address) ? `https://${address}` : address);
  const end = Math.max(at + 1, at + address.length);
  return href === undefined ? { end } : { piece: { type: 'link', href, children: asText(address) }, end };
}

const angled = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2048}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})>/iy;
const bare = /(?:https?:\/\/|www\.)[^\s<>]{1,2048}/iy;

/** An address without what ends the sentence around it: punctuation, and brackets that were opened outside. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  let unopened = (address.match(/\)/g)?.length ?? 0) - (address.match(/\(/g)?.length ?? 0);
  for (; end > 0; end--) {
    const last = address[end - 1] as string;
    if (last === ')' && unopened > 0) unopened--;
    else if (!/[?!.,:;*_~'"\]]/.test(last)) break;
  }
  return address.slice(0, end);
}

/** `@name`, unless it is part of a word, such as an e-mail address. */
function mentionAt(text: string, at: number): Word {
  username.lastIndex = at;
  const name = /[\p{L}\p{N}_.@-]/u.test(characterBefore(text, at)) ? undefined : username.exec(text)?.[1];
  return name === undefined ? { end: at + 1 } : { piece: { type: 'mention', name }, end: at + 1 + name.length };
}

const username = /@([a-z0-9][a-z0-9._-]{0,63})/iuy;
