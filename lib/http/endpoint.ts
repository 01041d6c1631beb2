import { toJson } from '../api/shared-json.ts';
import { isDatabaseUnavailable } from '../database/client.ts';
import { before } from '../deadline.ts';
import { asHandler, decorated, type Surroundings } from './base-chain.ts';
import { adminOnly } from './middleware/admin-only.ts';
import { auth } from './middleware/auth.ts';
import { input } from './middleware/input.ts';
import { jsonBody } from './middleware/json-body.ts';
import { json, mediaType } from './middleware/media-type.ts';
import { method } from './middleware/method.ts';
import { permission } from './middleware/permission.ts';
import { Answer, type Input, type Operations, operationFor } from './operation.ts';
import type { ApiEvent, ApiResponse, Authenticated, Handler } from './request.ts';

/**
 * The handler of one path: the life of a request, from top to bottom.
 * `decorated()` has what stands on every answer, here is what may refuse.
 */
export function endpoint(operations: Operations, surroundings: Surroundings = {}): Handler {
  const allow = [...Object.keys(operations), 'OPTIONS'].join(', ');

  const chain = decorated(allow, { isUnavailable: isDatabaseUnavailable, ...surroundings })
    .use(auth(operations))
    .use(adminOnly(operations))
    .use(mediaType())
    .use(method({ operations, allow }))
    .use(permission(operations))
    .use(jsonBody(operations))
    .use(input(operations))
    .handler((event) => run(operationFor(operations, event), event));
  return asHandler(chain, operations);
}

async function run(operation: Operations[string], event: ApiEvent & Authenticated & { input: Input }): Promise<ApiResponse> {
  const result = await before(event.deadline, operation.run({ ...event.input, caller: event.caller }));
  const { value, headers } = result instanceof Answer ? result : { value: result, headers: {} };
  if (operation.status === 204) return { statusCode: 204, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
  return { statusCode: operation.status, headers: { ...success, ...headers }, body: toJson(value) };
}

/** What every answer with a body carries when all went well. */
export const success = {
  'Content-Type': json,
  'Cache-Control': 'max-age=86400, must-revalidate, no-store',
  Vary: 'Accept-Encoding',
};
