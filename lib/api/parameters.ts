import { isObject } from 'chat-service-rules/objects';
import {
  blankCharacters,
  findControlCharacter,
  isBlank,
  normaliseCredential,
  normaliseName,
  normaliseText,
} from 'chat-service-rules/texts';
import type { ObjectId } from 'mongodb';
import { invalidParameter, missingParameter, notFound, type Refusal, unknownParameter } from '../base/errors.ts';
import { nearestName } from '../settings/nearest-name.ts';
import { parseId } from './extended-json.ts';
import { aNull, aToken, described, eitherOf, isToken, type JsonSchema } from './schema.ts';

/**
 * One parameter of a path, a query or a body: how to read it, and its JSON Schema. `read` gets the
 * value from the request, never undefined. It returns undefined if the value breaks the `rule`.
 */
export type Parameter<T = unknown> = {
  read: (sent: unknown) => T | undefined;
  /** Converts the text of a query for `read`; without it, `read` gets the text. */
  parse?: (text: string) => unknown;
  /** Completes "The 'limit' parameter must ...". */
  rule: string;
  /**
   * Completes the same sentence for a text that is always invalid, such as one with a control
   * character.
   */
  fault?: (sent: unknown) => string | undefined;
  schema: JsonSchema;
  /** The purpose, as a sentence for the API's description. The rule follows it there. */
  about?: string;
  /** The schema in a body, if a body allows more forms than a query. */
  bodySchema?: JsonSchema;
  optional?: boolean;
  /** The value if the parameter is omitted. */
  fallback?: T;
  /** The error for an unreadable value, if it is not a 400: an impossible id in a path is a 404. */
  refuse?: Refusal;
};

/** The parameters of an operation, by name. */
export type Parameters = Record<string, Parameter>;

/** The values of parameters after reading. */
export type Values<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends { fallback: infer T }
    ? T
    : P[Name] extends { optional: true }
      ? ValueOf<P[Name]> | undefined
      : ValueOf<P[Name]>;
};
type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/**
 * Reads the parameters from a request, in the order of their declaration; ignores everything else.
 * Throws the error of the first invalid one.
 */
export function readParameters<P extends Parameters>(parameters: P, sent: Record<string, unknown>): Values<P> {
  const values: Record<string, unknown> = {};
  for (const name in parameters) {
    const { read, rule, fault, optional, fallback, refuse } = parameters[name] as Parameter & { fallback?: unknown };
    const raw = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (raw === undefined && !optional) throw refuse?.() ?? missingParameter(name);
    const found = raw === undefined ? undefined : fault?.(raw);
    if (found !== undefined) throw invalidParameter(name, found);
    const value = raw === undefined ? fallback : read(raw);
    if (raw !== undefined && value === undefined) throw refuse?.() ?? invalidParameter(name, rule);
    if (value !== undefined) values[name] = value;
  }
  return values as Values<P>;
}

/** Reads each parameter from the texts of a query, a path or a command line. */
export function readTexts<P extends Parameters>(parameters: P, sent: Record<string, unknown>): Values<P> {
  const parsed: Record<string, unknown> = {};
  for (const name in parameters) {
    if (!Object.hasOwn(sent, name)) continue;
    const text = sent[name];
    const parse = parameters[name]?.parse;
    parsed[name] = parse && typeof text === 'string' ? parse(text) : text;
  }
  return readParameters(parameters, parsed);
}

/** Requires that a time is in the future: 400 with the name of its parameter. */
export function requireFuture(name: string, time: Date | null | undefined): void {
  if (time && time.getTime() <= Date.now()) throw invalidParameter(name, 'be in the future');
}

/** Refuses a value without a parameter: 400, with the most similar name. */
export function requireKnown(parameters: Parameters, sent: Record<string, unknown>): void {
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) throw unknownParameter(unknown, nearestName(unknown, Object.keys(parameters)));
}

/**
 * Throws a 400 if more than one of the parameters has a value. It names the second, in the order of
 * `names`.
 */
export function requireAtMostOne<Name extends string>(names: readonly Name[], values: { [N in Name]?: unknown }): void {
  const [one, another] = names.filter((name) => values[name] !== undefined);
  if (another !== undefined) throw invalidParameter(another, `not be combined with '${one}'`);
}

