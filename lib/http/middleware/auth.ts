import { withDeadline } from '../../base/deadline.ts';
import { HttpError, unauthenticated } from '../../base/errors.ts';
import { findCaller, recallCaller, recallValidCaller } from '../../identity/authenticate.ts';
import { type Caller, secondFactorSetupRequired } from '../../identity/caller.ts';
import { countWrite, type RateFields } from '../../identity/write-rate.ts';
import { config } from '../../settings/config.ts';
import { isWrite, type Operations } from '../operation.ts';
import { type CallerField, methodOf, type Step } from '../request.ts';
import { tokenOf } from '../session-cookie.ts';

/**
 * Finds the caller by the token of the request: 401 without a valid one, unless the operation is
 * for anyone. Writes are counted: 429 if they exceed the account's rate. If the process remembers
 * the token's user, both run concurrently.
 */
export function auth(operations: Operations, challenge?: Challenge): Step<CallerField> {
  return {
    before: function authenticate({ event }) {
      const method = methodOf(event);
      const operation = Object.hasOwn(operations, method) ? operations[method] : undefined;
      const token = tokenOf(event);
      const admit = (caller: Caller | undefined) => {
        event.caller = admitted(caller, operation, event.pathParameters);
        if (!event.caller && operation?.access !== 'anyone') throw refusal(challenge?.(token));
      };
      const isCounted =
        config.limits.areOn && operation !== undefined && isWrite(method, operation) && !isUncounted(operation, event.body);
      const recalled = isCounted ? undefined : recallValidCaller(token);
      if (recalled) {
        admit(recalled);
        return undefined;
      }
      return withDeadline(event.deadline, async () => {
        const counting = isCounted ? beginCounting(token) : undefined;
        admit(await findCaller(token));
        if (counting && event.caller) event.rate = await counting(event.caller);
      });
    },
  };
}

/** True if the operation has a limit of its own for a change with this body. */
function isUncounted({ isUncounted: decide }: Operations[string], body: string | undefined): boolean {
  if (!decide || body === undefined) return false;
  try {
    const sent: unknown = JSON.parse(body);
    return typeof sent === 'object' && sent !== null && decide(sent);
  } catch {
    return false;
  }
}

/** The `WWW-Authenticate` header for a request with this token, if there is one. */
export type Challenge = (token: string | undefined) => string | undefined;

const refusal = (challenge: string | undefined): HttpError =>
  challenge === undefined ? unauthenticated() : new HttpError(401, unauthenticated().body, { 'WWW-Authenticate': challenge });

/**
 * The caller. A caller who must set up a second factor first may only do that, for the own account.
 * Operations for anyone treat such a caller as signed out, and all others refuse with 403.
 */
function admitted(caller: Caller | undefined, operation: Operations[string] | undefined, path = {}): Caller | undefined {
  if (!caller?.mustSetUpSecondFactor) return caller;
  const own = ['me', 'current', caller.user._id.toHexString(), caller.token._id.toHexString()];
  if (operation?.isForSetUp && Object.values<string | undefined>(path).every((part = '') => own.includes(part))) return caller;
  if (operation?.access === 'anyone') return undefined;
  throw secondFactorSetupRequired();
}

/**
 * Starts counting for the last known user of the token. If the caller turns out to be somebody
 * else, counts for the caller.
 */
function beginCounting(token: string | undefined): (caller: Caller) => Promise<RateFields | undefined> {
  const known = recallCaller(token);
  const counted = known && countWrite(known);
  // An invalid token is a 401, whatever the outcome of the count.
  counted?.catch(() => undefined);
  return async ({ user }) => (known?._id.equals(user._id) ? counted : countWrite(user));
}
