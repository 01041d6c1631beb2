import { idOf } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { hostDetail } from '../lib/audit/acts.ts';
import { actInRoom } from '../lib/audit/acts-in-rooms.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import {
  addWebhook,
  addWebhookRefusals,
  listWebhooks,
  newWebhookSchema,
  webhookParameters,
  webhookRefusals,
  webhookSchema,
} from '../lib/members/webhooks.ts';

const path = { room: idOf('room') };

/** `/api/rooms/{room}/webhooks`: the addresses at which other programs post into a room. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the webhooks of a room, as a moderator',
    access: 'user',
    scope: 'members:read',
    path,
    status: 200,
    answer: listOf(webhookSchema),
    refusals: webhookRefusals,
    run: ({ path: { room }, caller }) => listWebhooks(room, caller),
  }),
  POST: operation({
    summary: 'Create a webhook of a room, as a moderator; its `secret` is shown only once',
    access: 'user',
    scope: 'members:write',
    path,
    body: webhookParameters,
    status: 201,
    answer: newWebhookSchema,
    refusals: addWebhookRefusals,
    security: ({ path: { room } }, { _id }) => ({ event: 'webhook made', whom: _id.$oid, what: `room ${room.toHexString()}` }),
    audit: ({ path: { room }, body: { url } }, caller) =>
      actInRoom(room, 'webhook.created', undefined, caller, hostDetail('webhook', url)),
    run: ({ path: { room }, body, caller }) => addWebhook(room, body, caller),
  }),
});
