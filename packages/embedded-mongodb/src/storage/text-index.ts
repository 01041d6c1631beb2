import { DatabaseError } from '../values/errors.ts';
import { toNumber } from '../values/numbers.ts';
import { type Doc, isDoc, isNumber, type Value } from '../values/value.ts';
import { type IndexField, type IndexKeys, indexFields, indexKeys } from './index-keys.ts';
import { textKey } from './key.ts';
import { folded, type TextLanguage, termsOf, textLanguage } from './text-terms.ts';

/** What a text index adds to others: a key for each word of a document, behind the keys of the fields before `_fts`. */
export class TextIndex {
  readonly prefix: readonly IndexField[];
  readonly language: TextLanguage;
  readonly #weights: readonly (readonly [path: string[], weight: number])[];
  readonly #override: string;

  constructor(spec: Doc) {
    const fields = [...(spec.get('key') as Doc)];
    this.prefix = indexFields(
      new Map(
        fields.slice(
          0,
          fields.findIndex(([name]) => name === '_fts'),
        ),
      ),
    );
    this.language = textLanguage(spec.get('default_language') as string) as TextLanguage;
    this.#override = spec.get('language_override') as string;
    this.#weights = Array.from(spec.get('weights') as Doc, ([path, weight]) => [
      path === '$**' ? [] : path.split('.'),
      isNumber(weight) ? toNumber(weight) : 1,
    ]);
  }

  keysOf(document: Buffer, doc: Doc): IndexKeys {
    const terms = new Set(this.textsOf(doc).flatMap(({ text }) => termsOf(text, this.#languageOf(doc))));
    const [prefix, other] = indexKeys(this.prefix, document, false).keys;
    if (prefix === undefined || other !== undefined)
      throw new DatabaseError(16675, 'cannot have a multi-key as a prefix to a text index');
    return { keys: [...terms].map((term) => textKey(term, prefix)), multikey: 1 };
  }

  /** How much a document has to do with some words, by MongoDB's formula; 0 if it has none of them. */
  score(doc: Doc, wanted: ReadonlySet<string>): number {
    const language = this.#languageOf(doc);
    let score = 0;
    for (const { text, weight } of this.textsOf(doc)) score += weight * scoreOfText(text, termsOf(text, language), wanted);
    return score;
  }

  /** Whether a phrase stands in one of the indexed texts. */
  hasPhrase(doc: Doc, phrase: string): boolean {
    const wanted = folded(phrase);
    return this.textsOf(doc).some(({ text }) => folded(text).includes(wanted));
  }

  textsOf(doc: Doc): { readonly text: string; readonly weight: number }[] {
    return this.#weights.flatMap(([path, weight]) => textsAt(doc, path, path.length === 0).map((text) => ({ text, weight })));
  }

  #languageOf(doc: Doc): TextLanguage {
    const name = doc.get(this.#override);
    if (typeof name !== 'string') return this.language;
    const language = textLanguage(name);
    if (language === undefined) throw new DatabaseError(17262, `language override unsupported: ${name}`);
    return language;
  }
}

/** Each further time that a word occurs counts half of the time before; a word counts more in a short text. */
function scoreOfText(text: string, terms: readonly string[], wanted: ReadonlySet<string>): number {
  const counts = new Map<string, number>();
  for (const term of terms) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  let score = 0;
  for (const [term, count] of counts) {
    const frequency = 2 - 2 ** (1 - count);
    const share = (0.5 * count) / terms.length + 0.5;
    score += frequency * share * (text.length === term.length && folded(text) === term ? 1.1 : 1);
  }
  return score;
}

/** The texts at a path, through arrays; with `deep`, all texts below it. */
function textsAt(value: Value | undefined, path: readonly string[], deep: boolean): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsAt(item, path, deep));
  const [part, ...rest] = path;
  if (part === undefined && typeof value === 'string') return [value];
  if (!isDoc(value)) return [];
  if (part !== undefined) return textsAt(value.get(part), rest, deep);
  return deep ? [...value.values()].flatMap((inner) => textsAt(inner, path, deep)) : [];
}
