import { type AccountChanges, changeUser, createUser, setWriteRate } from '../../lib/accounts/accounts.ts';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { createPasswordCode } from '../../lib/accounts/password-codes.ts';
import { toObjectId } from '../../lib/api/extended-json.ts';
import { integer, readParameters, readTexts } from '../../lib/api/parameters.ts';
import { email, findUserByName, findUserId, listUsers, username } from '../../lib/identity/users.ts';
import { type Command, required } from '../command.ts';
import { confirm } from '../confirm.ts';
import { everyItem } from '../every-item.ts';
import { askPassword } from '../password.ts';
import { table, yesOrNo } from '../table.ts';

/** Reads a username as the API does. */
export const readUsername = (word: string | undefined) => readParameters({ username }, { username: word }).username;

const readRate = (word: string) =>
  readTexts({ 'writes-per-second': integer(1, 10_000) }, { 'writes-per-second': word })['writes-per-second'];

export const userCommands: Record<string, Command> = {
  'user create': {
    usage: 'user create <username> --email <email> [--admin] [--password-stdin]',
    summary: 'Creates an account. Asks for the password, hidden and twice, or reads it from standard input.',
    operands: 1,
    options: { email: { type: 'string' }, admin: { type: 'boolean' }, 'password-stdin': { type: 'boolean' } },
    run: async ([name], options) => {
      const account = readParameters({ username, email }, { username: name, email: required(options, 'email') });
      const password = await askPassword(options['password-stdin'] === true);
      const user = await createUser({ ...account, password, is_admin: options.admin === true });
      return { data: user, text: `Created the ${user.is_admin ? 'administrator' : 'user'} ${user.username}.` };
    },
  },
  'user password': {
    usage: 'user password <username> [--keep-tokens] [--password-stdin]',
    summary:
      "Changes an account's password; ends its sessions and, unless --keep-tokens is given, its named tokens. Asks for it, hidden and twice, or reads it from standard input.",
    operands: 1,
    options: { 'keep-tokens': { type: 'boolean' }, 'password-stdin': { type: 'boolean' } },
    run: async ([word], options) => {
      const id = await findUserId(readUsername(word));
      const password = await askPassword(options['password-stdin'] === true);
      const user = await changeUser(id, { password }, { tokens: options['keep-tokens'] === true });
      return { data: user, text: `Changed the password of ${user.username}.` };
    },
  },
  'user code': {
    usage: 'user code <username>',
    summary:
      'Prints, once, a link by which whoever has it sets a new password for an account within an hour; without PUBLIC_URL, its code.',
    operands: 1,
    run: async ([word]) => {
      const created = await createPasswordCode(await findUserId(readUsername(word)));
      return { data: created, text: created.link ?? created.code };
    },
  },
  'user list': {
    usage: 'user list',
    summary: 'Lists the accounts, the oldest first.',
    operands: 0,
    run: async () => {
      const users = await everyItem((page) => listUsers(page));
      const rows = users.map((user) => [
        user.username,
        user.email,
        yesOrNo(user.is_admin),
        yesOrNo(user.is_active),
        user.created_at.$date,
      ]);
      return { data: users, text: table(['USERNAME', 'EMAIL', 'ADMIN', 'ACTIVE', 'CREATED'], rows) };
    },
  },
  'user show': {
    usage: 'user show <username>',
    summary: 'Shows an account.',
    operands: 1,
    run: async ([word]) => {
      const user = await findUserByName(readUsername(word));
      const lines = [
        `id: ${user._id.$oid}`,
        `username: ${user.username}`,
        `email: ${user.email}`,
        `admin: ${yesOrNo(user.is_admin)}`,
        `active: ${yesOrNo(user.is_active)}`,
        `created: ${user.created_at.$date}`,
      ];
      return { data: user, text: lines.join('\n') };
    },
  },
  'user promote': changing('promote', 'Makes an account an administrator.', { is_admin: true }, 'is an administrator'),
  'user demote': changing('demote', 'Makes an administrator an ordinary user.', { is_admin: false }, 'is not an administrator'),
  'user deactivate': changing(
    'deactivate',
    'Deactivates an account: its sessions end, and its tokens do not work until it is active again.',
    { is_active: false },
    'is not active',
  ),
  'user activate': changing('activate', 'Activates a deactivated account again.', { is_active: true }, 'is active'),
  'user limit': {
    usage: 'user limit <username> (--writes-per-second <number> | --default)',
    summary:
      'Sets how many messages and changes a second an account may make for long, and five times as many at once; for bots.',
    operands: 1,
    options: { 'writes-per-second': { type: 'string' }, default: { type: 'boolean' } },
    run: async ([word], options) => {
      const rate = options.default === true ? undefined : readRate(required(options, 'writes-per-second'));
      const user = await setWriteRate(await findUserId(readUsername(word)), rate);
      const text = rate === undefined ? 'has the usual rate' : `may make ${rate} messages and changes a second`;
      return { data: user, text: `${user.username} ${text} now.` };
    },
  },
  'user delete': {
    usage: 'user delete <username> [--yes]',
    summary: 'Permanently deletes an account; its messages stay, as those of a deleted user. Asks first, unless --yes is given.',
    operands: 1,
    options: { yes: { type: 'boolean' } },
    run: async ([word], options) => {
      const user = await findUserByName(readUsername(word));
      await confirm(`Delete ${user.username} (${user.email}) for good?`, options.yes === true);
      await deleteUser(toObjectId(user._id));
      return { data: user, text: `Deleted ${user.username}.` };
    },
  },
};

/** A command that changes the state of an account and reports the new one. */
function changing(word: string, summary: string, changes: AccountChanges, state: string): Command {
  return {
    usage: `user ${word} <username>`,
    summary,
    operands: 1,
    run: async ([name]) => {
      const user = await changeUser(await findUserId(readUsername(name)), changes);
      return { data: user, text: `${user.username} ${state} now.` };
    },
  };
}
