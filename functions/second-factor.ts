import { actOnUser } from '../lib/audit/acts.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireUnscopedToken } from '../lib/identity/caller.ts';
import {
  beginning,
  beginningRefusals,
  beginSecondFactor,
  confirmation,
  confirmationRefusals,
  confirmSecondFactor,
  endedAccount,
  ending,
  endingRefusals,
  endSecondFactor,
  newSecondFactorSchema,
  recoveryCodesSchema,
  secondFactorSchema,
  showSecondFactor,
} from '../lib/second-factor/second-factor.ts';

/**
 * `/api/second-factor`: the caller's second factor: time-based codes (TOTP) in addition to the
 * password.
 */
export const handler = endpoint({
  GET: operation({
    summary: "Check whether the caller's second factor is on",
    access: 'user',
    scope: 'account',
    isForSetUp: true,
    status: 200,
    answer: secondFactorSchema,
    run: ({ caller }) => showSecondFactor(caller),
  }),
  POST: operation({
    summary: 'Start setting up a second factor: get its secret, shown only once; requires `current_password`',
    access: 'user',
    isForSetUp: true,
    permit: ({ caller }) => requireUnscopedToken(caller),
    body: beginning,
    status: 201,
    answer: newSecondFactorSchema,
    refusals: beginningRefusals,
    run: ({ body, caller }) => beginSecondFactor(body, caller),
  }),
  PUT: operation({
    summary:
      'Turn on the second factor with a code; ends all other sessions. If it is on, create new recovery codes, which requires `current_password`',
    access: 'user',
    isForSetUp: true,
    permit: ({ caller }) => requireUnscopedToken(caller),
    body: confirmation,
    status: 200,
    answer: recoveryCodesSchema,
    refusals: confirmationRefusals,
    run: ({ body, caller }) => confirmSecondFactor(body, caller),
  }),
  DELETE: operation({
    summary: 'Turn the second factor off with a code; administrators reset another `user`, which ends their sessions',
    access: 'user',
    permit: ({ caller }) => requireUnscopedToken(caller),
    query: endedAccount,
    body: ending,
    status: 204,
    refusals: endingRefusals,
    security: ({ query: { user } }) =>
      user ? { event: 'second factor reset', whom: user.toHexString() } : { event: 'second factor turned off' },
    audit: ({ query: { user } }, caller) => actOnUser(user, 'user.second_factor_reset', caller),
    run: ({ query, body, caller }) => endSecondFactor(query, body, caller),
  }),
});
