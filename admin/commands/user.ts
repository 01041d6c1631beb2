import { type AccountChanges, changeUser, createUser, setWriteRate } from '../../lib/accounts/accounts.ts';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { disconnectUser } from '../../lib/accounts/identities.ts';
import { createPasswordCode } from '../../lib/accounts/password-codes.ts';
import { resetSecondFactor } from '../../lib/accounts/second-factor-reset.ts';
import { createSetupCode } from '../../lib/accounts/setup-code.ts';
import { unlimit } from '../../lib/accounts/unlimit.ts';
import { toObjectId } from '../../lib/api/extended-json.ts';
import { integer, readParameters, readTexts } from '../../lib/api/parameters.ts';
import { email, findUserByName, findUserId, listUsers, newUsername, username } from '../../lib/identity/users.ts';
import { type Run, required } from '../command.ts';
import { confirm } from '../confirm.ts';
import { everyItem } from '../every-item.ts';
import { table, yesOrNo } from '../output.ts';
import { askPassword } from '../password.ts';

/** Reads a username as the API does. */
export const readUsername = (word: string | undefined) => readParameters({ username }, { username: word }).username;

const readRate = (word: string) =>
  readTexts({ 'writes-per-second': integer(1, 10_000) }, { 'writes-per-second': word })['writes-per-second'];

export const userCommands: Record<string, Run> = {
  'user create': async ([name], options, streams) => {
    const account = readParameters({ username: newUsername, email }, { username: name, email: required(options, 'email') });
    const password = await askPassword(options['password-stdin'] === true, streams);
    const user = await createUser({ ...account, password, is_admin: options.admin === true });
    return { data: user, text: `Created the ${user.is_admin ? 'administrator' : 'user'} ${user.username}.` };
  },
  'user password': async ([word], options, streams) => {
    const id = await findUserId(readUsername(word));
    const password = await askPassword(options['password-stdin'] === true, streams);
    const user = await changeUser(id, { password }, { tokens: options['keep-tokens'] === true });
    return { data: user, text: `Changed the password of ${user.username}.` };
  },
  'user code': async ([word]) => {
    const created = await createPasswordCode(await findUserId(readUsername(word)));
    return { data: created, text: created.link ?? created.code };
  },
  'user 2fa-reset': async ([word]) => {
    const user = await findUserByName(readUsername(word));
    await resetSecondFactor(toObjectId(user._id));
    return { data: user, text: `Turned off the second factor of ${user.username}, whose sessions have ended.` };
  },
  setup: async () => {
    const created = await createSetupCode();
    if (!created) throw new Error('There is an administrator already: `user create --admin` makes an administrator.');
    return { data: created, text: `${created.address ?? ''}${created.path}` };
  },
  'user list': async () => {
    const users = await everyItem((page) => listUsers(page));
    const rows = users.map((user) => [
      user.username,
      user.name ?? '',
      user.email,
      yesOrNo(user.is_admin),
      yesOrNo(user.is_active),
      user.created_at.$date,
    ]);
    return { data: users, text: table(['USERNAME', 'NAME', 'EMAIL', 'ADMIN', 'ACTIVE', 'CREATED'], rows) };
  },
  'user show': async ([word]) => {
    const user = await findUserByName(readUsername(word));
    const lines = [
      `id: ${user._id.$oid}`,
      `username: ${user.username}`,
      ...(user.name === undefined ? [] : [`name: ${user.name}`]),
      `email: ${user.email}`,
      `admin: ${yesOrNo(user.is_admin)}`,
      `active: ${yesOrNo(user.is_active)}`,
      `created: ${user.created_at.$date}`,
    ];
    return { data: user, text: lines.join('\n') };
  },
  'user promote': changing({ is_admin: true }, 'is an administrator'),
  'user demote': changing({ is_admin: false }, 'is not an administrator'),
  'user deactivate': changing({ is_active: false }, 'is not active'),
  'user activate': changing({ is_active: true }, 'is active'),
  'user disconnect': async ([word]) => {
    const user = await disconnectUser(await findUserId(readUsername(word)));
    return { data: user, text: `Nobody at the identity provider signs in to ${user.username} now.` };
  },
  'user limit': async ([word], options) => {
    const rate = options.default === true ? undefined : readRate(required(options, 'writes-per-second'));
    const user = await setWriteRate(await findUserId(readUsername(word)), rate);
    const text = rate === undefined ? 'has the usual rate' : `may make ${rate} messages and changes a second`;
    return { data: user, text: `${user.username} ${text} now.` };
  },
  'user unlimit': async ([word]) => {
    const user = await findUserByName(readUsername(word));
    await unlimit(toObjectId(user._id), user.email);
    return { data: user, text: `Forgot what was counted against ${user.username}.` };
  },
  'user delete': async ([word], options, streams) => {
    const user = await findUserByName(readUsername(word));
    await confirm(`Delete ${user.username} (${user.email}) for good?`, options.yes === true, streams);
    await deleteUser(toObjectId(user._id));
    return { data: user, text: `Deleted ${user.username}.` };
  },
};

/** A command that changes the state of an account and reports the new one. */
function changing(changes: AccountChanges, state: string): Run {
  return async ([name]) => {
    const user = await changeUser(await findUserId(readUsername(name)), changes);
    return { data: user, text: `${user.username} ${state} now.` };
  };
}
