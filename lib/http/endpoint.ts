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
import { Answer, PageAnswer, PlainAnswer, RpcAnswer } from './answers.ts';
import { baseChain, type ChainOptions, pageHeaders, toLambdaHandler } from './base-chain.ts';
import { answerBytes, answerPicture, type Bytes, type Picture } from './bytes.ts';
import { adminOnly } from './middleware/admin-only.ts';
import { auth, type Challenge } from './middleware/auth.ts';
import { input } from './middleware/input.ts';
import { jsonBody } from './middleware/json-body.ts';
import { json, mediaType } from './middleware/media-type.ts';
import { method } from './middleware/method.ts';
import { permission } from './middleware/permission.ts';
import { allowedMethods, type Handler, type Input, isSpecified, type Operations, operationFor } from './operation.ts';
import { requireProof } from './recent-proof.ts';
import { remembered } from './remembered.ts';
import { type ApiEvent, type ApiResponse, type CallerField, methodOf } from './request.ts';

/** `challenge` is the `WWW-Authenticate` of a 401, for paths of programs that sign in by OAuth. */
type EndpointOptions = ChainOptions & { challenge?: Challenge };

/**
 * The handler of one path: the life of a request, from top to bottom. The steps of `baseChain()`
 * set headers on every response; the steps here may refuse a request.
 */
export function endpoint(operations: Operations, { challenge, ...options }: EndpointOptions = {}): Handler {
  const allow = allowedMethods(operations);

  const chain = baseChain(allow, { whyUnavailable, hasCodes: !isSpecified(operations), ...options })
    .use(auth(operations, challenge))
    .use(adminOnly(operations))
    .use(mediaType(operations))
    .use(method({ operations, allow }))
    .use(permission(operations))
    .use(jsonBody(operations))
    .use(input(operations))
    .handler(async (event) => {
      const operation = operationFor(operations, event);
      const response = operation.remember
        ? await remembered(operation, event, () => run(operation, event))
        : await run(operation, event);
      return isKnown(event, response) ? { statusCode: 304, headers: headersOf304(response), body: '' } : response;
    });
  return toLambdaHandler(chain, operations);
}

type ReadyEvent = ApiEvent & CallerField & { input: Input };

async function run(operation: Operations[string], event: ReadyEvent): Promise<ApiResponse> {
  const result = await perform(operation, event);
  if (operation.givesBytes === 'file') return answerBytes(event, result as Bytes);
  if (operation.givesBytes === 'picture') return answerPicture(result as Picture);
  if (result instanceof PlainAnswer) return plain(result);
  if (result instanceof RpcAnswer) return rpc(result);
  if (result instanceof PageAnswer) {
    const headers = { ...pageHeaders(result.page), 'Cache-Control': 'no-store' };
    return { statusCode: operation.status, headers, body: result.page.source };
  }
  const { value, headers: all } = result instanceof Answer ? result : { value: result, headers: noHeaders };
  if (operation.security) logSecurity(operation.security(event.input, value), event);
  const body = operation.status === 204 ? '' : jsonOf(value);
  const headers: Record<string, string> = operation.status === 204 ? { 'Cache-Control': 'no-store' } : { ...success };
  if (operation.status !== 204 && operation.hasTag) headers.ETag = entityTag(body);
  const response: ApiResponse = { statusCode: operation.status, headers, body };
  // Lambda takes cookies apart from the other headers.
  for (const [name, header] of Object.entries(all)) {
    if (name === 'Set-Cookie') response.cookies = [header];
    else headers[name] = header;
  }
  return response;
}

const noHeaders: Record<string, string> = {};

/**
 * Runs the operation within the time of the request. Notices of what it has stored are carried
 * before the answer.
 */
async function perform(operation: Operations[string], event: ReadyEvent): Promise<unknown> {
  try {
    // Bytes arrive at the speed of the sender's network; the host aborts slow ones.
    if (operation.takesBytes) return await regardlessOfDeadline(() => work(operation, event));
    return await withDeadline(event.deadline, () => work(operation, event));
  } finally {
    const carried = carryNotices();
    if (carried) await carried;
  }
}

async function work(operation: Operations[string], event: ReadyEvent): Promise<unknown> {
  const { input, caller: sender } = event;
  if (methodOf(event) !== 'GET' && !operation.isRpc) await requirePreparation();
  if (operation.hasTag) await currentEpoch();
  const caller = isAdmin(sender) ? { ...(sender as Caller), source: input.request.source } : sender;
  const acts = caller && operation.audit ? await operation.audit(input, caller) : [];
  const act = () => operation.run({ ...input, caller });
  if (!caller || acts.length === 0) return act();
  await requireProof(acts, caller);
  return audited(acts, byCaller(caller), act);
}

function logSecurity(
  found: ReturnType<NonNullable<Operations[string]['security']>>,
  { requestId: request_id, caller, requestContext }: ReadyEvent,
): void {
  for (const event of [found ?? []].flat())
    log('info', 'security', {
      request_id,
      ...event,
      by: caller?.user._id.toHexString(),
      source: requestContext.http.sourceIp,
    });
}

const plain = ({ text }: PlainAnswer): ApiResponse =>
  text === ''
    ? { statusCode: 204, headers: { 'Cache-Control': 'no-store' }, body: '' }
    : { statusCode: 200, headers: { ...success, 'Content-Type': 'text/plain; charset=utf-8' }, body: text };

const rpc = ({ status, body }: RpcAnswer): ApiResponse => ({
  statusCode: status,
  // A copy, because later steps change the headers. As elsewhere, errors lack a charset.
  headers:
    body === '' ? { 'Cache-Control': 'no-store' } : { ...success, ...(status >= 400 && { 'Content-Type': 'application/json' }) },
  body,
});

/** True if the caller of a read has the current version already (RFC 9110, 13.1.2). */
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
