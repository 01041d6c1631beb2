import { characterAt, characterBefore, isPunctuation, isSpace, isUnspaced, isWidePunctuation, joinsWord } from './characters.ts';
import type { Inline } from './pieces.ts';

/** A run of `*`, `_` or `~`, and whether it can open or close emphasis. */
export type Delimiter = {
  type: 'delimiter';
  character: string;
  length: number;
  opens: boolean;
  closes: boolean;
  at: number;
  /** True if it is between two letters of a word in Latin or a similar script. */
  isInWord: boolean;
};
export type Piece = Inline | Delimiter;

/**
 * The role of a run of `*`, `_` or `~`, from the characters before and after it. It follows
 * CommonMark, with exceptions. Chinese and Japanese do not use spaces, people write calculations,
 * and faces such as `^_^` remain.
 */
export function delimiterAt(text: string, at: number, length: number): Delimiter | undefined {
  const character = text[at] as string;
  if (character === '~' && length !== 2) return undefined;
  const before = characterBefore(text, at);
  const after = characterAt(text, at + length);
  if (isOther(character, length, before, after) || (length === 1 && starOfCode.test(text.slice(at, at + 3)))) return undefined;
  const left = !isSpace(after) && (isWordlike(after) || isSpace(before) || isUnspaced(before) || mayOpenAfter(before, length));
  // People forget the space in `**Note:** this`.
  const isGlued = length === 2 && /[.:;,!?…%]/.test(before);
  const right =
    !isSpace(before) && (isWordlike(before) || isSpace(after) || isUnspaced(after) || mayCloseBefore(after, length) || isGlued);
  const isWord = character === '_';
  const opens = left && (!isWord || !right || isPunctuation(before));
  const closes = right && (!isWord || !left || isPunctuation(after));
  const isInWord = character === '*' && joinsWord(before) && joinsWord(after);
  return opens || closes ? { type: 'delimiter', character, length, opens, closes, at, isInWord } : undefined;
}

const isWordlike = (character: string) => !isPunctuation(character) || isWidePunctuation(character);

