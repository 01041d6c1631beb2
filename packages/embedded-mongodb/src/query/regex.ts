import type { BSONRegExp } from 'bson';
import { DatabaseError } from './errors.ts';
import { GuardedRegExp, repeatsRepetitions } from './regex-guard.ts';

/**
 * Turns a PCRE pattern, as MongoDB takes it, into a JavaScript one that finds the same: `.` stops at `\n` alone, `$` also stands
 * before a last line end, `\s \d \w` mean ASCII. What JavaScript cannot express is refused with MongoDB's code for a bad pattern.
 * Patterns that evidently backtrack without end are watched while they run.
 */
export function compileRegex(pattern: string, options: string): RegExp {
  try {
    const translated = new Translator(pattern, options).run();
    const Kind = repeatsRepetitions(translated.source) ? GuardedRegExp : RegExp;
    return new Kind(translated.source, `u${translated.ignoreCase ? 'i' : ''}`);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(error.message);
    throw error;
  }
}

/** The literal text that a pattern such as `^abc` demands at the start of every match, for index bounds; empty if there is none. */
export function literalPrefix({ pattern, options }: Pick<BSONRegExp, 'pattern' | 'options'>): string {
  if (/[imx]/.test(options) || !pattern.startsWith('^') || pattern.includes('|')) return '';
  const [prefix = ''] = /^[^\\^$.*+?()[\]{}|]*/.exec(pattern.slice(1)) ?? [];
  return /^[*?{]/.test(pattern.slice(1 + prefix.length)) ? prefix.slice(0, -1) : prefix;
}

const POSIX: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: ' \\t\\n\\v\\f\\r',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
  cntrl: '\\x00-\\x1f\\x7f',
  print: ' -~',
  graph: '!-~',
};

const SPACES = ' \\t\\n\\v\\f\\r';
const NOT_SPACES = '\\x00-\\x08\\x0e-\\x1f!-\\u{10ffff}';

/** Escapes of a letter that JavaScript spells otherwise, outside of a class. */
const ESCAPES: Readonly<Record<string, string>> = {
  A: '^',
  z: '$',
  Z: '(?=\\n?$)',
  s: `[${SPACES}]`,
  S: `[${NOT_SPACES}]`,
  h: '[ \\t\\xa0]',
  R: '(?:\\r\\n|[\\n\\v\\f\\r])',
  a: '\\x07',
  e: '\\x1b',
};

const ESCAPES_IN_CLASS: Readonly<Record<string, string>> = {
  s: SPACES,
  S: NOT_SPACES,
  h: ' \\t\\xa0',
  a: '\\x07',
  e: '\\x1b',
  b: '\\b',
};
const SAME_IN_JAVASCRIPT = /^[bBdDwWtnvfr]$/;

class Translator {
  readonly #pattern: string;
  #at = 0;
  #ignoreCase: boolean;
  #multiline: boolean;
  #dotAll: boolean;
  #extended: boolean;

  constructor(pattern: string, options: string) {
    this.#pattern = pattern;
    this.#ignoreCase = options.includes('i');
    this.#multiline = options.includes('m');
    this.#dotAll = options.includes('s');
    this.#extended = options.includes('x');
  }

  run(): { source: string; ignoreCase: boolean } {
    this.#leadingFlags();
    let source = '';
    while (this.#at < this.#pattern.length) source += this.#next();
    return { source, ignoreCase: this.#ignoreCase };
  }

  /** `(?i)` and its like at the very start are options of the whole pattern. */
  #leadingFlags(): void {
    const flags = /^\(\?([imsx]+)\)/.exec(this.#pattern)?.[1] ?? '';
    if (flags === '') return;
    this.#at = flags.length + 3;
    this.#ignoreCase ||= flags.includes('i');
    this.#multiline ||= flags.includes('m');
    this.#dotAll ||= flags.includes('s');
    this.#extended ||= flags.includes('x');
  }

  #next(): string {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) as number);
    this.#at += char.length;
    switch (char) {
      case '\\':
        return this.#escape();
      case '[':
        return this.#class();
      case '(':
        return this.#group();
      case '.':
        return this.#dotAll ? '[\\s\\S]' : '[^\\n]';
      case '^':
        return this.#multiline ? '(?:^|(?<=\\n))' : '^';
      case '$':
        return this.#multiline ? '(?:$|(?=\\n))' : '(?=\\n?$)';
      case '*':
      case '+':
      case '?':
        return this.#quantifier(char);
      case '{':
        return this.#braces();
      case '}':
      case ']':
        return `\\${char}`;
      case '/':
        return '\\/';
    }
    if (this.#extended && /\s/.test(char)) return '';
    if (this.#extended && char === '#') return this.#comment('\n');
    return char;
  }

  #comment(end: string): string {
    const stop = this.#pattern.indexOf(end, this.#at);
    this.#at = stop < 0 ? this.#pattern.length : stop + 1;
    return '';
  }

  #quantifier(text: string): string {
    if (this.#pattern[this.#at] === '+') throw invalid('possessive quantifiers are not supported');
    if (this.#pattern[this.#at] !== '?') return text;
    this.#at++;
    return `${text}?`;
  }

  #braces(): string {
    const [bounds] = /^\d+(,\d*)?\}/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (bounds === undefined) return '\\{';
    this.#at += bounds.length;
    return this.#quantifier(`{${bounds}`);
  }

  #group(): string {
    const rest = this.#pattern.slice(this.#at);
    if (rest.startsWith('?#')) return this.#comment(')');
    if (rest.startsWith('*')) throw invalid('verbs are not supported');
    const [named, name] = /^\?P?<([A-Za-z_]\w*)>/.exec(rest) ?? [];
    if (named !== undefined) return this.#taken(named, `(?<${name}>`);
    const [plain] = /^\?(:|=|!|<=|<!)/.exec(rest) ?? [];
    if (plain !== undefined) return this.#taken(plain, `(${plain}`);
    const [scoped] = /^\?i?-?i?:/.exec(rest) ?? [];
    if (scoped !== undefined) return this.#taken(scoped, `(${scoped}`);
    if (rest.startsWith('?')) throw invalid(`the group (${rest.slice(0, 3)} is not supported`);
    return '(';
  }

