import { invalidJson } from '../errors.ts';
import { isObject } from './parameters.ts';

/** How deep arrays and objects of a body may be nested. */
export const deepestNesting = 32;

/**
 * Reads a JSON object from a request's body, and refuses what would not survive the way into the database and out again:
 * nesting that breaks whoever walks it, `__proto__`, NUL and other control characters, and halves of surrogate pairs,
 * which BSON turns into U+FFFD so that two different texts become one.
 */
export function parseJsonObject(body: string): Record<string, unknown> {
  const value = parse(body);
  if (!isObject(value)) throw invalidJson();
  check(value, 1);
  return value;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidJson();
  }
}

function check(value: unknown, depth: number): void {
  if (typeof value === 'string') checkText(value);
  if (typeof value !== 'object' || value === null) return;
  if (depth > deepestNesting) throw invalidJson(`The request body must not be nested deeper than ${deepestNesting} levels.`);
  if (Array.isArray(value)) {
    for (const element of value) check(element, depth + 1);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') throw invalidJson("The request body must not have a '__proto__' field.");
    checkText(key);
    check(member, depth + 1);
  }
}

function checkText(text: string): void {
  if (!text.isWellFormed()) throw invalidJson('The request body must not have a lone surrogate in a text.');
  if (controlCharacter.test(text))
    throw invalidJson('The request body must not have control characters but tab and newline in a text.');
}

// Every code point of the category Cc but tab and newline.
const controlCharacter = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Of the values that several requests may be answered with, the JSON, as soon as one of them was. */
const textsOfShared = new WeakMap<object, string>();

/** Has the JSON of a value, which nobody changes any more, made once for all requests that are answered with it. */
export function shareText<T extends object>(value: T): T {
  textsOfShared.set(value, '');
  return value;
}

/** The JSON of a value. */
export function toJson(value: unknown): string {
  const known = typeof value === 'object' && value !== null ? textsOfShared.get(value) : undefined;
  if (known === undefined) return JSON.stringify(value);
  const text = known || JSON.stringify(value);
  textsOfShared.set(value as object, text);
  return text;
}
