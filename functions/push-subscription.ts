import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import {
  findSubscription,
  subscribe,
  subscribeRefusals,
  subscriptionParameters,
  subscriptionSchema,
  unsubscribe,
} from '../lib/notifications/subscriptions.ts';

/** `/api/push-subscription`: the push subscription of the device that has the caller's token. */
export const handler = endpoint({
  GET: operation({
    summary: "Get the push subscription of the caller's token, and the key to subscribe with",
    access: 'user',
    scope: 'messages:read',
    status: 200,
    answer: subscriptionSchema,
    run: ({ caller }) => findSubscription(caller),
  }),
  PUT: operation({
    summary: "Subscribe the device of the caller's token to pushes, until the token ends",
    access: 'user',
    scope: 'messages:read',
    body: subscriptionParameters,
    status: 200,
    answer: subscriptionSchema,
    refusals: subscribeRefusals,
    run: ({ body, caller }) => subscribe(body, caller),
  }),
  DELETE: operation({
    summary: "End the push subscription of the caller's token",
    access: 'user',
    scope: 'messages:read',
    status: 204,
    run: ({ caller }) => unsubscribe(caller),
  }),
});
