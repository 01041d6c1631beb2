import { idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { saveMessage, saveParameters, saveRefusals, shownSaved, unsaveMessage, unsaveRefusals } from '../lib/messages/saved.ts';

const path = { message: idOf('message') };

/** `/api/messages/{message}/save`: saves a message for the caller. */
export const handler = endpoint({
  PUT: operation({
    summary: 'Save a message for the caller, optionally with a reminder',
    access: 'user',
    scope: 'messages:write',
    path,
    body: saveParameters,
    status: 200,
    answer: shownSaved.schema,
    refusals: saveRefusals,
    run: ({ path: { message }, body, caller }) => saveMessage(message, body, caller),
  }),
  DELETE: operation({
    summary: 'Remove a saved message',
    access: 'user',
    scope: 'messages:write',
    path,
    status: 204,
    refusals: unsaveRefusals,
    run: ({ path: { message }, caller }) => unsaveMessage(message, caller),
  }),
});