// The characters that may precede a single mark: quotes and brackets around emphasis. After others
// it is part of a face or a path.
const mayOpenAfter = (before: string, length: number) =>
  length === 1 ? /[\p{Ps}\p{Pi}"'*_~]/u.test(before) : isPunctuation(before);
const mayCloseBefore = (after: string, length: number) =>
  length === 1 ? /[\p{Pe}\p{Pf}\p{Pd}"'*_~.,;:!?…]/u.test(after) : isPunctuation(after);

/** The asterisk of a pattern such as `*.js`, or at the end of a comment. */
const starOfCode = /^\*(?:\.[\w{[?*]|\/(?:\s|$))/i;

/**
 * True if a run is part of something else: `2*3`, `x**2`, `^_^`, `(*^ω^*)`, `(*)`, `*.txt`, a
 * pattern of paths and the like.
 */
function isOther(character: string, length: number, before: string, after: string): boolean {
  if (character === '*' && /^(?:[a-z]\d|\d[a-z\d])$/i.test(before + after)) return true;
  if (/[/\\]/.test(before) && /[/\\]/.test(after)) return true;
  if (length > 1) return false;
  if (before === after && isPunctuation(before)) return true;
  return before === '(' && /[)^´｀]/.test(after);
}

/** The deepest nesting of emphasis. Deeper marks are shown as typed. */
const deepest = 8;

/**
 * The pieces of a line so far, with their visible content and depth. Queries take constant time.
 */
export class Pieces {
  readonly #list: Piece[] = [];
  readonly #depths: number[] = [];
  #lastSaid = -1;
  #lastDeep = -1;

  get length(): number {
    return this.#list.length;
  }

  at(index: number): Piece | undefined {
    return this.#list.at(index);
  }

  push(piece: Piece, depth = 0): void {
    this.#list.push(piece);
    this.#depths.push(depth);
    if (piece.type !== 'delimiter' && (piece.type !== 'text' || /[^\s*_~.]/u.test(piece.text))) this.#lastSaid = this.length - 1;
    if (depth >= deepest) this.#lastDeep = this.length - 1;
  }

  pop(): void {
    this.#list.pop();
    this.#depths.pop();
  }

  /**
   * True if the pieces after this one may be wrapped: they have visible content and are not nested
   * too deeply.
   */
  mayWrap(index: number): boolean {
    return this.#lastSaid > index && !this.isDeepAfter(index);
  }

  /** True if the pieces after this one have reached the deepest nesting. */
  isDeepAfter(index: number): boolean {
    return this.#lastDeep > index;
  }

  /** Removes the pieces after this one, and returns them as they are shown, with their depth. */
  takeAfter(index: number): { children: Inline[]; depth: number } {
    const depth = this.#depths.splice(index + 1).reduce((most, one) => Math.max(most, one), 0);
    return { children: asShown(this.#list.splice(index + 1)), depth };
  }

  /** All pieces as they are shown. */
  shown(): Inline[] {
    return asShown(this.#list);
  }
}

/** Delimiters that were not closed become text. Adjacent texts are joined. */
function asShown(pieces: readonly Piece[]): Inline[] {
  const shown: Inline[] = [];
  for (const piece of pieces) {
    const one: Inline = piece.type === 'delimiter' ? { type: 'text', text: piece.character.repeat(piece.length) } : piece;
    const last = shown.at(-1);
    if (one.type === 'text' && last?.type === 'text') shown[shown.length - 1] = { type: 'text', text: last.text + one.text };
    else shown.push(one);
  }
  return shown;
}

/**
 * The open delimiters: one stack for all, and one for each kind, whose top is the newest opener of
 * that kind.
 */
export class Openers {
  readonly #pieces: Pieces;
  readonly #open: { piece: number; kind: string; at: number }[] = [];
  readonly #newest = new Map<string, number[]>();

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  mark(): number {
    return this.#open.length;
  }

  /**
   * Closes the delimiters that a run closes, or opens new ones. It only closes delimiters after the
   * mark `bottom`. The run's word begins at `wordFrom`.
   */
  meet(met: Delimiter, bottom: number, wordFrom: number): void {
    const length = met.length;
    const close = () => this.#close(met, length, bottom, wordFrom);
    for (let left = close(); left !== met.length; left = close()) met.length = left;
    if (met.length === 0) return;
    if (!met.opens) {
      this.#pieces.push({ type: 'text', text: met.character.repeat(met.length) });
      return;
    }
    this.#pieces.push(met);
    const kind = kindOf(met.character, met.closes, length, met.isInWord);
    this.#open.push({ piece: this.#pieces.length - 1, kind, at: met.at });
    const stack = this.#newest.get(kind);
    if (stack) stack.push(this.#open.length - 1);
    else this.#newest.set(kind, [this.#open.length - 1]);
  }

  /** Removes the openers after a mark. */
  drop(mark: number): void {
    while (this.#open.length > mark) this.#newest.get((this.#open.pop() as { kind: string }).kind)?.pop();
  }

  /** Closes the newest matching opener once. Returns the remaining length of the run. */
  #close(met: Delimiter, length: number, bottom: number, wordFrom: number): number {
    if (!met.closes || met.length === 0) return met.length;
    const found = this.#find(met, length, wordFrom);
    if (found === undefined || found < bottom) return met.length;
    const { piece } = this.#open[found] as { piece: number };
    if (!this.#pieces.mayWrap(piece)) return met.length;
    this.drop(found + 1);
    const opener = this.#pieces.at(piece) as Delimiter;
    const used = Math.min(opener.length, met.length, 2);
    const type = met.character === '~' ? 'del' : used === 2 ? 'strong' : 'em';
    const { children, depth } = this.#pieces.takeAfter(piece);
    opener.length -= used;
    if (opener.length === 0) {
      this.drop(found);
      this.#pieces.pop();
    }
    this.#pieces.push({ type, children }, depth + 1);
    return met.length - used;
  }

  /**
   * The newest opener that a run may close. A run that can both open and close must satisfy
   * CommonMark's rule of three.
   */
  #find(met: Delimiter, length: number, wordFrom: number): number | undefined {
    let newest = -1;
    for (const isInWord of [false, true])
      for (const closes of [false, true])
        for (const rest of [0, 1, 2]) {
          const isOdd = (closes || met.opens) && (rest + length) % 3 === 0 && !(rest === 0 && length % 3 === 0);
          if (isOdd && met.character !== '~') continue;
          const candidate = this.#newest.get(kindOf(met.character, closes, rest, isInWord))?.at(-1) ?? -1;
          if (candidate > newest && !(isInWord && met.isInWord && this.#isTimes(candidate, met, wordFrom))) newest = candidate;
        }
    return newest < 0 ? undefined : newest;
  }

  /**
   * True if two runs within words, as in `a*b*c` and `f**k this s**t`, are not emphasis. They are
   * only if both are `**` in one word.
   */
  #isTimes(candidate: number, met: Delimiter, wordFrom: number): boolean {
    const { piece, at } = this.#open[candidate] as { piece: number; at: number };
    return at < wordFrom || Math.min((this.#pieces.at(piece) as Delimiter).length, met.length) < 2;
  }
}

const kindOf = (character: string, closes: boolean, length: number, isInWord: boolean) =>
  `${character}${closes}${length % 3}${isInWord}`;
