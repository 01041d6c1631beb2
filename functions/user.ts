import {
  accountChanges,
  accountDeletion,
  changeRefusals,
  changeUserFor,
  deleteUserFor,
  deletionRefusals,
} from '../lib/accounts/permissions.ts';
import { about, idOr } from '../lib/api/parameters.ts';
import { eitherOf } from '../lib/api/schema.ts';
import { actOfDeletion, actsOfChanges } from '../lib/audit/acts.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireOwnAccount, secondFactorSetupRequired, userIdFor } from '../lib/identity/caller.ts';
import { preferences } from '../lib/identity/preferences.ts';
import { findUserFor, shownOtherUser, shownUser } from '../lib/identity/users.ts';

const path = { user: about("The account, by its `_id`; `me` is the caller's own.", idOr('me', 'user')) };

/** `/api/users/{user}`: one account; `me` is the caller's own. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get a user; only the user and administrators see all fields',
    access: 'user',
    isForSetUp: true,
    path,
    status: 200,
    answer: eitherOf(shownUser.schema, shownOtherUser.schema),
    refusals: [secondFactorSetupRequired],
    run: ({ path: { user }, caller }) => findUserFor(userIdFor(user, caller), caller),
  }),
  PATCH: operation({
    summary: 'Change an account; a new password ends all other sessions and, without `keep_tokens`, all other tokens',
    access: 'user',
    scope: 'account',
    path,
    permit: ({ caller, path: { user } }) => requireOwnAccount(user, caller),
    body: accountChanges,
    status: 200,
    answer: shownUser.schema,
    refusals: changeRefusals,
    security: ({ body: { current_password, second_factor, keep_tokens, code, ...changes } }, { _id }) =>
      isPreference(changes) ? undefined : { event: 'account changed', whom: _id.$oid, what: describeChanges(changes) },
    audit: ({ path: { user }, body }, caller) => actsOfChanges(user, body, caller),
    run: ({ path: { user }, body, caller }) => changeUserFor(userIdFor(user, caller), body, caller),
  }),
  DELETE: operation({
    summary: 'Delete an account; its messages stay, under the name `(deleted)`',
    access: 'user',
    scope: 'account',
    path,
    permit: ({ caller, path: { user } }) => requireOwnAccount(user, caller),
    body: accountDeletion,
    status: 204,
    refusals: deletionRefusals,
    security: ({ path: { user } }) => ({ event: 'account deleted', whom: user === 'me' ? undefined : user.toHexString() }),
    audit: ({ path: { user } }, caller) => actOfDeletion(user, caller),
    run: ({ path: { user }, body, caller }) => deleteUserFor(userIdFor(user, caller), body, caller),
  }),
});

/** True if the request changes nothing but preferences, which do not affect security. */
const isPreference = (changes: object): boolean => {
  const names = Object.keys(changes);
  return names.length > 0 && names.every((name) => (preferences as string[]).includes(name));
};

/** The changed fields, with their new values unless those are secret. */
const describeChanges = (changes: object): string =>
  Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (typeof value === 'boolean' ? `${name}: ${value}` : name))
    .join(', ');
