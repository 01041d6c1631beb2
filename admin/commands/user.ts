import { type AccountChanges, changeUser, createUser } from '../../lib/accounts/accounts.ts';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { eraseUser } from '../../lib/accounts/erasure.ts';
import { holdUser } from '../../lib/accounts/holds.ts';
import { disconnectUser } from '../../lib/accounts/identities.ts';
import { ownRate, setWriteRate } from '../../lib/accounts/rates.ts';
import { createSetupCode } from '../../lib/accounts/setup-code.ts';
import { unlimit } from '../../lib/accounts/unlimit.ts';
import { parseId, toObjectId } from '../../lib/api/extended-json.ts';
import { readParameters, readTexts } from '../../lib/api/parameters.ts';
import type { AuditAction } from '../../lib/audit/actions.ts';
import { actOfHold, createdUser, rateDetails } from '../../lib/audit/acts.ts';
import { exportUser } from '../../lib/exports/users.ts';
import { email, newUsername, username } from '../../lib/identity/account-names.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { findUserByName, listUsers, noSuchUser } from '../../lib/identity/users.ts';
import { resetSecondFactor } from '../../lib/second-factor/reset.ts';
import { createPasswordCode } from '../../lib/sign-in/password-codes.ts';
import { type Options, type Result, type Run, required, type Streams } from '../command.ts';
import { confirm } from '../confirm.ts';
import { everyItem } from '../every-item.ts';
import { table, yesOrNo } from '../output.ts';
import { askPassword } from '../password.ts';
import { progressBar } from '../progress.ts';
import { onUser, recorded } from '../recorded.ts';

/** Parses a username like the API. */
export const readUsername = (word: string | undefined) => readParameters({ username }, { username: word }).username;

const readRate = (word: string) =>
  readTexts({ 'writes-per-second': ownRate }, { 'writes-per-second': word })['writes-per-second'];

export const userCommands: Record<string, Run> = {
  'user create': async ([name], options, streams) => {
    const account = readParameters({ username: newUsername, email }, { username: name, email: required(options, 'email') });
    const password = await askPassword(options['password-stdin'] === true, streams);
    const isAdmin = options.admin === true;
    const user = await recorded([createdUser(account.username, isAdmin)], () =>
      createUser({ ...account, password, is_admin: isAdmin }),
    );
    return { data: user, text: `Created the ${user.is_admin ? 'administrator' : 'user'} ${user.username}.` };
  },
  'user password': async ([word], options, streams) => {
    const found = await findUserByName(readUsername(word));
    const password = await askPassword(options['password-stdin'] === true, streams);
    const user = await recorded(onUser(found, 'user.password_changed'), () =>
      changeUser(toObjectId(found._id), { password }, { tokens: options['keep-tokens'] === true }),
    );
    return { data: user, text: `Changed the password of ${user.username}.` };
  },
  'user code': async ([word]) => {
    const user = await findUserByName(readUsername(word));
    const created = await recorded(onUser(user, 'user.code_created'), () => createPasswordCode(toObjectId(user._id)));
    return { data: created, text: created.link ?? created.code };
  },
  'user 2fa-reset': async ([word]) => {
    const user = await findUserByName(readUsername(word));
    await recorded(onUser(user, 'user.second_factor_reset'), () => resetSecondFactor(toObjectId(user._id)));
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
      user.email ?? '',
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
      ...(user.email === undefined ? [] : [`email: ${user.email}`]),
      `admin: ${yesOrNo(user.is_admin)}`,
      `active: ${yesOrNo(user.is_active)}`,
      `created: ${user.created_at.$date}`,
    ];
    return { data: user, text: lines.join('\n') };
  },
  'user promote': changing({ is_admin: true }, 'user.promoted', 'is an administrator'),
  'user demote': changing({ is_admin: false }, 'user.demoted', 'is not an administrator'),
  'user deactivate': changing({ is_active: false }, 'user.deactivated', 'is not active'),
  'user activate': changing({ is_active: true }, 'user.activated', 'is active'),
  'user disconnect': async ([word]) => {
    const found = await findUserByName(readUsername(word));
    const user = await recorded(onUser(found, 'user.disconnected'), () => disconnectUser(toObjectId(found._id), commandLine));
    return { data: user, text: `Disconnected ${user.username} from the identity provider.` };
  },
  'user hold': holding(true, 'keeps all its messages'),
  'user release': holding(false, 'has messages past their retention period deleted again'),
  'user limit': async ([word], options) => {
    const rate = options.default === true ? null : readRate(required(options, 'writes-per-second'));
    const found = await findUserByName(readUsername(word));
    const user = await recorded(onUser(found, 'user.rate_changed', rateDetails(rate)), () =>
      setWriteRate(toObjectId(found._id), rate),
    );
    const text = rate === null ? 'has the default rate' : `may make ${rate} messages and changes a second`;
    return { data: user, text: `${user.username} ${text} now.` };
  },
  'user unlimit': async ([word]) => {
    const user = await findUserByName(readUsername(word));
    await recorded(onUser(user, 'user.limits_lifted'), () => unlimit(toObjectId(user._id), user.email));
    return { data: user, text: `Reset the rate limits of ${user.username}.` };
  },
  'user export': async ([word, path = ''], _options, { stderr }) => {
    const user = await findUserByName(readUsername(word));
    const bar = progressBar(stderr);
    try {
      const counts = await recorded(onUser(user, 'user.exported'), () => exportUser(toObjectId(user._id), path, bar.update));
      const lines = Object.entries(counts).map(([what, count]) => `${what}: ${count}`);
      return { data: { directory: path, counts }, text: [`Exported ${user.username} to ${path}.`, ...lines].join('\n') };
    } finally {
      bar.end();
    }
  },
  'user delete': async ([word], options, streams) => {
    if (options['with-messages'] === true) return erase(word, options, streams);
    const user = await findUserByName(readUsername(word));
    await confirm(
      `Delete ${user.username}${user.email === undefined ? '' : ` (${user.email})`} for good?`,
      options.yes === true,
      streams,
    );
    await recorded(onUser(user, 'user.deleted'), () => deleteUser(toObjectId(user._id)));
    return { data: user, text: `Deleted ${user.username}.` };
  },
};

