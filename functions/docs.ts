import document from '../docs/openapi.json' with { type: 'json' };
import { pageEndpoint } from '../lib/http/page-endpoint.ts';
import type { OpenApi } from '../lib/reference/openapi.ts';
import { referencePage } from '../lib/reference/reference.ts';

const page = referencePage(document as unknown as OpenApi);

/** `/docs`: the API reference, for people. */
export const handler = pageEndpoint('Read the API reference, and try it', () => page);
