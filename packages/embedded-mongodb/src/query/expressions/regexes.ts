import { BSONRegExp, Int32 } from 'bson';
import { DatabaseError } from '../errors.ts';
import { compileRegex } from '../regex.ts';
import type { Doc, Value } from '../value.ts';
import { isNullish, type Maybe, namedOperator, type Operator } from './operator.ts';

const CODES = { notObject: 51103, unknown: 31024, absent: { input: 31022, regex: 31023 } };

/** Operators with regular expressions. */
export const REGEXES: Readonly<Record<string, Operator>> = {
  $regexMatch: finder((input, pattern) => pattern.test(input), false),
  $regexFind: finder((input, pattern) => {
    const found = pattern.exec(input);
    return found === null ? null : described(found);
  }, null),
  $regexFindAll: finder(
    (input, pattern) =>
      Array.from(input.matchAll(new (pattern.constructor as RegExpConstructor)(pattern, `${pattern.flags}g`)), described),
    [],
  ),
};

function finder(find: (input: string, pattern: RegExp) => Value, absent: Value): Operator {
  return namedOperator(['input', 'regex'], ['options'], CODES, ({ input, regex, options }, name) => {
    if (!isNullish(input) && typeof input !== 'string')
      throw new DatabaseError(51104, `${name} needs 'input' to be of type string`);
    const pattern = patternOf(regex, options, name);
    return isNullish(input) || pattern === undefined ? absent : find(input, pattern);
  });
}

/** Patterns come with every document but seldom change, so the last ones are kept. */
const compiled = new Map<string, RegExp>();
const MAX_COMPILED = 100;

function patternOf(regex: Maybe, options: Maybe, name: string): RegExp | undefined {
  if (!isNullish(options) && typeof options !== 'string')
    throw new DatabaseError(51106, `${name} needs 'options' to be of type string`);
  if (isNullish(regex)) return undefined;
  if (regex instanceof BSONRegExp && regex.options !== '' && !isNullish(options)) {
    throw new DatabaseError(51107, `${name}: regex option(s) specified in both 'regex' and 'option' fields`);
  }
  if (typeof regex !== 'string' && !(regex instanceof BSONRegExp))
    throw new DatabaseError(51105, `${name} needs 'regex' to be of type string or regex`);
  const source = typeof regex === 'string' ? regex : regex.pattern;
  const flags = (options ?? (typeof regex === 'string' ? '' : regex.options)) as string;
  if (!/^[imsxu]*$/.test(flags)) throw new DatabaseError(51108, `${name}: invalid flag in regex options: ${flags}`);
  if (source.includes('\0')) throw new DatabaseError(51109, `${name}: regular expression cannot contain an embedded null byte`);
  const key = `${flags}/${source}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  const made = compileRegex(source, flags);
  compiled.set(key, made);
  return made;
}

function described(found: RegExpExecArray): Doc {
  return new Map<string, Value>([
    ['match', found[0]],
    ['idx', new Int32([...found.input.slice(0, found.index)].length)],
    ['captures', found.slice(1).map((capture) => capture ?? null)],
  ]);
}
