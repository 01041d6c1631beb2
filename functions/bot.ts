import { about, idOf } from '../lib/api/parameters.ts';
import { actOnBot } from '../lib/audit/acts.ts';
import { botDetailsSchema, findBotDetails } from '../lib/bots/bot-commands.ts';
import { deleteBot } from '../lib/bots/bot-deletion.ts';
import { botChangeRefusals, botChanges, botRefusals, changeBot, shownBot } from '../lib/bots/bots.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

const path = { bot: about('The bot, by its `_id`.', idOf('bot')) };

/** `/api/bots/{bot}`: one bot, for its owner and administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get a bot and its commands, as its owner or an administrator',
    access: 'user',
    scope: 'account',
    path,
    status: 200,
    answer: botDetailsSchema,
    refusals: botRefusals,
    run: ({ path: { bot }, caller }) => findBotDetails(bot, caller),
  }),
  PATCH: operation({
    summary: 'Change a bot, as its owner or an administrator; only administrators can change the owner',
    access: 'user',
    scope: 'account',
    path,
    body: botChanges,
    needsAny: true,
    status: 200,
    answer: shownBot.schema,
    refusals: botChangeRefusals,
    security: ({ body: { owner } }, { _id }) =>
      owner === undefined
        ? undefined
        : { event: 'bot given to another owner', whom: _id.$oid, what: owner?.toHexString() ?? 'administrators' },
    audit: ({ path: { bot }, body: { owner } }, caller) => actOnBot(bot, 'bot.changed', caller, owner),
    run: ({ path: { bot }, body, caller }) => changeBot(bot, body, caller),
  }),
  DELETE: operation({
    summary: 'Delete a bot, as its owner or an administrator; its messages stay, under the name `(deleted)`',
    access: 'user',
    scope: 'account',
    path,
    status: 204,
    refusals: botRefusals,
    security: ({ path: { bot } }) => ({ event: 'bot deleted', whom: bot.toHexString() }),
    audit: ({ path: { bot } }, caller) => actOnBot(bot, 'bot.deleted', caller),
    run: ({ path: { bot }, caller }) => deleteBot(bot, caller),
  }),
});
