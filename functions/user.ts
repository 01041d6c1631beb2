import { accountChanges, changeUserFor, deleteUserFor, refuseOthers } from '../lib/accounts/permissions.ts';
import { anyText, optional } from '../lib/api/parameters.ts';
import { eitherOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { findUserFor, type OtherUser, otherUserSchema, type User, userInPath, userSchema } from '../lib/identity/users.ts';

/** `/api/users/{user}`: one account; `me` is the caller's own. */
export const handler = endpoint({
  GET: operation({
    summary: 'Show a user: in full to oneself and to admins',
    access: 'user',
    status: 200,
    answer: eitherOf<[User, OtherUser]>(userSchema, otherUserSchema),
    run: async ({ path, caller }) => findUserFor(caller, userInPath(path.user, caller)),
  }),
  PATCH: operation({
    summary: 'Change an account; a new password or a deactivation ends every other session',
    access: 'user',
    scope: 'account',
    permit: ({ caller, path }) => refuseOthers(path.user, caller),
    body: accountChanges,
    status: 200,
    answer: userSchema,
    refusals: {
      403: ['Admin required.', 'The current password is incorrect.'],
      409: ['The e-mail address is already in use.', 'The last administrator must stay one.'],
      429: ['Retry in 12 seconds.'],
    },
    run: async ({ path, body, caller, request: { source } }) =>
      changeUserFor({ caller, source }, userInPath(path.user, caller), body),
  }),
  DELETE: operation({
    summary: 'Delete an account; its messages stay, under a deleted user',
    access: 'user',
    scope: 'account',
    permit: ({ caller, path }) => refuseOthers(path.user, caller),
    body: { current_password: optional(anyText) },
    status: 204,
    refusals: {
      403: ['Admin required.', 'The current password is required.', 'The current password is incorrect.'],
      409: ['The last administrator must stay one.'],
      429: ['Retry in 12 seconds.'],
    },
    run: async ({ path, body, caller, request: { source } }) =>
      deleteUserFor({ caller, source }, userInPath(path.user, caller), body.current_password),
  }),
});
