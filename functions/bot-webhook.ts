import { about, idOf } from '../lib/api/parameters.ts';
import { actOnBot, actOnBotWebhook } from '../lib/audit/acts.ts';
import {
  botWebhookChangeRefusals,
  botWebhookChanges,
  botWebhookParameters,
  botWebhookRefusals,
  botWebhookSchema,
  findBotWebhook,
  newBotWebhookRefusals,
  putBotWebhook,
  removeBotWebhook,
  requireBotWebhook,
} from '../lib/bots/bot-webhooks.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { deliverySchema } from '../lib/members/outgoing-webhooks.ts';
import { changeOrReplay } from '../lib/senders/bot-replay.ts';
import { sendTest } from '../lib/senders/test-event.ts';

const path = { bot: about('The bot, by its `_id`.', idOf('bot')) };

/** `/api/bots/{bot}/webhook`: the receiver of events from a bot's rooms. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get the webhook of a bot and its last deliveries, as its owner or an administrator',
    access: 'user',
    scope: 'account',
    path,
    status: 200,
    answer: botWebhookSchema,
    refusals: botWebhookRefusals,
    run: ({ path: { bot }, caller }) => findBotWebhook(bot, caller),
  }),
  PUT: operation({
    summary:
      'Create or replace the webhook of a bot, as its owner or an administrator; each call creates a new `secret`, shown only once',
    access: 'user',
    scope: 'account',
    path,
    body: botWebhookParameters,
    status: 200,
    answer: botWebhookSchema,
    refusals: newBotWebhookRefusals,
    security: ({ path: { bot } }) => ({ event: 'webhook made', whom: bot.toHexString(), what: 'bot' }),
    audit: ({ path: { bot }, body }, caller) => actOnBotWebhook(bot, caller, body),
    run: ({ path: { bot }, body, caller }) => putBotWebhook(bot, body, caller),
  }),
  POST: operation({
    summary: 'Send a test event to the webhook of a bot, as its owner or an administrator',
    access: 'user',
    scope: 'account',
    path,
    body: {},
    status: 200,
    answer: deliverySchema,
    refusals: botWebhookRefusals,
    run: async ({ path: { bot }, caller }) => sendTest(await requireBotWebhook(bot, caller), { bot }),
  }),
  PATCH: operation({
    summary: 'Change the webhook of a bot, replace its secret, or resend events, as its owner or an administrator',
    access: 'user',
    scope: 'account',
    path,
    body: botWebhookChanges,
    status: 200,
    answer: botWebhookSchema,
    refusals: botWebhookChangeRefusals,
    security: ({ path: { bot }, body: { new_secret } }) =>
      new_secret ? { event: 'webhook made', whom: bot.toHexString(), what: 'bot' } : undefined,
    audit: ({ path: { bot }, body }, caller) => actOnBotWebhook(bot, caller, body),
    run: ({ path: { bot }, body, caller }) => changeOrReplay(bot, body, caller),
  }),
  DELETE: operation({
    summary: 'Remove the webhook of a bot, as its owner or an administrator',
    access: 'user',
    scope: 'account',
    path,
    status: 204,
    refusals: botWebhookRefusals,
    security: ({ path: { bot } }) => ({ event: 'webhook revoked', whom: bot.toHexString(), what: 'bot' }),
    audit: ({ path: { bot } }, caller) => actOnBot(bot, 'bot.changed', caller),
    run: ({ path: { bot }, caller }) => removeBotWebhook(bot, caller),
  }),
});
