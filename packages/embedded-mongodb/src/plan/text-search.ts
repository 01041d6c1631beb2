import type { Collection } from '../storage/collection.ts';
import type { StoredIndex } from '../storage/stored-index.ts';
import type { TextIndex } from '../storage/text-index.ts';
import { termsOf, textLanguage } from '../storage/text-terms.ts';
import { DatabaseError, notSupported } from '../values/errors.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { mentions } from './pushdown.ts';
import type { QueryContext } from './query-context.ts';

/** What a `$text` asks for: any of the words, all of the phrases, and none of what is negated. */
export type TextSearch = {
  readonly words: ReadonlySet<string>;
  readonly phrases: readonly string[];
  readonly withoutWords: ReadonlySet<string>;
  readonly withoutPhrases: readonly string[];
};

/** The operand of a `$text` that stands at the top of a filter, or in an `$and` there. */
export function textOf(filter: Doc): Doc | undefined {
  const text = filter.get('$text');
  if (isDoc(text)) return text;
  const branches = filter.get('$and');
  if (!Array.isArray(branches)) return undefined;
  for (const branch of branches) {
    const inner = isDoc(branch) ? textOf(branch) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The collection's one text index. */
export function textIndexOf(collection: Collection): StoredIndex & { readonly text: TextIndex } {
  const index = collection.indexes.find(({ text }) => text !== undefined);
  if (index?.text === undefined) throw new DatabaseError(27, 'text index required for $text query');
  return index as StoredIndex & { readonly text: TextIndex };
}

/** Lets a filter, a sort and a projection of this query know what `$text` and its score are. */
export function withText(collection: Collection, filter: Doc, context: QueryContext): QueryContext {
  const operand = textOf(filter);
  if (operand === undefined) return context;
  const { text: index } = textIndexOf(collection);
  const scorer = (operand: Doc) => scoring(index, parseSearch(operand, index));
  return { ...context, text: scorer, textScore: scorer(operand) };
}

/** Reads `{ $search: 'coffee "flat white" -decaf' }`. */
export function parseSearch(operand: Doc, { language: usual }: TextIndex): TextSearch {
  const search = operand.get('$search');
  if (typeof search !== 'string') throw new DatabaseError(9, '"$search" had the wrong type or is missing. Expected string.');
  for (const [name, value] of operand) {
    if (!['$search', '$language', '$caseSensitive', '$diacriticSensitive'].includes(name))
      throw new DatabaseError(9, `unknown field in $text: ${name}`);
    if (name.endsWith('Sensitive') && value !== false) throw notSupported(`$text with ${name} is not supported`);
  }
  const named = operand.get('$language');
  const language = named === undefined ? usual : textLanguage(String(named));
  if (language === undefined) throw new DatabaseError(2, `$language specified but unsupported language: ${String(named)}`);
  const words = new Set<string>();
  const withoutWords = new Set<string>();
  const phrases: string[] = [];
  const withoutPhrases: string[] = [];
  for (const { groups } of search.matchAll(searchParts)) {
    const { minus, phrase, word } = groups as { minus?: string; phrase?: string; word?: string };
    const negated = minus !== undefined;
    if (phrase !== undefined && phrase !== '') (negated ? withoutPhrases : phrases).push(phrase);
    if (negated && phrase !== undefined) continue;
    for (const term of termsOf(phrase ?? word ?? '', language)) (negated ? withoutWords : words).add(term);
  }
  return { words, phrases, withoutWords, withoutPhrases };
}

/** A minus counts only before a word, not inside one. */
const searchParts = /(?<minus>(?<!\S)-)?(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/g;

function scoring(index: TextIndex, search: TextSearch): (doc: Doc) => number | undefined {
  const { words, phrases, withoutWords, withoutPhrases } = search;
  return (doc) => {
    const score = index.score(doc, words);
    if (score === 0 || !phrases.every((phrase) => index.hasPhrase(doc, phrase))) return undefined;
    if (withoutWords.size > 0 && index.score(doc, withoutWords) > 0) return undefined;
    return withoutPhrases.some((phrase) => index.hasPhrase(doc, phrase)) ? undefined : score;
  };
}

/** Stages whose documents are still those of the collection, so that their scores are known. */
const keepingStages = new Set(['$match', '$sort', '$skip', '$limit']);

const metaNames = new Set(['$meta']);

/** Refuses stages that ask for the score of a document that earlier ones have made. */
export function checkScores(stages: readonly Value[]): void {
  const first = stages.findIndex((stage) => !(isDoc(stage) && [...stage.keys()].every((name) => keepingStages.has(name))));
  if (first >= 0 && mentions([...stages.slice(first + 1)], metaNames))
    throw notSupported("{ $meta: 'textScore' } is supported up to the first stage that changes documents");
}
