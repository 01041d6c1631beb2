import { about, idOf } from '../lib/api/parameters.ts';
import { actInRoom } from '../lib/audit/acts-in-rooms.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import {
  changeOutgoing,
  deliverySchema,
  findOutgoing,
  outgoingRefusals,
  requireOutgoing,
  webhookChanges,
  webhookDetailsSchema,
} from '../lib/members/outgoing-webhooks.ts';
import { noSuchWebhook, revokeWebhook, webhookRefusals } from '../lib/members/webhooks.ts';
import { sendTest } from '../lib/senders/test-event.ts';

const path = {
  room: idOf('room'),
  webhook: about('The webhook, by its `_id`, not by its secret.', idOf('webhook')),
};

/** `/api/rooms/{room}/webhooks/{webhook}`: one webhook. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get an outgoing webhook and its last deliveries, as a moderator',
    access: 'user',
    scope: 'members:read',
    path,
    status: 200,
    answer: webhookDetailsSchema,
    refusals: outgoingRefusals,
    run: ({ path: { room, webhook }, caller }) => findOutgoing(room, webhook, caller),
  }),
  POST: operation({
    summary: 'Send a test event to an outgoing webhook, as a moderator, and get the result',
    access: 'user',
    scope: 'members:write',
    path,
    body: {},
    status: 200,
    answer: deliverySchema,
    refusals: outgoingRefusals,
    run: async ({ path: { room, webhook }, caller }) =>
      sendTest((await requireOutgoing(room, webhook, caller)).outgoing, { room }),
  }),
  PATCH: operation({
    summary: 'Change an outgoing webhook, replace its secret, or resend events, as a moderator',
    access: 'user',
    scope: 'members:write',
    path,
    body: webhookChanges,
    status: 200,
    answer: webhookDetailsSchema,
    refusals: outgoingRefusals,
    audit: ({ path: { room, webhook } }, caller) => actInRoom(room, 'webhook.changed', webhook, caller),
    run: ({ path: { room, webhook }, body, caller }) => changeOutgoing(room, webhook, body, caller),
  }),
  DELETE: operation({
    summary: 'Revoke a webhook at once, as a moderator; its messages stay',
    access: 'user',
    scope: 'members:write',
    path,
    status: 204,
    refusals: [...webhookRefusals, noSuchWebhook],
    security: ({ path: { room, webhook } }) => ({
      event: 'webhook revoked',
      whom: webhook.toHexString(),
      what: `room ${room.toHexString()}`,
    }),
    audit: ({ path: { room, webhook } }, caller) => actInRoom(room, 'webhook.revoked', webhook, caller),
    run: ({ path: { room, webhook }, caller }) => revokeWebhook(room, webhook, caller),
  }),
});