/** Deletes an account and its messages. The id of a deleted account deletes only the messages. */
async function erase(word: string | undefined, options: Options, streams: Streams): Promise<Result> {
  // An older account may have a username that looks like an id.
  const id = parseId(word);
  const user = await findUserByName(readUsername(word)).catch((error) => {
    if (id) return undefined;
    throw error;
  });
  const called = user?.username ?? `the deleted account ${word}`;
  const question = `Delete ${called} and all its messages and files permanently?`;
  await confirm(question, options.yes === true, streams);
  const target = user ? toObjectId(user._id) : id;
  if (!target) throw noSuchUser();
  const details = { messages: 'deleted' };
  const acts = user
    ? onUser(user, 'user.deleted', details)
    : [{ action: 'user.deleted' as const, target: { kind: 'user' as const, id: target, name: null }, details }];
  const bar = progressBar(streams.stderr);
  try {
    const { messages, held } = await recorded(acts, () => eraseUser(target, bar.update));
    const kept = held > 0 ? [`${held} messages stay, because their rooms are on hold.`] : [];
    const text = [`Deleted ${called}, and ${messages} messages.`, ...kept].join('\n');
    return { data: { username: user?.username ?? null, messages, held }, text };
  } finally {
    bar.end();
  }
}

/** Creates a command that changes the state of an account and reports the new one. */
function changing(changes: AccountChanges, action: AuditAction, state: string): Run {
  return async ([name]) => {
    const found = await findUserByName(readUsername(name));
    const user = await recorded(onUser(found, action), () => changeUser(toObjectId(found._id), changes));
    return { data: user, text: `${user.username} ${state} now.` };
  };
}

function holding(is_held: boolean, effect: string): Run {
  return async ([word]) => {
    const user = await findUserByName(readUsername(word));
    const id = toObjectId(user._id);
    await recorded(await actOfHold(id, is_held, commandLine), () => holdUser(id, is_held));
    return { data: { _id: user._id, username: user.username, is_held }, text: `${user.username} ${effect}.` };
  };
}
