import document from '../docs/asyncapi.json' with { type: 'json' };
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/asyncapi.json`: the description of the WebSocket's frames in AsyncAPI 3. */
export const handler = endpoint({
  GET: operation({
    summary: 'Describe every frame of a WebSocket in AsyncAPI 3',
    access: 'anyone',
    status: 200,
    answer: { type: 'object', description: 'This document.' },
    run: async () => document,
  }),
});
