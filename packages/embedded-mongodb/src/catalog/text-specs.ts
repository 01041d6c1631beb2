import { Int32 } from 'bson';
import { docArg, stringArg } from '../protocol/args.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isNumber, type Value } from '../values/value.ts';

/** Options that only a text index may have. */
export const textOptions = ['weights', 'default_language', 'language_override', 'textIndexVersion'];

export function isText(pattern: Doc): boolean {
  return [...pattern.values()].includes('text');
}

/**
 * The specification in MongoDB's stored form: `_fts` stands for the words in the key, and `weights`
 * lists the fields that they come from.
 */
export function textSpec(spec: Doc, pattern: Doc): Doc {
  for (const option of ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression'])
    if (spec.has(option)) throw cannotCreate(`A text index cannot have the option '${option}'`);
  if (stringArg(spec, 'default_language') !== 'none') throw cannotCreate("The default_language of a text index must be 'none'");
  for (const [name, weight] of docArg(spec, 'weights') ?? [])
    if (pattern.get(name) !== 'text' || !isNumber(weight) || Number(weight.toString()) !== 1)
      throw cannotCreate('A text index can have no weights but 1');
  const fields = [...pattern];
  const first = fields.findIndex(([, direction]) => direction === 'text');
  const texts = fields.slice(first).map(([name]) => name);
  if (texts.includes('$**')) throw cannotCreate('A text index must name its fields');
  if (fields.slice(first).some(([, direction]) => direction !== 'text'))
    throw cannotCreate("The 'text' fields of an index must be its last ones");
  const weights: Doc = new Map(texts.sort().map((name) => [name, new Int32(1)]));
  return new Map<string, Value>([
    ...spec,
    ['key', new Map<string, Value>([...fields.slice(0, first), ['_fts', 'text'], ['_ftsx', new Int32(1)]])],
    ['weights', weights],
    ['default_language', 'none'],
    ['language_override', stringArg(spec, 'language_override') ?? 'language'],
    ['textIndexVersion', new Int32(3)],
  ]);
}

function cannotCreate(message: string): DatabaseError {
  return new DatabaseError(67, message);
}
