import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../lib/api/schema.ts';
import type { Parameter } from '../../lib/reference/openapi.ts';
import type { ListedOperation } from '../../tools/harness/example-requests.ts';
import { nasty, nastyText, valid } from './arbitraries.ts';

/**
 * A random request, which may violate the contract. If `isInvalid` is set, it does, so it must not
 * succeed.
 */
export type FuzzedRequest = {
  method: string;
  address: string;
  who: 'admin' | 'user' | 'nobody' | 'stranger';
  headers: Record<string, string>;
  body?: unknown;
  isInvalid: boolean;
};

/** Requests to any of the operations, with any of the ids. */
export const anyRequest = (operations: ListedOperation[], ids: Arbitrary<string>): Arbitrary<FuzzedRequest> =>
  fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({
        path: pathOf(operation, ids),
        query: queryOf(operation, ids),
        body: bodyOf(operation, ids),
        who: fc.constantFrom('admin', 'admin', 'admin', 'user', 'user', 'user', 'user', 'nobody', 'stranger'),
        headers: headersOf(operation),
      })
      .map(({ path, query, body, who, headers }) => ({
        method: operation.method,
        address: query.search ? `${path}?${query.search}` : path,
        who,
        headers,
        ...(body.sent !== undefined && { body: body.sent }),
        isInvalid: query.isInvalid || body.isInvalid,
      })),
  );

function pathOf({ path, parameters = [] }: ListedOperation, ids: Arbitrary<string>): Arbitrary<string> {
  const variables = parameters.filter((parameter) => parameter.in === 'path');
  const values = variables.map(({ name, schema }) =>
    fc
      .oneof({ weight: 9, arbitrary: valid(schema, ids).map(String) }, { weight: 1, arbitrary: nastyText })
      .map((value) => [name, value] as const),
  );
  return fc.tuple(...values).map((pairs) => {
    const filled = Object.fromEntries(pairs);
    return path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      // Clients cannot send a path segment of one or two dots: URLs drop it, encoded or not.
      encodeURIComponent((filled[name] ?? '').toWellFormed())
        .replace(/^\.\.?$/, 'dots')
        .replaceAll('.', '%2E'),
    );
  });
}

function queryOf(
  { parameters = [] }: ListedOperation,
  ids: Arbitrary<string>,
): Arbitrary<{ search: string; isInvalid: boolean }> {
  const declared = parameters.filter((parameter) => parameter.in === 'query');
  const sent = declared.map((parameter) =>
    fc.oneof(
      { weight: 6, arbitrary: present(parameter, valid(parameter.schema, ids).map(String)) },
      { weight: parameter.required ? 1 : 6, arbitrary: fc.constant({ pairs: [], isInvalid: parameter.required }) },
      { weight: 1, arbitrary: present(parameter, nastyText) },
    ),
  );
  const stray = fc.option(fc.tuple(nastyText, nastyText), { nil: undefined, freq: 10 });
  return fc.tuple(stray, ...sent).map(([other, ...all]) => {
    const pairs = [...all.flatMap(({ pairs: some }) => some), ...(other ? [other] : [])];
    const search = new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()]),
    );
    return {
      search: search.toString(),
      isInvalid: all.some(({ isInvalid }) => isInvalid) && !(other && declared.some(({ name }) => name === other[0])),
    };
  });
}

const present = ({ name }: Parameter, values: Arbitrary<string>) =>
  values.map((value) => ({ pairs: [[name, value]] as [string, string][], isInvalid: false }));

type Body = { sent?: unknown; isInvalid: boolean };

function bodyOf({ requestBody }: ListedOperation, ids: Arbitrary<string>): Arbitrary<Body> {
  if (!requestBody) return fc.option(nasty, { nil: undefined, freq: 20 }).map((sent) => ({ sent, isInvalid: false }));
  const { properties = {}, required = [] } = (requestBody.content['application/json']?.schema ?? {}) as ObjectSchema;
  const whole = fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valid(schema, ids)])), {
    requiredKeys: required,
  });
  const names = Object.keys(properties);
  const choices: fc.WeightedArbitrary<Body>[] = [
    { weight: 12, arbitrary: whole.map((sent) => ({ sent, isInvalid: false })) },
    {
      weight: 1,
      arbitrary: fc
        .dictionary(fc.string(), nasty)
        .map((extra) => ({ sent: extra, isInvalid: required.some((name) => !Object.hasOwn(extra, name)) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          '',
          '{',
          '[]',
          'null',
          '"x"',
          '7',
          '{"a":"\\u0000"}',
          '{"a":"\\ud800"}',
          '{"__proto__":{}}',
          '['.repeat(5000),
        )
        .map((sent) => ({ sent, isInvalid: sent !== '' || required.length > 0 })),
    },
  ];
  if (names.length > 0) {
    const broken = fc
      .tuple(whole, fc.constantFrom(...names), nasty)
      .map(([sent, name, value]) => ({ sent: { ...(sent as object), [name]: value }, isInvalid: false }));
    choices.push({ weight: 4, arbitrary: broken });
  }
  if (required.length > 0) {
    const lacking = fc.tuple(whole, fc.constantFrom(...required)).map(([sent, name]) => {
      const { [name]: _left, ...rest } = sent as Record<string, unknown>;
      return { sent: rest, isInvalid: true };
    });
    choices.push({ weight: 1, arbitrary: lacking });
  }
  return fc.oneof(...choices);
}

type ObjectSchema = { properties?: Record<string, JsonSchema>; required?: string[] };

function headersOf({ parameters = [] }: ListedOperation): Arbitrary<Record<string, string>> {
  const rarely = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 12 });
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  return fc
    .record({
      accept: rarely('*/*', 'text/html', 'application/json;q=0', 'a', '', '*/*;q=2'),
      'content-type': rarely('text/plain', 'application/json;charset=utf-16', 'application/problem+json', '', ';'),
      'accept-encoding': rarely('br', 'gzip, br;q=0', '*', 'zstd'),
      origin: rarely('https://example.org', 'null'),
      'idempotency-key': takesKey
        ? fc.option(fc.constantFrom('one', 'two', 'three', '', 'ü', 'x'.repeat(256)), { nil: undefined })
        : fc.constant(undefined),
    })
    .map(
      (headers) =>
        Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>,
    );
}
