import type { Parameters } from '../../lib/api/parameters.ts';
import type { JsonSchema } from '../../lib/api/schema.ts';
import { adminRequired, type HttpError, invalidParameter, type Refusal, tooManyRequests } from '../../lib/base/errors.ts';
import { isWrite, type Operations } from '../../lib/http/operation.ts';
import { scopeRequired, secondFactorSetupRequired } from '../../lib/identity/caller.ts';
import type { Step } from '../harness/walkthrough.ts';
import {
  bytesOf,
  descriptionOf,
  foreignAnswers,
  foreignBody,
  formBody,
  type OperationDefinition,
  partOfBytes,
  requestBody,
  rpcAnswers,
  rpcBody,
} from './bodies.ts';
import { errors } from './errors.ts';
import {
  entityTag,
  everywhere,
  type Headers,
  link,
  onBytes,
  onBytesNotModified,
  onElsewhere,
  onEmpty,
  onNotModified,
  onPage,
  onPicture,
  onPictureNotModified,
  onSuccess,
  replayed,
  sometimes,
} from './headers.ts';
import { operationId, tagOf } from './names.ts';

/** An operation as OpenAPI describes it, before schemas and headers become references. */
export function describeOperation(method: string, route: string, defined: OperationDefinition, example: Step | undefined) {
  const { summary, access, scope, body, takesBytes, givesBytes, isForeign, isRpc, form } = defined;
  return {
    operationId: operationId(method, route),
    summary,
    description: whoMayCall(defined),
    tags: [tagOf(route)],
    ...(access === 'anyone'
      ? { security: [{}, { token: [] }, { bearer: [] }, { cookie: [] }] }
      : { security: [{ token: scope ? [scope] : [] }, { bearer: scope ? [scope] : [] }, { cookie: [] }] }),
    ...(access === 'admin' && { 'x-admin-only': true }),
    ...parametersOf(method, route, defined, example),
    ...(body && { requestBody: requestBody(method, route, defined, example) }),
    ...(takesBytes && { requestBody: { required: true, content: { '*/*': bytesOf(example?.body) } } }),
    ...(isForeign && { requestBody: foreignBody(example?.body) }),
    ...(isRpc && { requestBody: rpcBody(example?.body) }),
    ...(form && { requestBody: formBody(form, defined.example?.body) }),
    responses: {
      [defined.status]: successOf(defined, example),
      ...(isForeign && foreignAnswers),
      ...(givesBytes === 'file' && {
        206: partOfBytes(example?.answer),
        302: elsewhere,
        304: { ...notModified, headers: { ...everywhere, ...onBytesNotModified } },
      }),
      ...(givesBytes === 'picture' && {
        304: { ...notModified, headers: { ...everywhere, ...onPictureNotModified } },
      }),
      ...(defined.hasTag && method === 'GET' && { 304: notModified }),
      ...refusalsOf(method, defined),
      ...(isRpc && rpcAnswers(example?.answer)),
    },
  };
}

