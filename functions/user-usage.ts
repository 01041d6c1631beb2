import { holdParameters, holdUser } from '../lib/accounts/holds.ts';
import { forgetUsage, readUsage, usageSchema } from '../lib/accounts/usage.ts';
import { about, idOf } from '../lib/api/parameters.ts';
import { actOfHold, actOnUser } from '../lib/audit/acts.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { noSuchUser } from '../lib/identity/users.ts';

const path = { user: about('The account, by its `_id`.', idOf('user')) };

/** `/api/users/{user}/usage`: what an account has, whether it is held, and what the limits have counted against it. */
export const handler = endpoint({
  GET: operation({
    summary: 'Count what an account has: sessions, tokens, rooms and files',
    access: 'admin',
    path,
    status: 200,
    answer: usageSchema,
    run: ({ path: { user } }) => readUsage(user),
  }),
  PATCH: operation({
    summary: 'Put an account on hold, or release it: while it is held, none of its messages is deleted because of its age',
    access: 'admin',
    path,
    body: holdParameters,
    status: 204,
    refusals: [noSuchUser],
    security: ({ path: { user }, body: { is_held } }) => ({
      event: is_held ? 'account held' : 'account released',
      whom: user.toHexString(),
    }),
    audit: ({ path: { user }, body: { is_held } }, caller) => actOfHold(user, is_held, caller),
    run: ({ path: { user }, body }) => holdUser(user, body),
  }),
  DELETE: operation({
    summary: 'Forget what the limits have counted against an account: wrong passwords, changes, e-mails and conversations',
    access: 'admin',
    path,
    status: 204,
    security: ({ path: { user } }) => ({ event: 'limits lifted', whom: user.toHexString() }),
    audit: ({ path: { user } }, caller) => actOnUser(user, 'user.limits_lifted', caller),
    run: ({ path: { user } }) => forgetUsage(user),
  }),
});
