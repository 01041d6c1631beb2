import { about, idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { noSuchWebhook, revokeWebhook, webhookRefusals } from '../lib/members/webhooks.ts';

/** `/api/rooms/{room}/webhooks/{webhook}`: one webhook. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'Revoke a webhook at once, as a moderator; its messages stay',
    access: 'user',
    scope: 'members:write',
    path: {
      room: idOf('room'),
      webhook: about('The webhook, by its `_id`, not by its secret.', idOf('webhook')),
    },
    status: 204,
    refusals: [...webhookRefusals, noSuchWebhook],
    security: ({ path: { room, webhook } }) => ({
      event: 'webhook revoked',
      whom: webhook.toHexString(),
      what: `room ${room.toHexString()}`,
    }),
    run: ({ path: { room, webhook }, caller }) => revokeWebhook(room, webhook, caller),
  }),
});
