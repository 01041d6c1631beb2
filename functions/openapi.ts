import document from '../docs/openapi.json' with { type: 'json' };
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/openapi.json`: the OpenAPI description of the whole API. */
export const handler = endpoint({
  GET: operation({
    summary: 'Describe every operation in OpenAPI 3.1',
    access: 'anyone',
    status: 200,
    answer: { type: 'object', description: 'This document.' },
    run: async () => document,
  }),
});
