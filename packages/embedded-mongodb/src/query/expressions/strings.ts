import { BSONRegExp, Int32, ObjectId } from 'bson';
import { DatabaseError } from '../errors.ts';
import { integerOf } from '../match-operators.ts';
import { isNumber, typeName, type Value } from '../value.ts';
import { indexArgument } from './arrays.ts';
import { binaryOperator, isNullish, listOperator, type Maybe, namedOperator, type Operator, unaryOperator } from './operator.ts';
import { REGEXES } from './regexes.ts';
import { textOf } from './text-of.ts';

const TRIM_CODES = { notObject: 50696, unknown: 50694, absent: 50695 };
const REPLACE_CODES = { notObject: 51751, unknown: 51750, absent: { input: 51749, find: 51748, replacement: 51747 } };
/** What `$trim` takes away when nothing is said: MongoDB's list of white space. */
const BLANKS = '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

/** Operators on texts. */
export const STRINGS: Readonly<Record<string, Operator>> = {
  ...REGEXES,
  $concat: listOperator(0, Number.POSITIVE_INFINITY, (args) => {
    let result = '';
    for (const arg of args) {
      if (isNullish(arg)) return null;
      if (typeof arg !== 'string') throw new DatabaseError(16702, `$concat only supports strings, not ${typeName(arg)}`);
      result += arg;
    }
    return result;
  }),
  // Only the letters of ASCII have two cases here, as in MongoDB.
  $toLower: unaryOperator((text) => coerced(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  $toUpper: unaryOperator((text) => coerced(text).replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  $strcasecmp: binaryOperator((a, b) => {
    const fold = (text: Maybe) => Buffer.from(coerced(text).replace(/[a-z]+/g, (letters) => letters.toUpperCase()));
    return new Int32(Buffer.compare(fold(a), fold(b)));
  }),
  $strLenCP: unaryOperator((text) => new Int32([...required(text, '$strLenCP', 34471)].length)),
  $strLenBytes: unaryOperator((text) => new Int32(Buffer.byteLength(required(text, '$strLenBytes', 34473)))),
  $split: binaryOperator((text, separator) => {
    if (isNullish(text) || isNullish(separator)) return null;
    const input = required(text, '$split', 40085);
    if (separator instanceof BSONRegExp)
      throw new DatabaseError(
        40086,
        '$split requires an expression that evaluates to a string as a second argument, found: regex',
      );
    const by = required(separator, '$split', 40086);
    if (by === '') throw new DatabaseError(40087, '$split requires a non-empty separator');
    return input.split(by);
  }),
  $substr: listOperator(3, 3, substrBytes),
  $substrBytes: listOperator(3, 3, substrBytes),
  $substrCP: listOperator(3, 3, ([text, from, length]) => {
    const start = positionArgument(from, 34450, 34451, 34455);
    const count = positionArgument(length, 34452, 34453, 34454);
    return [...coerced(text)].slice(start, start + count).join('');
  }),
  $indexOfCP: listOperator(2, 4, ([text, part, from, to]) => {
    if (isNullish(text)) return null;
    const input = [...required(text, '$indexOfCP', 40093)];
    const token = required(part, '$indexOfCP', 40094);
    const start = indexArgument(from, '$indexOfCP', 'starting', 0);
    const end = indexArgument(to, '$indexOfCP', 'ending', input.length);
    if (start > input.length || end < start) return new Int32(-1);
    const within = input.slice(start, end).join('');
    const at = within.indexOf(token);
    return new Int32(at < 0 ? -1 : start + [...within.slice(0, at)].length);
  }),
  $indexOfBytes: listOperator(2, 4, ([text, part, from, to]) => {
    if (isNullish(text)) return null;
    const input = Buffer.from(required(text, '$indexOfBytes', 40091));
    const token = Buffer.from(required(part, '$indexOfBytes', 40092));
    const start = indexArgument(from, '$indexOfBytes', 'starting', 0);
    const end = indexArgument(to, '$indexOfBytes', 'ending', input.length);
    if (start > input.length || end < start) return new Int32(-1);
    return new Int32(input.subarray(0, end).indexOf(token, start));
  }),
  $trim: trim(true, true),
  $ltrim: trim(true, false),
  $rtrim: trim(false, true),
  $replaceOne: replace((input, find, replacement) => {
    const at = input.indexOf(find);
    return at < 0 ? input : input.slice(0, at) + replacement + input.slice(at + find.length);
  }),
  $replaceAll: replace((input, find, replacement) => {
    if (find !== '') return input.replaceAll(find, () => replacement);
    // Nothing is found before each character and at the end.
    return [...Array.from(input, (char) => replacement + char), replacement].join('');
  }),
};

function coerced(value: Maybe): string {
  if (isNullish(value)) return '';
  const text = typeof value === 'boolean' || value instanceof ObjectId ? undefined : textOf(value);
  if (text === undefined) throw new DatabaseError(16007, `can't convert from BSON type ${typeName(value)} to String`);
  return text;
}

function required(value: Maybe, name: string, code: number): string {
  if (typeof value !== 'string') throw new DatabaseError(code, `${name} requires a string argument, found: ${typeName(value)}`);
  return value;
}

function positionArgument(value: Maybe, notNumber: number, notWhole: number, negative: number): number {
  if (!isNumber(value))
    throw new DatabaseError(notNumber, `$substrCP: the position must be a numeric type (is BSON type ${typeName(value)})`);
  const whole = integerOf(value);
  if (whole === undefined)
    throw new DatabaseError(notWhole, `$substrCP: the position cannot be represented as a 32-bit integral value: ${value}`);
  if (whole < 0n) throw new DatabaseError(negative, '$substrCP: the position must be a nonnegative integer.');
  return Number(whole);
}

function substrBytes([text, from, length]: Maybe[]): Value {
  const bytes = Buffer.from(coerced(text));
  if (!isNumber(from))
    throw new DatabaseError(16034, `$substrBytes:  starting index must be a numeric type (is BSON type ${typeName(from)})`);
  if (!isNumber(length))
    throw new DatabaseError(16035, `$substrBytes:  length must be a numeric type (is BSON type ${typeName(length)})`);
  const start = Math.trunc(Number(from.toString()));
  const count = Math.trunc(Number(length.toString()));
  if (start < 0) throw new DatabaseError(50752, `$substrBytes:  starting index must be non-negative (got: ${start})`);
  const end = count < 0 ? bytes.length : Math.min(bytes.length, start + count);
  if (start >= bytes.length) return '';
  if (isContinuation(bytes[start]))
    throw new DatabaseError(28656, '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.');
  if (isContinuation(bytes[end]))
    throw new DatabaseError(28657, '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.');
  return bytes.toString('utf8', start, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function trim(start: boolean, end: boolean): Operator {
  return namedOperator(['input'], ['chars'], TRIM_CODES, (args, name) => {
    const { input } = args;
    const given = 'chars' in args;
    if (isNullish(input) || (given && isNullish(args.chars))) return null;
    if (typeof input !== 'string')
      throw new DatabaseError(50699, `${name} requires its input to be a string, got ${typeName(input)}`);
    const chars = given ? args.chars : BLANKS;
    if (typeof chars !== 'string')
      throw new DatabaseError(50700, `${name} requires 'chars' to be a string, got ${typeName(chars)}`);
    const set = new Set(chars);
    const points = [...input];
    let from = 0;
    let to = points.length;
    while (start && from < to && set.has(points[from] as string)) from++;
    while (end && to > from && set.has(points[to - 1] as string)) to--;
    return points.slice(from, to).join('');
  });
}

function replace(apply: (input: string, find: string, replacement: string) => string): Operator {
  return namedOperator(['input', 'find', 'replacement'], [], REPLACE_CODES, ({ input, find, replacement }, name) => {
    const texts = [input, find, replacement].map((value, i) => {
      if (typeof value === 'string' || isNullish(value)) return value;
      throw new DatabaseError(
        51746 - i,
        `${name} requires that '${['input', 'find', 'replacement'][i]}' be a string, found: ${typeName(value)}`,
      );
    });
    return texts.every((text) => typeof text === 'string') ? apply(...(texts as [string, string, string])) : null;
  });
}
