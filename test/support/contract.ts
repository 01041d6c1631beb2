import { readFileSync } from 'node:fs';
import type { OpenApi } from '../../lib/reference/openapi.ts';
import { type ListedOperation, listOperations } from '../../tools/harness/example-requests.ts';

/** The contract in the repository. */
export const contract: OpenApi = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

/** The operations that declare a status, as rows of a test table. */
export const operationsWith = (status: number): [string, ListedOperation][] =>
  listOperations(contract)
    .filter(({ responses }) => String(status) in responses)
    .map((operation) => [`${operation.method} ${operation.path}`, operation]);
