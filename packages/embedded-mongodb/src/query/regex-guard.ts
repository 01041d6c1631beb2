import { createContext, Script } from 'node:vm';
import { DatabaseError } from './errors.ts';

/** Time for one text, more than a regular expression that means well ever takes. */
const LIMIT_MILLIS = 500;
/** In texts up to this length even the worst expression ends in time; watching takes longer than most matches. */
const UNWATCHED_LENGTH = 20;

/** A regular expression that is stopped when it takes too long, with the code that MongoDB has for its match limit. */
export class GuardedRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    if (text.length <= UNWATCHED_LENGTH) return super.exec(text);
    return withinTime(() => super.exec(text));
  }
}

const TOKENS =
  /\((?:\?(?:<?[=!]|<\w+>|[-i]*:))?|\\(?:[pPu]\{[^}]*\}|k<\w+>|.)|\[(?:\\.|[^\\\]])*\]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;

/** One way through a group: whether it repeats something, and whether it also asks for something else each time. */
interface Way {
  repeats: boolean;
  asks: boolean;
  /** Whether another way through the same group does nothing but repeat. */
  readonly besideLoose: boolean;
}

/**
 * Whether a pattern repeats a group that may be nothing but a repetition itself, as `(a+)+` and `(\w+\s?)*` do: there are
 * exponentially many ways in which such a pattern fails. `(-\w+)*` is no such pattern, for the hyphen tells the rounds apart.
 */
export function repeatsRepetitions(source: string): boolean {
  const tokens = source.match(TOKENS) ?? [];
  const outer: { way: Way; isLook: boolean }[] = [];
  let way = newWay();
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as string;
    if (token.startsWith('(')) {
      outer.push({ way, isLook: /^\(\?<?[=!]/.test(token) });
      way = newWay();
      continue;
    }
    if (token === '|') way = newWay(isLoose(way));
    if (ASKS_FOR_NOTHING.has(token)) continue;
    const group = token === ')' ? outer.pop() : undefined;
    const loose = group !== undefined && isLoose(way);
    if (group !== undefined) way = group.way;
    if (group?.isLook) continue;
    const times = /^[*+?{]/.test(tokens[i + 1] ?? '') ? (tokens[++i] as string) : '';
    if (loose && /^[*+{]/.test(times)) return true;
    if (loose || /^(?:[*+]|\{\d+,\})/.test(times)) way.repeats = true;
    else if (!/^(?:\?|\{0)/.test(times)) way.asks = true;
  }
  return false;
}

const ASKS_FOR_NOTHING: ReadonlySet<string> = new Set(['|', '^', '$', '\\b', '\\B']);

function newWay(besideLoose = false): Way {
  return { repeats: false, asks: false, besideLoose };
}

function isLoose({ repeats, asks, besideLoose }: Way): boolean {
  return besideLoose || (repeats && !asks);
}

const box: { run: () => unknown } = { run: () => undefined };
const call = new Script('run()');
let context: typeof box | undefined;

function withinTime<T>(run: () => T): T {
  context ??= createContext(box) as typeof box;
  box.run = run;
  try {
    return call.runInContext(context, { timeout: LIMIT_MILLIS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new DatabaseError(51156, 'Error occurred while executing the regular expression. Result code: match limit exceeded');
  }
}
