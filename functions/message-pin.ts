import { pathId } from '../lib/api/extended-json.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { messageSchema } from '../lib/messages/messages.ts';
import { pinMessage, unpinMessage } from '../lib/messages/pins.ts';

/** `/api/messages/{message}/pin`: whether a message is pinned in its room. */
export const handler = endpoint({
  PUT: operation({
    summary: 'Pin a message',
    access: 'user',
    scope: 'messages:write',
    body: {},
    status: 200,
    answer: messageSchema,
    refusals: { 403: ['Room moderator required.'], 409: ['The message is deleted.', 'The room is archived.'] },
    run: async ({ path, caller }) => pinMessage(pathId(path.message, 'message'), caller),
  }),
  DELETE: operation({
    summary: 'Unpin a message',
    access: 'user',
    scope: 'messages:write',
    status: 200,
    answer: messageSchema,
    refusals: { 403: ['Room moderator required.'], 409: ['The message is deleted.', 'The room is archived.'] },
    run: async ({ path, caller }) => unpinMessage(pathId(path.message, 'message'), caller),
  }),
});
