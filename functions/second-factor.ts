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

/** `/api/second-factor`: the caller's second factor, codes by time (TOTP) beside the password. */
export const handler = endpoint({
  GET: operation({
    summary: 'Tell whether the second factor of the caller is on',
    access: 'user',
    scope: 'account',
    isForSetUp: true,
    status: 200,
    answer: secondFactorSchema,
    run: ({ caller }) => showSecondFactor(caller),
  }),
  POST: operation({
    summary: 'Begin a second factor: get its secret, which is shown only once; requires `current_password`',
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
      'Turn on the second factor that was begun, by a code of it; all other sessions end. If it is on, make new recovery codes, which requires `current_password`',
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
    summary: 'Turn the second factor off, by a code of it; administrators reset that of another `user`, whose sessions end',
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
