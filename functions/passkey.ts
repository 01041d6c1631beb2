import { about, idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireUnscopedToken } from '../lib/identity/caller.ts';
import {
  changePasskey,
  changeRefusals,
  passkeyChanges,
  removal,
  removalRefusals,
  removePasskey,
  shownPasskey,
} from '../lib/passkeys/passkeys.ts';

const path = { passkey: about('The passkey, by its `_id`.', idOf('passkey')) };

const examplePath = { passkey: '6b0163a4327fbcafc916e187' };

/** `/api/passkeys/{passkey}`: one of the caller's passkeys. */
export const handler = endpoint({
  PATCH: operation({
    summary: 'Rename a passkey',
    access: 'user',
    scope: 'account',
    path,
    body: passkeyChanges,
    example: {
      path: examplePath,
      body: { name: 'My laptop' },
      answer: {
        _id: { $oid: '6b0163a4327fbcafc916e187' },
        name: 'My laptop',
        is_backed_up: true,
        created_at: { $date: '2026-11-21T09:04:42.123Z' },
        last_used_at: { $date: '2026-11-22T09:05:06.531Z' },
      },
    },
    status: 200,
    answer: shownPasskey.schema,
    refusals: changeRefusals,
    run: ({ path: { passkey }, body, caller }) => changePasskey(passkey, body, caller),
  }),
  DELETE: operation({
    summary: 'Remove a passkey; requires `current_password`',
    access: 'user',
    permit: ({ caller }) => requireUnscopedToken(caller),
    path,
    body: removal,
    example: { path: examplePath, body: { current_password: 'a horse, a battery' } },
    status: 204,
    refusals: removalRefusals,
    security: ({ path: { passkey } }) => ({ event: 'passkey removed', what: passkey.toHexString() }),
    run: ({ path: { passkey }, body, caller }) => removePasskey(passkey, body, caller),
  }),
});
