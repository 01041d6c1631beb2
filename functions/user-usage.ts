import { forgetUsage, readUsage, usageSchema } from '../lib/accounts/usage.ts';
import { about, idOf } from '../lib/api/parameters.ts';
import { actOnUser } from '../lib/audit/acts.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

const path = { user: about('The account, by its `_id`.', idOf('user')) };

/** `/api/users/{user}/usage`: what an account has, and what the limits have counted against it. */
export const handler = endpoint({
  GET: operation({
    summary: 'Count what an account has: sessions, tokens, rooms and files',
    access: 'admin',
    path,
    status: 200,
    answer: usageSchema,
    run: ({ path: { user } }) => readUsage(user),
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
