import { preconditionOf } from '../lib/api/entity-tag.ts';
import { idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { shownMessage } from '../lib/messages/messages.ts';
import { pinMessage, pinRefusals, unpinMessage } from '../lib/messages/pins.ts';

const path = { message: idOf('message') };

/** `/api/messages/{message}/pin`: pins a message in its room. */
export const handler = endpoint({
  PUT: operation({
    summary: 'Pin a message',
    access: 'user',
    scope: 'messages:write',
    path,
    body: {},
    status: 200,
    answer: shownMessage.schema,
    hasTag: true,
    refusals: pinRefusals,
    run: ({ path: { message }, caller, request: { headers } }) => pinMessage(message, caller, preconditionOf(headers)),
  }),
  DELETE: operation({
    summary: 'Unpin a message',
    access: 'user',
    scope: 'messages:write',
    path,
    status: 200,
    answer: shownMessage.schema,
    hasTag: true,
    refusals: pinRefusals,
    run: ({ path: { message }, caller, request: { headers } }) => unpinMessage(message, caller, preconditionOf(headers)),
  }),
});