/** A parameter with its purpose, as a sentence for the API's description. */
export const about = <P extends Parameter>(text: string, parameter: P) => ({ ...parameter, about: text });

/** A parameter that may be omitted. */
export const optional = <P extends Parameter>(parameter: P) => ({ ...parameter, optional: true }) as const;

/** A parameter with a default value. */
export const withDefault = <T>(parameter: Parameter<T>, fallback: T) => ({ ...parameter, optional: true, fallback }) as const;

/** A parameter in a body that can be null, which removes the stored value. */
export const orNone = <T>({ read, rule, schema, bodySchema = schema }: Parameter<T>): Parameter<T | null> => ({
  read: (sent) => (sent === null ? null : read(sent)),
  rule: `be null, or ${rule.replace(/^be /, '')}`,
  schema: eitherOf(aNull, bodySchema),
});

/** Text of `least` to `most` code points that is not blank. */
export const text = (least: number, most: number): Parameter<string> => visibleText(normaliseText, least, most);

/** One line of `least` to `most` code points that is not blank. */
export const nameText = (least: number, most: number): Parameter<string> => visibleText(normaliseName, least, most);

/** One line of 1 to `most` code points before it is read; the value is trimmed and in NFC. */
export const trimmedText = (most: number): Parameter<string> => {
  const line = nameText(1, most);
  const read = (sent: string) => (isWithin(sent, 1, most) ? line.read(sent.normalize('NFC').trim()) : undefined);
  return { ...line, read: (sent) => (typeof sent === 'string' ? read(sent) : undefined) };
};

const visibleText = (normalise: (sent: string) => string, least: number, most: number): Parameter<string> => ({
  read: reading((sent) => (isWithin(sent, least, most) && !isBlank(sent) ? sent : undefined), normalise),
  rule: `have ${least} to ${most} characters and not be blank`,
  fault: controlCharacterOf(normalise),
  schema: { type: 'string', minLength: least, maxLength: most, pattern: `[^${blankCharacters}]` },
});

/** Text of up to `most` code points. A text without visible characters is read as empty. */
export const textUpTo = (most: number): Parameter<string> => ({
  read: reading((sent) => (isWithin(sent, 0, most) ? (isBlank(sent) ? '' : sent) : undefined)),
  rule: `be a text of at most ${most} characters`,
  fault: controlCharacterOf(normaliseText),
  schema: { type: 'string', maxLength: most },
});

/**
 * Reads a text in the form that is stored. Returns undefined for a text with a control character,
 * even if the caller does not check `fault`.
 */
const reading =
  <T>(read: (text: string) => T | undefined, normalise = normaliseText) =>
  (sent: unknown): T | undefined => {
    if (typeof sent !== 'string') return undefined;
    const text = normalise(sent);
    return findControlCharacter(text) ? undefined : read(text);
  };

const controlCharacterOf = (normalise: (sent: string) => string) => (sent: unknown) => {
  const found = typeof sent === 'string' ? findControlCharacter(normalise(sent)) : undefined;
  return found && `not have the control character ${found.code} (line ${found.line}, character ${found.character})`;
};

/** True or false, in a body. */
export const flag: Parameter<boolean> = {
  read: (sent) => (typeof sent === 'boolean' ? sent : undefined),
  rule: 'be true or false',
  schema: { type: 'boolean' },
};

/** A text that is one of these words. */
export const oneOf = <const Choice extends string>(...choices: Choice[]): Parameter<Choice> => ({
  read: (sent) => choices.find((choice) => choice === sent),
  rule: `be ${choices.map((choice) => `'${choice}'`).join(' or ')}`,
  schema: { type: 'string', enum: choices },
});

/** Any text that is not empty, for values that are only compared and never stored. */
export const anyText: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && sent !== '' ? sent : undefined),
  rule: 'be a text that is not empty',
  fault: controlCharacterOf(String),
  schema: { type: 'string', minLength: 1 },
};

/**
 * A text that a person typed or pasted to sign in: blanks around it are removed. The schema must
 * have a pattern that matches the whole text.
 */
export const credential = <T>(parameter: Parameter<T>): Parameter<T> => ({
  ...parameter,
  read: (sent) => parameter.read(typeof sent === 'string' ? normaliseCredential(sent) : sent),
  schema: { ...parameter.schema, pattern: String(parameter.schema.pattern).replace(/^\^(.*)\$$/, `^${blanks}$1${blanks}$$`) },
});

