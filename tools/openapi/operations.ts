import type { Parameter, Parameters } from '../../lib/api/parameters.ts';
import type { JsonSchema } from '../../lib/api/schema.ts';
import type { Operation, Operations, Refusals } from '../../lib/http/operation.ts';
import type { Step } from '../harness/walkthrough.ts';
import { errors } from './errors.ts';
import { everywhere, type Headers, link, onEmpty, onSuccess, replayed, sometimes } from './headers.ts';
import { operationId, tagOf, variableSchema, variablesOf } from './names.ts';

type Defined = Operations[string];

/** An operation as OpenAPI describes it, with every schema and header still in place. */
export function describeOperation(method: string, path: string, defined: Defined, example: Step | undefined) {
  const { summary, access, scope, body } = defined;
  return {
    operationId: operationId(method, path),
    summary,
    description: whoMayCall(defined),
    tags: [tagOf(path)],
    ...(access === 'anyone' ? { security: [{}, { token: [] }] } : { security: [{ token: scope ? [scope] : [] }] }),
    ...(access === 'admin' && { 'x-admin-only': true }),
    ...parametersOf(path, defined, example),
    ...(body && { requestBody: requestBody(method, defined, example) }),
    responses: { [defined.status]: successOf(defined, example), ...refusalsOf(path, method, defined) },
  };
}

function whoMayCall({ access, scope }: Defined): string {
  const who = {
    anyone: 'Anyone may call it, also without a token.',
    user: 'It takes a token.',
    admin: "It takes an administrator's token.",
  }[access as 'anyone' | 'user' | 'admin'];
  return scope ? `${who} A token with scopes needs \`${scope}\`.` : who;
}

function parametersOf(path: string, { query = {}, isIdempotent }: Defined, example: Step | undefined) {
  const exampleOf = (name: string, values: Record<string, string> = {}) => name in values && { example: asJson(values[name]) };
  const all = [
    ...variablesOf(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: variableSchema(name),
      ...exampleOf(name, example?.variables),
    })),
    ...Object.entries(query as Parameters).map(([name, parameter]) => ({
      name,
      in: 'query',
      required: !parameter.optional,
      description: ruleOf(parameter),
      schema: parameter.schema,
      ...exampleOf(name, example?.query),
    })),
    ...(isIdempotent ? [idempotencyKey] : []),
  ];
  return all.length > 0 && { parameters: all };
}

const asJson = (text: string | undefined) => (text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text);

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a retry safe: the same key from the same account gives the first answer again.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const ruleOf = ({ rule }: Parameter) => `Must ${rule}.`;

function requestBody(method: string, { body, needsAny }: Defined, example: Step | undefined) {
  const parameters = Object.entries(body as Parameters);
  const required = parameters.filter(([, { optional }]) => !optional).map(([name]) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(([name, parameter]) => [
        name,
        { description: ruleOf(parameter), ...(parameter.bodySchema ?? parameter.schema) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    ...(needsAny && { anyOf: parameters.map(([name]) => ({ required: [name] })) }),
  };
  const content = { schema, ...(example?.body !== undefined && { example: example.body }) };
  return { required: method !== 'DELETE', content: { 'application/json': content } };
}

function successOf({ status, answer, headers = {}, query, isIdempotent }: Defined, example: Step | undefined) {
  const own = Object.fromEntries(
    Object.entries(headers as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => [
      name,
      sometimes(String(description), schema),
    ]),
  );
  const all: Headers = {
    ...everywhere,
    ...(answer ? onSuccess : onEmpty),
    ...(query && 'limit' in query && 'after' in query && { Link: link }),
    ...(isIdempotent && { 'Idempotency-Replayed': replayed }),
    ...own,
  };
  const shown = example?.answer === undefined ? {} : { example: example.answer };
  return {
    description: { 200: 'Done.', 201: 'Made.', 204: 'Done; there is no body.' }[status],
    headers: all,
    ...(answer && { content: { 'application/json': { schema: answer, ...shown } } }),
  };
}

/** The statuses of the refusals that an operation may answer, with the sentences that are known. */
function refusalsOf(path: string, method: string, defined: Defined) {
  const { access, scope, query, body, isIdempotent, refusals = {} } = defined as Operation<Parameters, Parameters, 'user'>;
  const sends = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const follows: Record<number, string[]> = {
    ...((query || body) && { 400: [] }),
    ...((access as string) !== 'anyone' && { 401: [] }),
    ...((access as string) === 'admin' && { 403: ['Admin required.'] }),
    ...(variablesOf(path).some((name) => name !== 'emoji') && { 404: [] }),
    406: sends ? ['The request has no body of JSON, or does not take JSON for an answer.'] : [],
    ...(body && { 413: [] }),
    ...(isIdempotent && { 400: [], 422: [] }),
    500: [],
    503: [],
  };
  if (scope) follows[403] = [...(follows[403] ?? []), `The token lacks the '${scope}' scope.`];
  for (const [status, sentences] of Object.entries(refusals as Refusals)) {
    follows[Number(status)] = [...(follows[Number(status)] ?? []), ...sentences];
  }
  return Object.fromEntries(Object.entries(follows).map(([status, sentences]) => [status, refusal(Number(status), sentences)]));
}

function refusal(status: number, sentences: string[]) {
  const error = errors[status];
  if (!error) throw new Error(`tools/openapi/errors.ts does not know the status ${status}`);
  return {
    $ref: `#/components/responses/${error.name}`,
    description: sentences.length > 0 ? sentences.join(' / ') : error.meaning,
  };
}
