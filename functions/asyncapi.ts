import document from '../docs/asyncapi.json' with { type: 'json' };
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/asyncapi.json`: what is said over a WebSocket, for programs. */
export const handler = endpoint({
  GET: operation({
    summary: 'Describe every frame of a WebSocket in AsyncAPI 3',
    access: 'anyone',
    status: 200,
    answer: { type: 'object', description: 'This document.' },
    run: async () => document,
  }),
});