const blanks = `[${blankCharacters}]*`;

/** A text in the format of a token; `thing` names it in errors, such as 'a code'. */
export const tokenOf = (thing: string): Parameter<string> =>
  credential({
    read: (sent) => (isToken(sent) ? sent : undefined),
    rule: `be the 32 characters of ${thing}`,
    schema: aToken,
  });

/** A whole number, in a query or a body. */
export const integer = (least: number, most: number): Parameter<number> => ({
  read: (sent) => (typeof sent === 'number' && Number.isInteger(sent) && sent >= least && sent <= most ? sent : undefined),
  parse: (text) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text),
  rule: `be from ${least} to ${most}`,
  schema: { type: 'integer', minimum: least, maximum: most },
});

/** A position in a room's order (`seq`). */
export const sequence = integer(0, Number.MAX_SAFE_INTEGER);

/** A list of some of these words; repeated words are allowed. */
export const someOf = <const Choice extends string>(choices: readonly Choice[]): Parameter<Choice[]> => ({
  read: (sent) => {
    if (!Array.isArray(sent)) return undefined;
    const chosen = choices.filter((choice) => sent.includes(choice));
    return sent.every((word) => choices.includes(word)) ? chosen : undefined;
  },
  rule: `be a list of some of ${choices.join(', ')}`,
  schema: { type: 'array', items: { enum: choices } },
});

// Extended JSON (`{"$oid": "..."}`), as in other objects of a body.
const sent = (title: string, key: string, schema: JsonSchema): JsonSchema => ({
  title,
  type: 'object',
  properties: { [key]: schema },
  required: [key],
});

// Leap seconds are excluded: `Date` cannot represent them.
const time = '^(\\d{4}-\\d\\d-\\d\\d)T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$';
const isoTime = new RegExp(time);
const bareTime = { type: 'string', format: 'date-time', pattern: time };

/** A point in time: ISO 8601 with its zone, in a body also `{"$date": "..."}`. */
export const dateTime: Parameter<Date> = {
  read: (sent) => {
    const text = isObject(sent) ? sent.$date : sent;
    const [, day = ''] = (typeof text === 'string' && isoTime.exec(text)) || [];
    // `Date` turns the 30th of February into the 2nd of March.
    if (new Date(`${day}T00:00:00Z`).getUTCDate() !== Number(day.slice(8))) return undefined;
    const date = new Date(text as string);
    return Number.isNaN(date.getTime()) ? undefined : date;
  },
  rule: "be a time such as '2026-11-21T04:04:42.123Z'",
  schema: bareTime,
  bodySchema: eitherOf(sent('SentTime', '$date', described('The time, as ISO 8601 with its zone.', bareTime)), bareTime),
};

const bareId = { type: 'string', pattern: '^[0-9a-fA-F]{24}$' };

/** An id: 24 hexadecimal characters, in a body also `{"$oid": "..."}`. */
export const id: Parameter<ObjectId> = {
  read: (sent) => parseId(isObject(sent) ? sent.$oid : sent),
  rule: 'be an id of 24 hexadecimal characters',
  schema: bareId,
  bodySchema: eitherOf(sent('SentId', '$oid', described('The 24 hexadecimal characters of the id.', bareId)), bareId),
};

/** The id of a thing, in a path; an impossible id is a 404. */
export const idOf = (thing: string): Parameter<ObjectId> => ({
  ...about(`The ${thing}.`, id),
  read: parseId,
  refuse: () => notFound(thing),
});

/** The id of a thing, in a path, or a word in place of an id. */
export const idOr = <const Word extends string>(word: Word, thing: string): Parameter<ObjectId | Word> => ({
  ...idOf(thing),
  read: (sent) => (sent === word ? word : parseId(sent)),
  schema: { anyOf: [{ const: word }, bareId] },
});

// A string has at most as many code points as code units, and at least half as many. So a long one
// need not be counted.
function isWithin(value: string, least: number, most: number): boolean {
  if (value.length < least || value.length > 2 * most) return false;
  const points = surrogate.test(value) ? [...value].length : value.length;
  return points >= least && points <= most;
}

const surrogate = /[\ud800-\udfff]/;
