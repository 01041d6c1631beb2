import { toObjectId } from '../../lib/api/extended-json.ts';
import { optional, readParameters, someOf } from '../../lib/api/parameters.ts';
import { scopes } from '../../lib/api/scopes.ts';
import { actOfNewBot, actOnBot } from '../../lib/audit/acts.ts';
import { changeBot, createBot, listBots } from '../../lib/bots/bots.ts';
import { newUsername } from '../../lib/identity/account-names.ts';
import { createToken, tokenName } from '../../lib/identity/api-tokens.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { fullName } from '../../lib/identity/persons.ts';
import { findUserId } from '../../lib/identity/users.ts';
import { type Run, required, UsageError } from '../command.ts';
import { everyItem } from '../every-item.ts';
import { table, yesOrNo } from '../output.ts';
import { recorded } from '../recorded.ts';
import { readUsername } from './user.ts';

/**
 * The default scopes of a token that is created with a bot: it reads its rooms and writes messages.
 */
const usualScopes = ['rooms:read', 'members:read', 'messages:read', 'messages:write'] as const;

export const botCommands: Record<string, Run> = {
  'bot create': async ([word], options) => {
    const wanted = readParameters(
      { username: newUsername, name: optional(fullName), scope: optional(someOf(scopes)), token: tokenName },
      { username: word, name: options.name, scope: options.scope, token: 'first' },
    );
    const owner = options.owner === undefined ? undefined : await findUserId(readUsername(String(options.owner)));
    const bot = await recorded(actOfNewBot(wanted.username, commandLine), () =>
      createBot({ username: wanted.username, name: wanted.name, owner }, commandLine),
    );
    const { token } = await createToken(toObjectId(bot._id), wanted.token, { scopes: wanted.scope ?? [...usualScopes] });
    return { data: { ...bot, token }, text: token };
  },
  'bot list': async () => {
    const bots = await everyItem((page) => listBots(page, commandLine));
    const rows = bots.map(({ _id, username, name = '', owner, is_active }) => [
      _id.$oid,
      username,
      name,
      owner?.$oid ?? 'administrators',
      yesOrNo(is_active),
    ]);
    return { data: bots, text: table(['ID', 'USERNAME', 'NAME', 'OWNER', 'ACTIVE'], rows) };
  },
  'bot give': async ([word], options) => {
    const toAdmins = options['to-administrators'] === true;
    if (toAdmins === (options.owner !== undefined)) throw new UsageError('Give either --owner or --to-administrators.');
    const owner = toAdmins ? null : await findUserId(readUsername(required(options, 'owner')));
    const id = await findUserId(readUsername(word));
    const bot = await recorded(await actOnBot(id, 'bot.changed', commandLine, owner), () =>
      changeBot(id, { name: undefined, owner }, commandLine),
    );
    return { data: bot, text: `Gave ${bot.username} to another owner, and deleted its tokens and commands.` };
  },
};