function whoMayCall({ access, scope }: OperationDefinition): string {
  const who = {
    anyone: 'Anyone may call it, even without a token.',
    user: 'It needs a token.',
    admin: "It needs an administrator's token.",
  }[access as 'anyone' | 'user' | 'admin'];
  const needed = [scope, access === 'admin' && 'admin'].filter((one, at, all) => one && all.indexOf(one) === at);
  return needed.length > 0 ? `${who} A token with scopes needs ${needed.map((one) => `\`${one}\``).join(' and ')}.` : who;
}

function parametersOf(
  method: string,
  route: string,
  { path = {}, query = {}, isIdempotent, hasTag, givesBytes, example: foreseen }: OperationDefinition,
  example: Step | undefined,
) {
  const inPlace = (place: 'path' | 'query', parameters: Parameters, values: Record<string, string> = {}) =>
    Object.entries(parameters).map(([name, parameter]) => ({
      name,
      in: place,
      required: !parameter.optional,
      description: descriptionOf(method, route, name, parameter),
      schema: parameter.schema,
      ...(name in values && { example: parameter.schema.type === 'integer' ? Number(values[name]) : values[name] }),
    }));
  const all = [
    ...inPlace('path', path, example?.variables ?? foreseen?.path),
    ...inPlace('query', query, example?.query ?? foreseen?.query),
    ...(isIdempotent ? [idempotencyKey] : []),
    ...(givesBytes === 'file' ? [range] : []),
    ...(givesBytes ? [ifNoneMatch] : []),
    ...(hasTag ? [method === 'GET' ? ifNoneMatch : ifMatch] : []),
  ];
  return all.length > 0 && { parameters: all };
}

const headerParameter = (name: string, description: string, schema: JsonSchema = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'Makes a retry safe: a repeated key from the same account gets the first answer again.',
  { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
);
const range = headerParameter(
  'Range',
  'Asks for one part, such as `bytes=0-1023`; with `If-Range` and the `ETag`, only if the file is the same.',
);
const ifNoneMatch = headerParameter(
  'If-None-Match',
  'The `ETag` of an earlier answer. If it is still the same, the answer is 304, without a body.',
);
const ifMatch = headerParameter(
  'If-Match',
  'The `ETag` of an earlier answer. If it has changed since, nothing happens and the answer is 412.',
);

const notModified = {
  description: 'It still has the `ETag` of `If-None-Match`. The body is empty.',
  headers: { ...everywhere, ...onNotModified },
};

const elsewhere = {
  description: 'The bytes are in an object store, at `Location` for a minute, without the token. The body is empty.',
  headers: { ...everywhere, ...onElsewhere },
};

function successOf(defined: OperationDefinition, example: Step | undefined) {
  const { status, answer, headers = {}, query, isIdempotent, hasTag, givesBytes, type } = defined;
  if (givesBytes)
    return {
      description: 'Done; the body has the bytes.',
      headers: { ...everywhere, ...(givesBytes === 'file' ? onBytes : onPicture), ETag: entityTag },
      content: { '*/*': bytesOf(example?.answer) },
    };
  if (type === 'text/html')
    return {
      description: 'A page for people.',
      headers: { ...everywhere, ...onPage, 'Cache-Control': onEmpty['Cache-Control'] as Headers[string] },
      content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>' } },
    };
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
    ...(hasTag && answer && { ETag: entityTag }),
    ...(isIdempotent && { 'Idempotency-Replayed': replayed }),
    ...own,
  };
  const given = example?.answer ?? defined.example?.answer;
  const shown = given === undefined ? {} : { example: given };
  return {
    description: {
      200: 'Done; the body has the result.',
      201: 'Created; the body has it.',
      204: 'Done; the body is empty.',
    }[status],
    headers: all,
    ...(answer && { content: { 'application/json': { schema: answer, ...shown } } }),
  };
}

/**
 * The errors of an operation that are known beforehand: what it refuses, and what its parameters
 * do.
 */
function knownErrors(
  method: string,
  { access, isRpc, scope, path, isForSetUp, refusals = [] }: OperationDefinition,
): HttpError[] {
  return [
    ...(access === 'admin' ? [adminRequired()] : []),
    ...(scope ? [scopeRequired(scope)] : []),
    ...(access === 'anyone' || isForSetUp ? [] : [secondFactorSetupRequired()]),
    ...(isWrite(method, { access, isRpc } as OperationDefinition) ? [tooManyRequests()] : []),
    ...errorsOfPath(path).filter(({ status }) => status !== 404),
    ...refusals.map((refuse: Refusal) => refuse()),
  ];
}

const errorsOfPath = (path: Parameters = {}): HttpError[] =>
  Object.entries(path).map(([name, { rule, refuse }]) => refuse?.() ?? invalidParameter(name, rule));

/** The codes of the errors of some operations, by status. */
export function codesOf(all: Operations[]): Map<number, string[]> {
  const errors = all.flatMap((operations) =>
    Object.entries(operations).flatMap(([method, defined]) => [...knownErrors(method, defined), ...errorsOfPath(defined.path)]),
  );
  const codes = Map.groupBy(
    errors.filter(({ body }) => body?.code),
    ({ status }) => status,
  );
  return new Map([...codes].map(([status, some]) => [status, [...new Set(some.map(({ body }) => body?.code ?? ''))].sort()]));
}

/** The error responses of an operation by status, with their sentences where these are known. */
function refusalsOf(method: string, defined: OperationDefinition) {
  const { access, path, query, body, isIdempotent, hasTag, isSpecified, takesBytes, givesBytes, isForeign, isRpc, form, type } =
    defined;
  const sends = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const statuses = [
    ...(query || body || isIdempotent ? [400] : []),
    ...(access === 'anyone' ? [] : [401]),
    ...(body || isForeign || isRpc ? [413] : []),
    ...(isIdempotent ? [422] : []),
    ...(hasTag && method !== 'GET' ? [412] : []),
    ...(sends && !isSpecified && !takesBytes && !isForeign && !form ? [415] : []),
    ...(givesBytes || type ? [] : [406]),
    ...[500, 503],
  ];
  const known = knownErrors(method, defined);
  const all = new Set([...statuses, ...[...known, ...errorsOfPath(path)].map(({ status }) => status)]);
  const sentenceOf = ({ body }: HttpError) =>
    body?.code && !isSpecified ? `\`${body.code}\`: ${body.description}` : (body?.description ?? '');
  return Object.fromEntries(
    [...all].map((status) => {
      const ofStatus = known.filter((one) => one.status === status).map(sentenceOf);
      const sentences =
        status === 406 && sends && isSpecified ? ['The request lacks a JSON body, or does not accept JSON.'] : ofStatus;
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
