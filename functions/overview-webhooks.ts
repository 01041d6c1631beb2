import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listAllWebhooks, listedWebhookParameters, listedWebhookSchema } from '../lib/members/all-made.ts';

/** `/api/overview/webhooks`: the webhooks of all rooms and bots, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the webhooks of all rooms and bots, with their creators and last failures',
    access: 'admin',
    query: listedWebhookParameters,
    status: 200,
    answer: listOf(listedWebhookSchema),
    run: async ({ query, request }) => answerList(await listAllWebhooks(query), request),
  }),
});
