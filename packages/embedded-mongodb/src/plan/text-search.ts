import { folded, hasWord, wordsOf } from '../storage/index/words.ts';
import { badValue, failedToParse, notSupported } from '../values/errors.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';

/**
 * A parsed `$text`: a match has any of the words, all of the phrases, and nothing that is negated.
 */
export type TextSearch = {
  readonly words: ReadonlySet<string>;
  readonly phrases: readonly string[];
  readonly withoutWords: ReadonlySet<string>;
  readonly withoutPhrases: readonly string[];
};

/** The operand of a `$text` at the top of a filter, or in an `$and` at its top. */
export function textOf(filter: Doc): Doc | undefined {
  const [operand, other] = textsOf(filter);
  if (other !== undefined) throw badValue('Too many text expressions');
  return operand;
}

function textsOf(filter: Doc): Doc[] {
  return [...filter].flatMap(([name, value]) => {
    if (name === '$text' && isDoc(value)) return [value];
    return name === '$and' && Array.isArray(value) ? value.filter(isDoc).flatMap(textsOf) : [];
  });
}

/** Parses an operand such as `{ $search: 'coffee "flat white" -decaf' }`. */
export function parseSearch(operand: Doc): TextSearch {
  const search = operand.get('$search');
  if (typeof search !== 'string') throw failedToParse('"$search" had the wrong type or is missing. Expected string.');
  for (const [name, value] of operand) {
    if (!['$search', '$language', '$caseSensitive', '$diacriticSensitive'].includes(name))
      throw failedToParse(`unknown field in $text: ${name}`);
    if (name.endsWith('Sensitive') && value !== false) throw notSupported(`$text with ${name} is not supported`);
    if (name === '$language' && value !== 'none')
      throw badValue(`$language specified but unsupported language: ${String(value)}`);
  }
  const words = new Set<string>();
  const withoutWords = new Set<string>();
  const phrases = new Set<string>();
  const withoutPhrases = new Set<string>();
  for (const { groups } of search.matchAll(searchParts)) {
    const { minus, phrase, word } = groups as { minus?: string; phrase?: string; word?: string };
    const negated = minus !== undefined;
    if (phrase !== undefined && phrase !== '') (negated ? withoutPhrases : phrases).add(folded(phrase));
    if (negated && phrase !== undefined) continue;
    for (const found of wordsOf(folded(phrase ?? word ?? ''))) (negated ? withoutWords : words).add(found);
  }
  // Tests the longest phrase first, because it is the least likely to match.
  const longestFirst = [...phrases].sort((a, b) => b.length - a.length);
  return { words, phrases: longestFirst, withoutWords, withoutPhrases: [...withoutPhrases] };
}

/** A minus negates only at the start of a word. */
const searchParts = /(?<minus>(?<!\S)-)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/g;

/** True if a document with these normalized texts matches the search. */
export function isFound({ words, phrases, withoutWords, withoutPhrases }: TextSearch, texts: readonly string[]): boolean {
  const has = (phrase: string) => texts.some((text) => text.includes(phrase));
  if (!phrases.every(has) || withoutPhrases.some(has)) return false;
  return texts.some((text) => hasWord(text, words)) && !texts.some((text) => hasWord(text, withoutWords));
}

/**
 * The relevance of texts by MongoDB's formula. A word counts more in a short text, and each further
 * occurrence counts half as much as the one before.
 */
export function scoreOf(texts: readonly string[], wanted: ReadonlySet<string>): number {
  let score = 0;
  for (const text of texts) {
    const words = wordsOf(text);
    const counts = new Map<string, number>();
    for (const word of words) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const frequency = 2 - 2 ** (1 - count);
      const share = (0.5 * count) / words.length + 0.5;
      score += frequency * share * (text === word ? 1.1 : 1);
    }
  }
  return score;
}

/** Stages that return documents of the collection unchanged, so that their scores are known. */
const keepingStages = new Set(['$match', '$sort', '$limit']);

/** Rejects stages that ask for the score of a document that an earlier stage has made. */
export function checkScores(stages: readonly Value[]): void {
  const first = stages.findIndex((stage) => !(isDoc(stage) && [...stage.keys()].every((name) => keepingStages.has(name))));
  if (first >= 0 && mentionsMeta([...stages.slice(first + 1)]))
    throw notSupported("{ $meta: 'textScore' } is supported up to the first stage that changes documents");
}

function mentionsMeta(value: Value): boolean {
  if (Array.isArray(value)) return value.some(mentionsMeta);
  return isDoc(value) && [...value].some(([name, inner]) => name === '$meta' || mentionsMeta(inner));
}
