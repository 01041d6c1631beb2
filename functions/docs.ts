import document from '../docs/openapi.json' with { type: 'json' };
import { pageEndpoint } from '../lib/docs/endpoint.ts';
import type { OpenApi } from '../lib/docs/openapi.ts';
import { referencePage } from '../lib/docs/reference.ts';

/** `/docs`: the API reference, for people. */
export const handler = pageEndpoint('Read the API reference, and try it', referencePage(document as unknown as OpenApi));
