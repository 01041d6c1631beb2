import { changeUsage, forgetUsage, readUsage, usageChanges, usageSchema } from '../lib/accounts/usage.ts';
import { about, idOf } from '../lib/api/parameters.ts';
import { actOnUser, actsOfUsage } from '../lib/audit/acts.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { noSuchUser } from '../lib/identity/users.ts';

const path = { user: about('The account, by its `_id`.', idOf('user')) };

/**
 * `/api/users/{user}/usage`: the usage of an account, its hold, its write rate and its rate limits.
 */
export const handler = endpoint({
  GET: operation({
    summary: 'Count the sessions, tokens, rooms and files of an account',
    access: 'admin',
    path,
    status: 200,
    answer: usageSchema,
    run: ({ path: { user } }) => readUsage(user),
  }),
  PATCH: operation({
    summary: 'Put an account on hold, so that its messages do not expire, or set its write rate',
    access: 'admin',
    path,
    body: usageChanges,
    needsAny: true,
    status: 204,
    refusals: [noSuchUser],
    security: ({ path: { user }, body: { is_held, writes_per_second: rate } }) => {
      const whom = user.toHexString();
      const held = is_held === undefined ? [] : [{ event: is_held ? 'account held' : 'account released', whom }];
      return rate === undefined ? held : [...held, { event: 'rate changed', whom, what: `${rate ?? 'default'} per second` }];
    },
    audit: ({ path: { user }, body }, caller) => actsOfUsage(user, body, caller),
    run: ({ path: { user }, body }) => changeUsage(user, body),
  }),
  DELETE: operation({
    summary: 'Reset the limits of an account: wrong passwords, changes, e-mails and conversations',
    access: 'admin',
    path,
    status: 204,
    security: ({ path: { user } }) => ({ event: 'limits lifted', whom: user.toHexString() }),
    audit: ({ path: { user } }, caller) => actOnUser(user, 'user.limits_lifted', caller),
    run: ({ path: { user } }) => forgetUsage(user),
  }),
});
