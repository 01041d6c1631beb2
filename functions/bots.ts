import { pageParameters } from '../lib/api/pages.ts';
import { listOf } from '../lib/api/schema.ts';
import { actOfNewBot } from '../lib/audit/acts.ts';
import { botParameters, createBot, listBots, newBotRefusals, shownBot } from '../lib/bots/bots.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/bots`: bots, for their owners and administrators. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's bots; administrators see all",
    access: 'user',
    scope: 'account',
    query: pageParameters,
    status: 200,
    answer: listOf(shownBot.schema),
    run: async ({ query, caller, request }) => answerList(await listBots(query, caller), request),
  }),
  POST: operation({
    summary: 'Create a bot, as an administrator, or as any user if `BOT_CREATION` is `users`',
    access: 'user',
    scope: 'account',
    body: botParameters,
    status: 201,
    answer: shownBot.schema,
    refusals: newBotRefusals,
    security: (_input, { _id, username }) => ({ event: 'bot made', whom: _id.$oid, what: username }),
    audit: ({ body: { username } }, caller) => actOfNewBot(username, caller),
    run: ({ body, caller }) => createBot(body, caller),
  }),
});
