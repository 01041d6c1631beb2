import type { Request } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { isObject } from 'chat-service-rules/objects';
import { findControlCharacter, normaliseText } from 'chat-service-rules/texts';
import { limits } from '../../api/limits.ts';
import { type HttpError, invalidJson, payloadTooLarge } from '../../base/errors.ts';
import { type Operations, operationFor } from '../operation.ts';
import type { ApiEvent, Step } from '../request.ts';

/** How deep arrays and objects of a body may be nested. */
const deepestNesting = 32;

// The media type was checked before, with the specification's 406.
const { before: parseJson } = httpJsonBodyParser({ disableContentTypeCheck: true });

/**
 * Reads the body of operations that take one; an empty body lacks all parameters. Refuses, with
 * 400, bodies that would not survive storage: nesting that is too deep to walk, `__proto__`, and
 * lone surrogates. BSON turns each lone surrogate into U+FFFD, so two different texts would become
 * equal. Control characters are refused here in fields that the operation does not declare.
 */
export function jsonBody(operations: Operations): Step<{ json?: Record<string, unknown> }> {
  return {
    before: function parseBody(request) {
      const { event } = request;
      const { body: declared } = operationFor(operations, event);
      if (!declared) return undefined;
      const bytes = event.isBase64Encoded ? bytesOf(event) : undefined;
      const size = bytes ? bytes.length : Buffer.byteLength(event.body ?? '');
      if (size > limits.jsonBody) throw payloadTooLarge(limits.jsonBody);
      const accept = (json: Record<string, unknown>) => {
        event.json = json;
        for (const name in json) check(json[name], 2, !Object.hasOwn(declared, name));
      };
      if (size === 0) return accept({});
      const text = bytes ? decodeBody(bytes) : withoutMark(event.body ?? '');
      const plain = parsePlain(text);
      return plain ? accept(plain) : parse(request, text).then(accept);
    },
  };
}

/** The body of a request as it came. */
export const bytesOf = ({ body = '', isBase64Encoded }: ApiEvent) => Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

/** Removes a byte order mark from the start of a text. */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** Bodies with such a name, possibly escaped, go to the parser that refuses it. */
const mayHaveForbiddenName = /__proto__|constructor|\\u/;

/**
 * Parses an object that cannot have a forbidden name: several times as fast as the parser that
 * looks at each name.
 */
function parsePlain(text: string): Record<string, unknown> | undefined {
  if (mayHaveForbiddenName.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed)) return undefined;
    for (const name in parsed) checkText(name);
    return parsed;
  } catch (error) {
    // The other parser describes the fault.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function parse(request: Request<ApiEvent>, text: string): Promise<Record<string, unknown>> {
  const event = request.event as Omit<ApiEvent, 'body'> & { body: unknown };
  event.body = text;
  event.isBase64Encoded = false;
  try {
    await parseJson?.(request);
  } catch (error) {
    throw refusalOf((error as { cause?: ParserFailure }).cause, event.body);
  }
  if (!isObject(event.body)) throw invalidJson();
  for (const name of Object.keys(event.body)) checkText(name);
  return event.body;
}

type ParserFailure = { data?: unknown; message?: string };

/**
 * The contract's 400 for a failure of the parser: a forbidden key, nesting that overflows the
 * stack, or invalid JSON.
 */
function refusalOf({ data, message = '' }: ParserFailure = {}, body: unknown): HttpError {
  if (data !== body) return invalidJson(`The request body must not have a '${data}' field.`);
  return /call stack/.test(message) ? nestedTooDeep() : invalidJson();
}

const nestedTooDeep = () => invalidJson(`The request body must not be nested deeper than ${deepestNesting} levels.`);

/** The text of a body: 400 if it is not UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidJson('The request body is not valid UTF-8.');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Checks a body as `jsonBody()` does; control characters are left to the rules of its values. */
export const checkJson = (body: Record<string, unknown>): void => check(body, 1, false);

function check(value: unknown, depth: number, isUnknown: boolean): void {
  if (typeof value === 'string') checkText(value, isUnknown);
  if (typeof value !== 'object' || value === null) return;
  if (depth > deepestNesting) throw nestedTooDeep();
  for (const [key, member] of Object.entries(value)) {
    checkText(key);
    check(member, depth + 1, isUnknown);
  }
}

// A declared parameter has its own rule, which reports the position of a control character.
function checkText(text: string, isUnknown = true): void {
  if (!text.isWellFormed()) throw invalidJson('The request body must not have a lone surrogate in a text.');
  if (isUnknown && findControlCharacter(normaliseText(text)))
    throw invalidJson('The request body must not have control characters other than tab and newline in a text.');
}
