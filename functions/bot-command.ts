import { about, idOf } from '../lib/api/parameters.ts';
import { actOnBot, hostDetail } from '../lib/audit/acts.ts';
import {
  commandName,
  commandParameters,
  newCommandSchema,
  noSuchCommand,
  registerCommand,
  registerRefusals,
  unregisterCommand,
  unregisterRefusals,
} from '../lib/bots/bot-commands.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

const bot = about('The bot, by its `_id`.', idOf('bot'));
const command = about('The name of the command, without the slash.', commandName);

/**
 * `/api/bots/{bot}/commands/{command}`: one slash command, for its bot, the bot's owner and
 * administrators.
 */
export const handler = endpoint({
  PUT: operation({
    summary:
      'Register or change a slash command, as the bot, its owner or an administrator; each call creates a new `secret`, shown only once',
    access: 'user',
    scope: 'account',
    path: { bot, command },
    body: commandParameters,
    status: 200,
    answer: newCommandSchema,
    refusals: registerRefusals,
    security: ({ path: { bot, command } }) => ({ event: 'command registered', whom: bot.toHexString(), what: command }),
    audit: ({ path: { bot }, body: { url } }, caller) =>
      actOnBot(bot, 'bot.changed', caller, undefined, hostDetail('command', url)),
    run: ({ path, body, caller }) => registerCommand(path, body, caller),
  }),
  DELETE: operation({
    summary: 'Remove a slash command, as the bot, its owner or an administrator',
    access: 'user',
    scope: 'account',
    path: { bot, command: { ...command, refuse: noSuchCommand } },
    status: 204,
    refusals: unregisterRefusals,
    audit: ({ path: { bot } }, caller) => actOnBot(bot, 'bot.changed', caller),
    run: ({ path, caller }) => unregisterCommand(path, caller),
  }),
});
