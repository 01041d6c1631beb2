import type { Parameter, Parameters } from '../../lib/api/parameters.ts';
import type { Operations } from '../../lib/http/operation.ts';
import type { Step } from '../harness/walkthrough.ts';
import { errors } from './errors.ts';
import { contentRange, entityTag, everywhere, onBytes, onEmpty, onSuccess } from './headers.ts';

export type OperationDefinition = Operations[string];

export function descriptionOf(method: string, route: string, name: string, { about, rule }: Parameter): string {
  if (about === undefined) throw new Error(`'${name}' of ${method} ${route} lacks a description: declare it with 'about'`);
  return `${about} Must ${rule}.`;
}

export function requestBody(
  method: string,
  route: string,
  { body, needsAny, isSpecified, example: foreseen }: OperationDefinition,
  example: Step | undefined,
) {
  const parameters = Object.entries(body as Parameters);
  const required = parameters.filter(([, { optional }]) => !optional).map(([name]) => name);
  const schema = {
    type: 'object',
    ...(!isSpecified && { additionalProperties: false }),
    properties: Object.fromEntries(
      parameters.map(([name, parameter]) => [
        name,
        {
          ...(parameter.bodySchema ?? parameter.schema),
          description: descriptionOf(method, route, name, parameter),
        },
      ]),
    ),
    ...(required.length > 0 && { required }),
    ...(needsAny && { anyOf: parameters.map(([name]) => ({ required: [name] })) }),
  };
  const shown = example?.body ?? foreseen?.body;
  const content = { schema, ...(shown !== undefined && { example: shown }) };
  return { required: method !== 'DELETE', content: { 'application/json': content } };
}

/** The body that other programs send. The service's own shape is one of many. */
export const foreignBody = (example: unknown) => ({
  required: true,
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          text: {
            type: 'string',
            description: "The text of the message: Markdown if it is the only field, otherwise Slack's markup.",
          },
        },
      },
      ...(example !== undefined && { example }),
    },
    'application/x-www-form-urlencoded': {
      schema: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'The text of the message.' },
          payload: { type: 'string', description: "A message in Slack's shape, as JSON." },
        },
      },
      ...(example !== undefined && { example }),
    },
  },
});

/** A call of JSON-RPC. */
export const rpcBody = (example: unknown) => ({
  required: true,
  content: {
    'application/json': {
      schema: {
        title: 'JsonRpcCall',
        type: 'object',
        properties: {
          jsonrpc: { description: 'The version of JSON-RPC.', const: '2.0' },
          id: { type: ['string', 'integer'], description: 'The id of the call; absent in a notification.' },
          method: { type: 'string', description: 'The method of the protocol, such as `tools/call`.' },
          params: { type: 'object', description: 'The parameters of the method.' },
        },
        required: ['jsonrpc', 'method'],
      },
      ...(example !== undefined && { example }),
    },
  },
});

const rpcAnswer = {
  title: 'JsonRpcAnswer',
  type: 'object',
  properties: {
    jsonrpc: { description: 'The version of JSON-RPC.', const: '2.0' },
    id: { type: ['string', 'integer', 'null'], description: 'The id of the call.' },
    result: { type: 'object', description: 'The result, which the protocol defines.' },
    error: {
      type: 'object',
      description: 'The error; absent in an answer with a result.',
      properties: {
        code: { type: 'integer', description: 'The code of JSON-RPC or of the protocol.' },
        message: { type: 'string', description: 'The reason, as a sentence.' },
        data: { description: 'More about it, which the protocol defines.' },
      },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc'],
};

const rpcError = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });

const rpcHeaders = { ...everywhere, ...onSuccess };

/** The answers of JSON-RPC. */
export const rpcAnswers = (example: unknown) => ({
  200: {
    description: 'Done; the body has the result. A refusal of a tool is a result with `isError`.',
    headers: rpcHeaders,
    content: { 'application/json': { schema: rpcAnswer, ...(example !== undefined && { example }) } },
  },
  202: { description: 'A notification was received. The body is empty.', headers: { ...everywhere, ...onEmpty } },
  400: {
    description: 'The body is not a call of the protocol.',
    headers: rpcHeaders,
    content: { 'application/json': { schema: rpcAnswer, example: rpcError(-32_700, 'Parse error') } },
  },
  404: {
    description: String(errors[404]?.meaning),
    headers: rpcHeaders,
    content: { 'application/json': { schema: rpcAnswer, example: rpcError(-32_601, 'Method not found') } },
  },
});

/** A form. */
export const formBody = (fields: NonNullable<OperationDefinition['form']>, example: unknown) => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': {
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(fields).map(([name, field]) => [
            name,
            { type: 'string', description: typeof field === 'string' ? field : field.optional },
          ]),
        ),
        required: Object.keys(fields).filter((name) => typeof fields[name] === 'string'),
      },
      ...(example !== undefined && { example }),
    },
  },
});

export const foreignAnswers = {
  200: {
    description: "Posted; the answer to Slack's shape.",
    headers: { ...everywhere, ...onSuccess },
    content: { 'text/plain': { schema: { const: 'ok' }, example: 'ok' } },
  },
  204: { description: 'The event is not shown. The body is empty.', headers: { ...everywhere, ...onEmpty } },
};

/** A body that is bytes. */
export const bytesOf = (example: unknown) => ({ schema: {}, ...(example !== undefined && { example }) });

export const partOfBytes = (example: unknown) => ({
  description: 'The requested `Range`.',
  headers: { ...everywhere, ...onBytes, ETag: entityTag, 'Content-Range': contentRange },
  content: { '*/*': bytesOf(example) },
});
