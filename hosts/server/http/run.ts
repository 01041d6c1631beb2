import { limits } from '../../../lib/api/limits.ts';
import { isToken } from '../../../lib/api/schema.ts';
import { withDeadline } from '../../../lib/base/deadline.ts';
import { HttpError, serviceUnavailable } from '../../../lib/base/errors.ts';
import { type Turn, withTurn } from '../../../lib/base/outside.ts';
import { createQueues } from '../../../lib/base/queues.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import type { ApiResponse } from '../../../lib/http/request.ts';
import { tokenOf } from '../../../lib/http/session-cookie.ts';
import { findCaller, recallCaller } from '../../../lib/identity/authenticate.ts';
import { networkOf } from '../../../lib/identity/slots.ts';
import { config, fromConfig } from '../../../lib/settings/config.ts';
import { createFairShare, type FairRequest } from './fair-share.ts';
import { busy, responseTooLarge } from './rejections.ts';
import { isWithinLimit } from './respond.ts';
import { createSemaphore } from './semaphore.ts';

/**
 * Calls a handler within the fair share of its caller, and delivers the response before the share
 * ends.
 */
export async function run(
  handler: Handler,
  event: Parameters<Handler>[0],
  context: Parameters<Handler>[1],
  deliver: (response: ApiResponse) => void = () => {},
): Promise<ApiResponse> {
  const share = config.limits.areOn ? shares.begin(callerOf(event) ?? (await findCallerOf(event))) : unlimited;
  const request = share instanceof Promise ? await share : share;
  const account = recallCaller(tokenOf(event));
  const taken = request && slots().acquire(longestWait, account ? 'account' : 'other');
  if (request && taken && (taken === true || (await taken))) {
    const slot = holdSlot(request);
    try {
      const work = () => withTurn({ caller: payerOf(event, account), ...slot }, () => handler(event, context));
      let response = await withDeadline(performance.now() + limits.functionTime, work);
      if (!isWithinLimit(response)) response = await responseTooLarge(event, context);
      deliver(response);
      return response;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    } finally {
      slot.end();
    }
  } else request?.end();
  const response = await busy(event, context);
  deliver(response);
  return response;
}

/**
 * Manages the slot of a request. A request gives up its slot while it waits for another server. It
 * may wait in several places at once, and longer than its caller waits for the response.
 */
function holdSlot(request: FairRequest): Omit<Turn, 'caller'> & { end: () => void } {
  const queue = slots();
  let [waits, isHeld, isOver] = [0, true, false];
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    queue.release();
    request.pause();
  };
  return {
    pause: () => {
      if (waits++ === 0) release();
    },
    leave: request.leave,
    resume: async () => {
      if (--waits > 0 || isOver) return;
      // The request continues even without a slot. This is rare, and the caller must get the other
      // server's response in time.
      if (!(await queue.acquire(longestResumeMs, 'resumed'))) return;
      // The request may have begun to wait again, or its time may be over.
      if (waits > 0 || isOver || isHeld) return queue.release();
      isHeld = true;
      request.resume();
    },
    end: () => {
      release();
      isOver = true;
      request.end();
    },
  };
}

/**
 * Runs a health check without a slot, so that monitoring does not mistake a busy service for a
 * broken one.
 */
export async function runHealthCheck(
  ...[handler, event, context, deliver]: Required<Parameters<typeof run>>
): Promise<ApiResponse> {
  if (healthChecks >= mostHealthChecks) return run(handler, event, context, deliver);
  healthChecks++;
  try {
    const response = await handler(event, context);
    deliver(response);
    return response;
  } finally {
    healthChecks--;
  }
}

let healthChecks = 0;
const mostHealthChecks = 4;

type Event = Parameters<Handler>[0];

/**
 * The source of a request: its address, or its IPv6 network, because one host has all addresses of
 * a network.
 */
const sourceOfEvent = (event: Event): string => networkOf(event.requestContext.http.sourceIp);

/**
 * The caller of a request, as far as this process knows: a known account, or the source address of
 * a request without a token. Undefined for an unknown token.
 */
export function callerOf(event: Event): string | undefined {
  const token = tokenOf(event);
  return recallCaller(token)?._id.toHexString() ?? (isToken(token) ? undefined : sourceOfEvent(event));
}

/**
 * The caller of a request with a token that this process has not seen. It is looked up, so that an
 * account need not wait for others behind its address. An invalid token counts for the address, and
 * so does one that cannot be looked up soon: an attacker may send many.
 */
export async function findCallerOf(event: Event): Promise<string> {
  const source = sourceOfEvent(event);
  const find = () => withDeadline(performance.now() + longestLookUpMs, () => findCaller(tokenOf(event)));
  const caller = await lookUps(source, find).catch(() => undefined);
  return caller?.user._id.toHexString() ?? source;
}

const longestLookUpMs = 1_000;
const lookUps = createQueues({ most: 4, mostWaiting: 16, patienceMs: longestLookUpMs, refuse: serviceUnavailable });

/** The account that is charged while a request waits for another server: for a bot, its owner. */
const payerOf = (event: Event, account: ReturnType<typeof recallCaller>): string =>
  (account?.owner ?? account?._id)?.toHexString() ?? sourceOfEvent(event);

const shares = createFairShare();
const unlimited: FairRequest = { pause: () => {}, resume: () => {}, leave: () => {}, end: () => {} };

// Requests wait here in order, and longer than the driver waits for a connection. After
// `longestWait` milliseconds, the response is 503.
const slots = fromConfig(({ mongodbPoolSize }) => createSemaphore(mongodbPoolSize));
const longestWait = 5_000;
const longestResumeMs = 500;
