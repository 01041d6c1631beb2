import type { Parameter, Parameters } from '../../lib/api/parameters.ts';
import type { JsonSchema } from '../../lib/api/schema.ts';
import {
  adminRequired,
  type HttpError,
  invalidParameter,
  permissionDenied,
  type Refusal,
  tooManyRequests,
} from '../../lib/errors.ts';
import { isWrite, type Operation, type Operations } from '../../lib/http/operation.ts';
import type { Step } from '../harness/walkthrough.ts';
import { errors } from './errors.ts';
import { everywhere, type Headers, link, onEmpty, onSuccess, replayed, sometimes } from './headers.ts';
import { operationId, tagOf } from './names.ts';

type Defined = Operations[string];

/** An operation as OpenAPI describes it, before schemas and headers become references. */
export function describeOperation(method: string, path: string, defined: Defined, example: Step | undefined) {
  const { summary, access, scope, body } = defined;
  return {
    operationId: operationId(method, path),
    summary,
    description: whoMayCall(defined),
    tags: [tagOf(path)],
    ...(access === 'anyone'
      ? { security: [{}, { token: [] }, { cookie: [] }] }
      : { security: [{ token: scope ? [scope] : [] }, { cookie: [] }] }),
    ...(access === 'admin' && { 'x-admin-only': true }),
    ...parametersOf(defined, example),
    ...(body && { requestBody: requestBody(method, defined, example) }),
    responses: { [defined.status]: successOf(defined, example), ...refusalsOf(method, defined) },
  };
}

function whoMayCall({ access, scope }: Defined): string {
  const who = {
    anyone: 'Anyone may call it, even without a token.',
    user: 'It needs a token.',
    admin: "It needs an administrator's token.",
  }[access as 'anyone' | 'user' | 'admin'];
  const needed = [scope, access === 'admin' && 'admin'].filter((one, at, all) => one && all.indexOf(one) === at);
  return needed.length > 0 ? `${who} A token with scopes needs ${needed.map((one) => `\`${one}\``).join(' and ')}.` : who;
}

function parametersOf({ path = {}, query = {}, isIdempotent }: Defined, example: Step | undefined) {
  const exampleOf = (name: string, values: Record<string, string> = {}) => name in values && { example: asJson(values[name]) };
  const all = [
    ...Object.entries(path as Parameters).map(([name, parameter]) => ({
      name,
      in: 'path',
      required: true,
      description: ruleOf(parameter),
      schema: parameter.schema,
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
  description: 'Makes a retry safe: a repeated key from the same account gets the first answer again.',
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
    description: { 200: 'Success.', 201: 'Created.', 204: 'Success, without a body.' }[status],
    headers: all,
    ...(answer && { content: { 'application/json': { schema: answer, ...shown } } }),
  };
}

/** The error responses of an operation by status, with their sentences where these are known. */
function refusalsOf(method: string, defined: Defined) {
  const {
    access,
    scope,
    path,
    query,
    body,
    isIdempotent,
    refusals = [],
  } = defined as Operation<Parameters, Parameters, Parameters, 'user' | 'admin' | 'anyone'>;
  const sends = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const ofPath = Object.entries(path ?? {}).map(([name, { rule, refuse }]) => refuse?.() ?? invalidParameter(name, rule));
  const statuses = [
    ...(query || body || isIdempotent ? [400] : []),
    ...(access === 'anyone' ? [] : [401]),
    ...(body ? [413] : []),
    ...(isIdempotent ? [422] : []),
    ...[406, 500, 503],
  ];
  const known: HttpError[] = [
    ...(access === 'admin' ? [adminRequired()] : []),
    ...(scope ? [permissionDenied(`The token lacks the '${scope}' scope.`)] : []),
    ...(isWrite(method, defined) ? [tooManyRequests()] : []),
    ...ofPath.filter(({ status }) => status !== 404),
    ...refusals.map((refuse: Refusal) => refuse()),
  ];
  const all = new Set([...statuses, ...[...known, ...ofPath].map(({ status }) => status)]);
  return Object.fromEntries(
    [...all].map((status) => {
      const ofStatus = known.filter((one) => one.status === status).map(({ body }) => body?.description ?? '');
      const sentences = status === 406 && sends ? ['The request has no JSON body, or does not accept JSON.'] : ofStatus;
      return [status, refusal(status, [...new Set(sentences)])];
    }),
  );
}

function refusal(status: number, sentences: string[]) {
  const error = errors[status];
  if (!error) throw new Error(`tools/openapi/errors.ts does not know the status ${status}`);
  return {
    $ref: `#/components/responses/${error.name}`,
    description: sentences.length > 0 ? sentences.join(' / ') : error.meaning,
  };
}
