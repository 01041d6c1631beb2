import { domainToASCII } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isBlank } from 'chat-service-rules/texts';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parameter, Parameters } from '../../../lib/api/parameters.ts';
import type { JsonSchema } from '../../../lib/api/schema.ts';
import { loadPaths } from '../../../tools/harness/functions.ts';
import { nasty, valid } from '../../support/arbitraries.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

type Row = [title: string, name: string, parameter: Parameter, place: 'path' | 'query' | 'body'];

/** Every parameter, each rule once for each place. */
const rows = new Map<string, Row>();
for (const { path, operations } of await loadPaths()) {
  for (const [method, operation] of Object.entries(operations)) {
    for (const place of ['path', 'query', 'body'] as const) {
      for (const [name, parameter] of Object.entries((operation[place] ?? {}) as Parameters)) {
        const key = JSON.stringify([name, place, parameter.schema, parameter.bodySchema, parameter.rule]);
        if (!rows.has(key)) rows.set(key, [`${method} ${path}: '${name}' in the ${place}`, name, parameter, place]);
      }
    }
  }
}

/**
 * Rules that no schema can express: the characters of one emoji, bcrypt's 72 bytes, common
 * passwords, and the most words of a search.
 */
const isStricter = new Set(['password', 'q', 'emoji', 'status']);

// The pattern of a schema knows the blank characters of the basic plane alone.
const isBlankBeyond = (sent: unknown) => typeof sent === 'string' && isBlank(sent) && /[\u{10000}-\u{10ffff}]/u.test(sent);

// Nor which letters, and which numbers, make a host.
const isNoHost = (sent: unknown) => typeof sent === 'string' && domainToASCII(sent.replace(/^.*@/, '')) === '';

// Nor which characters control a terminal: these are refused with their place.
const hasFault = ({ fault }: Parameter, sent: unknown) => fault?.(sent) !== undefined;

describe('the schemas of parameters', () => {
  it.each([...rows.values()])('a schema allows only the input that the service reads: %s', (_title, name, parameter, place) => {
    const schema = (place === 'body' ? parameter.bodySchema : undefined) ?? parameter.schema;
    const validate = ajv.compile(schema);
    const read = (sent: unknown) => {
      const { parse } = parameter;
      return parameter.read(place !== 'body' && parse && typeof sent === 'string' ? parse(sent) : sent) !== undefined;
    };
    // A text in a query becomes a number if its schema requires one (OpenAPI 3.1, "style").
    const allows = (sent: unknown) =>
      validate(sent) || (place !== 'body' && typeof sent === 'string' && /^-?\d{1,16}$/.test(sent) && validate(Number(sent)));

    fc.assert(
      fc.property(around(schema, place), (sent) => {
        if (!allows(sent)) expect([sent, read(sent)]).toEqual([sent, false]);
        else if (
          !isStricter.has(name) &&
          !isBlankBeyond(sent) &&
          !hasFault(parameter, sent) &&
          !(name === 'email' && isNoHost(sent))
        )
          expect([sent, read(sent)]).toEqual([sent, true]);
      }),
      { numRuns: 300 },
    );
  });
});

/** Values that a schema allows, their neighbours, and any others. */
function around(schema: JsonSchema, place: Row[3]): Arbitrary<unknown> {
  const id = fc.stringMatching(/^[0-9a-fA-F]{24}$/);
  const good = fc.oneof(valid(schema, id), id, fc.stringMatching(/^[\w .@-]{0,70}$/), time, oddTexts);
  const near = good.chain((value) =>
    typeof value === 'string'
      ? fc
          .tuple(fc.nat(value.length), fc.constantFrom('', ' ', '\n', 'x', 'X', '0', '-', '\u212a', '\ufeff', '🦉'), fc.boolean())
          .map(([at, inserted, isCut]) => value.slice(0, at) + inserted + value.slice(isCut ? at + 1 : at))
          .filter((text) => text.isWellFormed())
      : typeof value === 'number'
        ? fc.constantFrom(value - 1, value + 1, value + 0.5, String(value), -value)
        : fc.constantFrom(value, [value], { $oid: value }, { $date: value }),
  );
  const any = fc.oneof(good, near, nasty);
  return place === 'body' ? any : any.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

const two = (most: number) => fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'));
const time = fc
  .tuple(two(13), two(32), two(25), two(61), two(61), fc.constantFrom('Z', 'z', '', '+02:00', '-24:00', '.5Z', '.1234567890Z'))
  .map(([month, day, hour, minute, second, end]) => `2026-${month}-${day}T${hour}:${minute}:${second}${end}`);

const oddTexts = fc
  .array(fc.constantFrom('a', '\u00a0', '\u2028', '\ufeff', '\u200b', '\u3000', '\u0085', '🦉', 'e\u0301', '\n'), {
    maxLength: 70,
  })
  .map((parts) => parts.join(''));
