import type { PathBounds } from '../match/analyse.ts';
import type { Collection } from '../storage/collection.ts';
import { invertKey } from '../storage/index/key.ts';
import type { TextIndex } from '../storage/index/text-index.ts';
import { innerWords, tokensOf } from '../storage/index/words.ts';
import { DatabaseError, notSupported } from '../values/errors.ts';
import type { Doc } from '../values/value.ts';
import { intervalsOf } from './intervals.ts';
import type { IndexPlan, TextPlan } from './plan.ts';
import { parseSearch, type TextSearch } from './text-search.ts';

/**
 * The most tokens of a search (words times values of the fields before the text), and the words per
 * expression.
 */
const mostTokens = 1000;
const together = 8;

/**
 * Plans a `$text` with the collection's text index. `by` is an index that provides the requested
 * order.
 */
export function planText(
  collection: Collection,
  operand: Doc,
  bounds: ReadonlyMap<string, PathBounds>,
  sort: Doc | undefined,
  by: IndexPlan | undefined,
): TextPlan {
  const index = textIndexOf(collection);
  const search = parseSearch(operand);
  const prefixes = prefixesOf(index, bounds);
  const tokens = prefixes.flatMap((prefix) => Array.from(search.words, tokensOf(prefix)));
  if (tokens.length > mostTokens) throw notSupported(`a $text of more than ${mostTokens} words is not supported`);
  const expressions = prefixes.flatMap((prefix) => expressionsOf(search, prefix));
  return { index, search, tokens, expressions, order: sort && by && { sort, by } };
}

function textIndexOf({ text }: Collection): TextIndex {
  if (text === undefined) throw new DatabaseError(27, 'text index required for $text query');
  return text;
}

/** The key bytes of all combinations of values that the fields before the text may have. */
function prefixesOf(index: TextIndex, bounds: ReadonlyMap<string, PathBounds>): Buffer[] {
  return index.prefix.reduce<Buffer[]>(
    (prefixes, { name, descending }) => {
      const found = bounds.get(name);
      const points = found && intervalsOf(found, false);
      if (!points?.every(({ point }) => point)) throw noPrefix();
      const keys = points.map(({ low }) => (descending ? invertKey(low.key) : low.key));
      return prefixes.flatMap((prefix) => keys.map((key) => Buffer.concat([prefix, key])));
    },
    [Buffer.alloc(0)],
  );
}

function noPrefix(): DatabaseError {
  const why = 'if text index is compound, are equality predicates given for all prefix fields?';
  return new DatabaseError(
    291,
    `error processing query: planner returned error: failed to use text index to satisfy $text query (${why})`,
  );
}

/**
 * The part of a search that the index can answer: any of the words, all words inside the phrases,
 * and none of the negated words. The first and last word of a phrase are left out, because they may
 * be parts of longer words.
 */
function expressionsOf({ words, phrases, withoutWords }: TextSearch, prefix: Buffer): string[] {
  const token = tokensOf(prefix);
  const anyOf = (some: readonly string[]) => `(${some.map(token).join(' OR ')})`;
  const inner = Array.from(new Set(phrases.flatMap(innerWords)), token);
  const without = withoutWords.size === 0 ? '' : ` NOT ${anyOf([...withoutWords])}`;
  const wanted = [...words];
  return Array.from(
    { length: Math.ceil(wanted.length / together) },
    (_, i) => `((${[anyOf(wanted.slice(i * together, (i + 1) * together)), ...inner].join(' AND ')})${without})`,
  );
}
