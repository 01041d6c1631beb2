import { Int32 } from 'bson';
import { docArg, stringArg } from '../protocol/args.ts';
import { textLanguage } from '../storage/text-terms.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isNumber, type Value } from '../values/value.ts';

/** What only a text index may say about itself. */
export const textOptions = ['weights', 'default_language', 'language_override', 'textIndexVersion'];

/** Whether a pattern is that of a text index. */
export function isText(pattern: Doc): boolean {
  return [...pattern.values()].includes('text');
}

/** The specification as MongoDB keeps it: the words stand as `_fts`, the fields that they come from among the weights. */
export function textSpec(spec: Doc, pattern: Doc): Doc {
  for (const option of ['unique', 'expireAfterSeconds'])
    if (spec.has(option)) throw new DatabaseError(67, `A text index cannot have the option '${option}'`);
  const language = stringArg(spec, 'default_language') ?? 'english';
  if (textLanguage(language) === undefined) throw new DatabaseError(67, `default_language is not valid: ${language}`);
  const fields = [...pattern];
  const texts = fields.filter(([, direction]) => direction === 'text').map(([name]) => name);
  const first = fields.findIndex(([, direction]) => direction === 'text');
  const behind = fields.slice(first + texts.length);
  if (behind.some(([, direction]) => direction === 'text'))
    throw new DatabaseError(67, "'text' fields in index must all be adjacent");
  const key = new Map<string, Value>([...fields.slice(0, first), ['_fts', 'text'], ['_ftsx', new Int32(1)], ...behind]);
  return new Map<string, Value>([
    ...spec,
    ['key', key],
    ['weights', weightsOf(docArg(spec, 'weights') ?? new Map(), texts)],
    ['default_language', language],
    ['language_override', stringArg(spec, 'language_override') ?? 'language'],
    ['textIndexVersion', new Int32(3)],
  ]);
}

function weightsOf(given: Doc, texts: readonly string[]): Doc {
  const weights: Doc = new Map(texts.map((name) => [name, new Int32(1)]));
  for (const [name, weight] of given) {
    if (!isNumber(weight) || !(Number(weight.toString()) >= 1 && Number(weight.toString()) < 100_000))
      throw new DatabaseError(67, 'text index weight must be in the exclusive interval (0,100000)');
    weights.set(name, weight);
  }
  return new Map([...weights].sort(([a], [b]) => (a < b ? -1 : 1)));
}
