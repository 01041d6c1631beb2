import { removeAvatar, setAvatar, setAvatarRefusals } from '../lib/accounts/avatars.ts';
import { about, idOr } from '../lib/api/parameters.ts';
import { actOnUser } from '../lib/audit/acts.ts';
import { adminRequired } from '../lib/base/errors.ts';
import { askedVersion, readAvatar, readAvatarRefusals } from '../lib/files/avatars.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireOwnAccount, userIdFor } from '../lib/identity/caller.ts';
import { noSuchUser, shownUser } from '../lib/identity/users.ts';

const path = { user: about("The account, by its `_id`; `me` is the caller's own.", idOr('me', 'user')) };

/** `/api/users/{user}/avatar`: the picture of a user. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read the picture of a user',
    access: 'user',
    path,
    query: { version: askedVersion },
    status: 200,
    givesBytes: 'picture',
    refusals: readAvatarRefusals,
    run: ({ path: { user }, query: { version }, caller }) => readAvatar(userIdFor(user, caller), version),
  }),
  PUT: operation({
    summary: 'Set the picture of an account: the bytes of a square WebP, PNG or JPEG, at most 64 kB',
    access: 'user',
    scope: 'account',
    path,
    permit: ({ caller, path: { user } }) => requireOwnAccount(user, caller),
    takesBytes: true,
    status: 200,
    answer: shownUser.schema,
    refusals: [adminRequired, ...setAvatarRefusals],
    security: (_input, { _id }) => ({ event: 'account changed', whom: _id.$oid, what: 'avatar' }),
    audit: ({ path: { user } }, caller) => actOnUser(user, 'user.profile_changed', caller),
    run: ({ path: { user }, bytes, caller }) => setAvatar(userIdFor(user, caller), bytes),
  }),
  DELETE: operation({
    summary: 'Remove the picture of an account',
    access: 'user',
    scope: 'account',
    path,
    permit: ({ caller, path: { user } }) => requireOwnAccount(user, caller),
    status: 204,
    refusals: [adminRequired, noSuchUser],
    security: ({ path: { user } }) => ({
      event: 'account changed',
      whom: user === 'me' ? undefined : user.toHexString(),
      what: 'avatar',
    }),
    audit: ({ path: { user } }, caller) => actOnUser(user, 'user.profile_changed', caller),
    run: ({ path: { user }, caller }) => removeAvatar(userIdFor(user, caller)),
  }),
});