  #taken(source: string, translated: string): string {
    this.#at += source.length;
    return translated;
  }

  #escape(): string {
    const char = this.#pattern[this.#at];
    if (char === undefined) throw invalid('\\ at end of pattern');
    this.#at++;
    if (char === 'Q') return this.#quoted();
    if (char === 'E') return '';
    const known = ESCAPES[char];
    if (known !== undefined) return known;
    return this.#commonEscape(char);
  }

  #commonEscape(char: string): string {
    if (SAME_IN_JAVASCRIPT.test(char)) return `\\${char}`;
    const rest = this.#pattern.slice(this.#at);
    if (char === 'x') {
      const [taken = '', long, short] = /^(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{0,2}))/.exec(rest) ?? [];
      return this.#taken(taken, `\\u{${long ?? (short || '0')}}`);
    }
    if (char === 'p' || char === 'P') {
      const [taken, name, single] = /^(?:\{(\^?\w+)\}|([LMNPSZC]))/.exec(rest) ?? [];
      if (taken === undefined || name?.startsWith('^')) throw invalid('malformed \\P or \\p sequence');
      const property = name ?? single ?? '';
      const script = property.length > 2 ? `Script=${property}` : property;
      return this.#taken(taken, `\\${char}{${script}}`);
    }
    if (char === 'k') {
      const [taken, name] = /^[<{']([A-Za-z_]\w*)[>}']/.exec(rest) ?? [];
      if (taken === undefined) throw invalid('\\k is not followed by a name');
      return this.#taken(taken, `\\k<${name}>`);
    }
    if (char === '0') return '\\x00';
    if (/[1-9]/.test(char)) return `(?:\\${char})`;
    if (/[A-Za-z]/.test(char)) throw invalid(`unrecognized character follows \\: ${char}`);
    return /[\^$\\.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
  }

  #quoted(): string {
    const end = this.#pattern.indexOf('\\E', this.#at);
    const text = this.#pattern.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#pattern.length : end + 2;
    return text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
  }

  #class(): string {
    let source = '[';
    if (this.#pattern[this.#at] === '^') source += this.#taken('^', '^');
    // A bracket that comes first is a member of the class.
    if (this.#pattern[this.#at] === ']') source += this.#taken(']', '\\]');
    for (;;) {
      const char = this.#pattern[this.#at];
      if (char === undefined) throw invalid('missing terminating ] for character class');
      this.#at++;
      if (char === ']') return `${source}]`;
      source += char === '-' && this.#besideSet() ? '\\-' : this.#member(char);
    }
  }

  /** Whether the hyphen just read stands beside `\w` or the like, where it is no range but itself. */
  #besideSet(): boolean {
    const before = /(\\[dDwWsSh]|:\])$/.test(this.#pattern.slice(0, this.#at - 1));
    return before || /^(\\[dDwWsSh]|\[:)/.test(this.#pattern.slice(this.#at));
  }

  #member(char: string): string {
    if (char === '\\') {
      const escaped = this.#pattern[this.#at++];
      if (escaped === undefined) throw invalid('\\ at end of pattern');
      return ESCAPES_IN_CLASS[escaped] ?? (escaped === '-' ? '\\-' : this.#commonEscape(escaped));
    }
    const [posix, name = ''] = char === '[' ? (/^:(\w+):\]/.exec(this.#pattern.slice(this.#at)) ?? []) : [];
    if (posix !== undefined) {
      const members = POSIX[name];
      if (members === undefined) throw invalid(`unknown POSIX class name: ${name}`);
      return this.#taken(posix, members);
    }
    return char === '[' || char === '/' ? `\\${char}` : char;
  }
}

function invalid(reason: string): DatabaseError {
  return new DatabaseError(51091, `Regular expression is invalid: ${reason}`);
}
