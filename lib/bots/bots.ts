import { ObjectId } from 'mongodb';
import { idSchema, showId } from '../api/extended-json.ts';
import { type ListPage, type Page, pageById, withOneMore } from '../api/pages.ts';
import { about, id, optional, orNone, type Values } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aFlag, described, orNull } from '../api/schema.ts';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { adminRequired, conflict, notFound, permissionDenied, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { proofRequired } from '../credentials/fresh-sessions.ts';
import { insertWithTimes } from '../database/writes.ts';
import { newUsername } from '../identity/account-names.ts';
import { nameBeginnings } from '../identity/beginnings.ts';
import { hasActiveOwner } from '../identity/bot-rules.ts';
import { type Caller, commandLine, isAdmin, requireAdmin } from '../identity/caller.ts';
import { aFullName, aPicture, aUsername, fullName } from '../identity/persons.ts';
import { isReserved, usernameReserved } from '../identity/reserved-names.ts';
import { orConflict, requireFree, usernameTaken } from '../identity/taken-names.ts';
import { noSuchUser } from '../identity/users.ts';
import { silenceBot } from '../members/silenced-bots.ts';
import { notifyServers } from '../notices/notices.ts';
import { config } from '../settings/config.ts';

const { as, ownId, date, made, representation } = shownFrom<UserDocument>();

/** A bot, as its owner and administrators see it. */
export const shownBot = representation(
  'Bot',
  {
    _id: ownId,
    username: as(aUsername, 'username'),
    name: as(aFullName, 'name'),
    avatar: as(aPicture, 'avatar'),
    owner: made(
      described(
        'The user who is responsible for the bot and manages it; null if it belongs to the administrators.',
        orNull(idSchema),
      ),
      ({ owner }) => (owner ? showId(owner) : null),
      { owner: 1 },
    ),
    is_active: as(described('Whether the account can be used.', aFlag), 'is_active'),
    created_at: date('created_at', 'The time of creation.'),
  },
  ['name', 'avatar'],
);
export type Bot = ShownBy<typeof shownBot>;

/** The parameters of a new bot. */
export const botParameters = {
  username: newUsername,
  name: optional(fullName),
  owner: about('The user who is responsible for the bot, by default the caller; for administrators.', optional(id)),
};

/** The changes that can be made to a bot. */
export const botChanges = {
  name: optional(fullName),
  owner: about(
    'The owner of the bot, or null for the administrators; only administrators can change it. Its tokens, commands, webhooks and invitations end, because the old owner knows their secrets.',
    optional(orNone(id)),
  ),
};

/** The most bots of a user, unless administrators create more. */
const mostBots = 10;

export const noSuchBot: Refusal = () => notFound('bot');
const tooManyBots: Refusal = () => conflict('too_many_bots', 'The user has too many bots.');
const madeByBot: Refusal = () => permissionDenied('bot_refused', 'A bot cannot create or own bots.');
export const botRefusals = [noSuchBot];
export const newBotRefusals = [adminRequired, noSuchUser, madeByBot, usernameReserved, usernameTaken, tooManyBots];
export const botChangeRefusals = [adminRequired, proofRequired, noSuchUser, madeByBot, noSuchBot];

/**
 * A page of the bots of the caller or, for administrators, of everyone, by the order of their ids.
 */
export async function listBots({ limit, after }: Page, caller: Caller): Promise<ListPage<Bot>> {
  const where = { is_bot: true as const, ...ownedBy(caller), ...(after && { _id: { $gt: after } }) };
  const found = await users.find(where, { sort: { _id: 1 }, projection: shownBot.reads, ...withOneMore(limit) }).toArray();
  return pageById(found, limit, shownBot.show);
}

/**
 * The bot with this id, as it is stored, for its owner and administrators; 404 for everyone else.
 */
export async function requireBot(_id: ObjectId, caller: Caller): Promise<UserDocument> {
  const found = await users.findOne({ _id, is_bot: true, ...ownedBy(caller) });
  if (!found) throw noSuchBot();
  return found;
}

const ownedBy = (caller: Caller) => (isAdmin(caller) ? {} : { owner: caller.user._id });

/**
 * Creates a bot: an account without a password, an address or another way to sign in. It acts with
 * the tokens that its owner creates, and joins no room by itself.
 */
export async function createBot({ username, name, owner }: Values<typeof botParameters>, caller: Caller): Promise<Bot> {
  if (caller.user.is_bot) throw madeByBot();
  if (!isAdmin(caller)) {
    if (config.botCreation === 'admins' || (owner && !owner.equals(caller.user._id))) throw adminRequired();
    if (isReserved(username)) throw usernameReserved();
  }
  if (owner) await requireOwner(owner);
  const answering = owner ?? (caller === commandLine ? undefined : caller.user._id);
  await requireFree(username);
  const account = {
    _id: new ObjectId(),
    username,
    ...(name && { name }),
    name_beginnings: nameBeginnings({ username, name }),
    is_bot: true,
    ...(answering && { owner: answering }),
    is_admin: false,
    is_active: true,
    session_generation: 0,
  };
  const inserted = await orConflict(insertWithTimes(users.unscoped, account, { created_at: '$$NOW' }));
  if (!isAdmin(caller)) await requireFew(caller.user._id, inserted._id);
  return shownBot.show(inserted);
}

/** Changes a bot; its owner is changed by administrators alone. */
export async function changeBot(_id: ObjectId, { name, owner }: Values<typeof botChanges>, caller: Caller): Promise<Bot> {
  if (owner !== undefined) requireAdmin(caller);
  const { username } = await requireBot(_id, caller);
  if (owner) await requireOwner(owner);
  // Before and after: the bot never has a new owner while the old owner's tokens work, including
  // tokens created in the meantime.
  if (owner !== undefined) await silenceBot(_id);
  const set = {
    ...(name && { name }),
    ...(name !== undefined && { name_beginnings: nameBeginnings({ username, name }) }),
    ...(owner && { owner }),
  };
  const unset = { ...(name === '' && { name: '' as const }), ...(owner === null && { owner: '' as const }) };
  const changed = await users.findOneAndUpdate(
    { _id, is_bot: true, ...ownedBy(caller) },
    { $set: set, $unset: unset },
    { returnDocument: 'after' },
  );
  if (!changed) throw noSuchBot();
  if (owner !== undefined) await regardlessOfDeadline(() => silenceBot(_id));
  if (name !== undefined) notifyServers({ type: 'person', user: _id.toHexString() });
  return shownBot.show(changed);
}

/** Refuses an owner who is not there, cannot act, or is a bot. */
async function requireOwner(owner: ObjectId): Promise<void> {
  const found = await users.findOne({ _id: owner, is_active: true }, { projection: { is_bot: 1 } });
  if (!found) throw noSuchUser();
  if (found.is_bot) throw madeByBot();
}

// Counted when it exists: however many are created at the same time, no more than that stay. Nobody
// has seen it yet.
async function requireFew(owner: ObjectId, bot: ObjectId): Promise<void> {
  const isMany = (await users.countDocuments({ owner }, { limit: mostBots + 1 })) > mostBots;
  if (!isMany && (await hasActiveOwner({ owner }))) return;
  await users.unscoped.deleteOne({ _id: bot });
  throw tooManyBots();
}
