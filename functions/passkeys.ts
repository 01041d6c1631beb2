import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireUnscopedToken } from '../lib/identity/caller.ts';
import {
  addition,
  additionRefusals,
  addPasskey,
  beginning,
  beginningRefusals,
  beginPasskey,
  newPasskeySchema,
} from '../lib/passkeys/new-passkeys.ts';
import { listPasskeys, passkeysSchema, shownPasskey } from '../lib/passkeys/passkeys.ts';

/** `/api/passkeys`: the caller's passkeys (WebAuthn), which replace a password at sign-in. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's passkeys, and whether passkeys are available",
    access: 'user',
    scope: 'account',
    status: 200,
    answer: passkeysSchema,
    run: ({ caller }) => listPasskeys(caller),
  }),
  POST: operation({
    summary:
      'Start adding a passkey: get the options for `navigator.credentials.create()`; requires `current_password`, and `code` with a second factor',
    access: 'user',
    permit: ({ caller }) => requireUnscopedToken(caller),
    body: beginning,
    example: {
      body: { current_password: 'a horse, a battery' },
      answer: {
        challenge: 'Y2hhbGxlbmdlIG9mIDMyIGJ5dGVzLCBhdCByYW5kb20',
        rp_id: 'chat.example.org',
        rp_name: 'Chat',
        user_handle: 'awFjpDJ_vK_JFuGH',
        username: 'bob',
        display_name: 'bob',
        algorithms: [-8, -7, -257],
        exclude: [],
      },
    },
    status: 201,
    answer: newPasskeySchema,
    refusals: beginningRefusals,
    run: ({ body, caller }) => beginPasskey(body, caller),
  }),
  PUT: operation({
    summary: "Add a passkey with the browser's answer; an account has at most 20",
    access: 'user',
    permit: ({ caller }) => requireUnscopedToken(caller),
    body: addition,
    example: {
      body: {
        name: 'My laptop',
        credential: '0LZ9bpTXtYzDcYnNkEMOCw',
        client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
        attestation: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ',
        transports: ['internal'],
      },
      answer: {
        _id: { $oid: '6b0163a4327fbcafc916e187' },
        name: 'My laptop',
        is_backed_up: true,
        created_at: { $date: '2026-11-21T09:04:42.123Z' },
        last_used_at: null,
      },
    },
    status: 201,
    answer: shownPasskey.schema,
    refusals: additionRefusals,
    security: (_input, { _id }) => ({ event: 'passkey added', what: _id.$oid }),
    run: ({ body, caller }) => addPasskey(body, caller),
  }),
});
