import { entityTag, lists } from '../api/entity-tag.ts';
import { jsonOf } from '../api/serialised-json.ts';
import { audited, byCaller } from '../audit/append.ts';
import { regardlessOfDeadline, withDeadline } from '../base/deadline.ts';
import { log } from '../base/log.ts';
import { currentEpoch } from '../database/epoch.ts';
import { whyUnavailable } from '../database/failures.ts';
import { requirePreparation } from '../database/preparation.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { carryNotices } from '../notices/notices.ts';
import { Answer, PageAnswer, PlainAnswer } from './answers.ts';
import { baseChain, type ChainOptions, pageHeaders, toLambdaHandler } from './base-chain.ts';
import { answerBytes, answerPicture, type Bytes, type Picture } from './bytes.ts';
import { adminOnly } from './middleware/admin-only.ts';
import { auth } from './middleware/auth.ts';
import { input } from './middleware/input.ts';
import { jsonBody } from './middleware/json-body.ts';
import { json, mediaType } from './middleware/media-type.ts';
import { method } from './middleware/method.ts';
import { permission } from './middleware/permission.ts';
import { allowedMethods, type Handler, type Input, isSpecified, type Operations, operationFor } from './operation.ts';
import { remembered } from './remembered.ts';
import { type ApiEvent, type ApiResponse, type Authenticated, methodOf } from './request.ts';

/**
 * The handler of one path: the life of a request, from top to bottom.
 * `baseChain()` has the steps whose headers are on every response, here are those that may refuse.
 */
export function endpoint(operations: Operations, options: ChainOptions = {}): Handler {
  const allow = allowedMethods(operations);

  const chain = baseChain(allow, { whyUnavailable, hasCodes: !isSpecified(operations), ...options })
    .use(auth(operations))
    .use(adminOnly(operations))
    .use(mediaType(operations))
    .use(method({ operations, allow }))
    .use(permission(operations))
    .use(jsonBody(operations))
    .use(input(operations))
    .handler(async (event) => {
      const operation = operationFor(operations, event);
      const response = await remembered(operation, event, () => run(operation, event));
      return isKnown(event, response) ? { statusCode: 304, headers: headersOf304(response), body: '' } : response;
    });
  return toLambdaHandler(chain, operations);
}

async function run(operation: Operations[string], event: ApiEvent & Authenticated & { input: Input }): Promise<ApiResponse> {
  // Bytes come as fast as their sender's network is; the host cuts those that come too slowly.
  const inTime = operation.takesBytes
    ? regardlessOfDeadline
    : <T>(work: () => T) => withDeadline(event.deadline, async () => work());
  const running = inTime(async () => {
    if (methodOf(event) !== 'GET') await requirePreparation();
    if (operation.hasTag) await currentEpoch();
    const { input } = event;
    const caller = isAdmin(event.caller) ? { ...(event.caller as Caller), source: input.request.source } : event.caller;
    const work = () => operation.run({ ...input, caller });
    const acts = caller && operation.audit ? await operation.audit(input, caller) : [];
    return caller && acts.length > 0 ? audited(acts, byCaller(caller), work) : work();
  });
  const result = await running.finally(carryNotices);
  if (operation.givesBytes === 'file') return answerBytes(event, result as Bytes);
  if (operation.givesBytes === 'picture') return answerPicture(result as Picture);
  if (result instanceof PlainAnswer) return plain(result);
  if (result instanceof PageAnswer) {
    const headers = { ...pageHeaders(result.page), 'Cache-Control': 'no-store' };
    return { statusCode: operation.status, headers, body: result.page.source };
  }
  const { value, headers: all } = result instanceof Answer ? result : { value: result, headers: {} };
  for (const security of [operation.security?.(event.input, value) ?? []].flat()) {
    const { requestId: request_id, caller, requestContext } = event;
    log('info', 'security', {
      request_id,
      ...security,
      by: caller?.user._id.toHexString(),
      source: requestContext.http.sourceIp,
    });
  }
  // Lambda takes cookies apart from the other headers.
  const { 'Set-Cookie': cookie, ...headers } = all;
  const cookies = cookie !== undefined && { cookies: [cookie] };
  if (operation.status === 204)
    return { statusCode: 204, headers: { 'Cache-Control': 'no-store', ...headers }, ...cookies, body: '' };
  const body = jsonOf(value);
  const tag = operation.hasTag && { ETag: entityTag(body) };
  return { statusCode: operation.status, headers: { ...success, ...tag, ...headers }, ...cookies, body };
}

const plain = ({ text }: PlainAnswer): ApiResponse =>
  text === ''
    ? { statusCode: 204, headers: { 'Cache-Control': 'no-store' }, body: '' }
    : { statusCode: 200, headers: { ...success, 'Content-Type': 'text/plain; charset=utf-8' }, body: text };

/** Whether the caller of a read has what it shows already (RFC 9110, 13.1.2). */
function isKnown(event: ApiEvent, { headers: { ETag } }: ApiResponse): boolean {
  const known = event.headers['if-none-match'];
  return methodOf(event) === 'GET' && known !== undefined && ETag !== undefined && lists(known, ETag);
}

const headersOf304 = ({ headers: { ETag = '', 'Cache-Control': cache = '', Vary = '' } }: ApiResponse) => ({
  ETag,
  'Cache-Control': cache,
  Vary,
});

/** The headers of every successful response with a body. */
export const success = {
  'Content-Type': json,
  'Cache-Control': 'max-age=86400, must-revalidate, no-store',
  Vary: 'Accept-Encoding',
};
