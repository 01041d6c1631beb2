import type { ObjectId } from 'mongodb';
import { about, nameText, type Values, withDefault } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aFlag, aText, aWord, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { notFound, type Refusal, tooManyRequests } from '../base/errors.ts';
import { type PasskeyDocument, passkeys } from '../collections/accounts/passkeys.ts';
import { currentPassword, requireCurrentPassword, wrongCurrentPassword } from '../credentials/current-password.ts';
import { freshSignInRequired, hasJustUsedPasskey } from '../credentials/fresh-sessions.ts';
import { mostPasskeys } from '../credentials/passkey-removal.ts';
import { type Caller, unscopedTokenRequired } from '../identity/caller.ts';
import { config } from '../settings/config.ts';

const { as, ownId, date, dateOrNull, representation } = shownFrom<PasskeyDocument>();

/** A passkey as its owner sees it, without its key. */
export const shownPasskey = representation('Passkey', {
  _id: ownId,
  name: as(described('The name that its owner chose.', aText), 'name'),
  is_backed_up: as(described('Whether it is in more than one place, such as an account at a platform.', aFlag), 'is_backed_up'),
  created_at: date('created_at', 'The time of creation.'),
  last_used_at: dateOrNull('last_used_at', 'The time of the last sign-in with it; null before the first.'),
});
export type Passkey = ShownBy<typeof shownPasskey>;

/** The passkeys of an account, and whether passkeys are available. */
export const passkeysSchema = record('Passkeys', {
  origin: described('The origin where passkeys work; null if they are off.', orNull(aText)),
  obstacle: described(
    'The reason if passkeys are off: `PUBLIC_URL` is not set, or is not https with a name, or only the identity provider signs people in.',
    orNull(aWord('no_public_url', 'unsuitable_public_url', 'identity_provider')),
  ),
  needs_code: described('Whether adding one requires a code of the second factor besides the password.', aFlag),
  passkeys: described('The passkeys of the caller, oldest first.', listOf(shownPasskey.schema)),
});

const name = about('The name of the passkey, for its owner.', nameText(1, 100));
export const newName = withDefault(name, 'Passkey');

/** The parameters to change and to remove a passkey. */
export const passkeyChanges = { name: about('Its new name.', name) };
export const removal = { current_password: currentPassword };

const noSuchPasskey: Refusal = () => notFound('passkey');
export const changeRefusals = [noSuchPasskey];
export const removalRefusals = [noSuchPasskey, unscopedTokenRequired, wrongCurrentPassword, freshSignInRequired, tooManyRequests];

/** The caller's passkeys. */
export async function listPasskeys(caller: Caller): Promise<Shown<typeof passkeysSchema>> {
  const { _id: user, second_factor: factor } = caller.user;
  const { origin = null, obstacle = null } = config.passkeys;
  const found = await passkeys.find({ user }, { sort: { _id: 1 }, limit: mostPasskeys }).toArray();
  const needs_code = factor !== undefined && !(await hasJustUsedPasskey(caller));
  return { origin, obstacle, needs_code, passkeys: found.map(shownPasskey.show) };
}

/** Renames a passkey of the caller; 404 if it is another user's. */
export async function changePasskey(
  _id: ObjectId,
  { name }: Values<typeof passkeyChanges>,
  { user: { _id: user } }: Caller,
): Promise<Passkey> {
  const changed = await passkeys.findOneAndUpdate({ _id, user }, { $set: { name } }, { returnDocument: 'after' });
  if (!changed) throw noSuchPasskey();
  return shownPasskey.show(changed);
}

/**
 * Removes a passkey of the caller, who must prove again to own the account. It cannot be used to
 * sign in afterwards.
 */
export async function removePasskey(_id: ObjectId, { current_password }: Values<typeof removal>, caller: Caller): Promise<void> {
  const own = { _id, user: caller.user._id };
  if (!(await passkeys.findOne(own, { projection: { _id: 1 } }))) throw noSuchPasskey();
  await requireCurrentPassword(current_password, caller);
  const { deletedCount } = await passkeys.deleteMany(own);
  if (deletedCount === 0) throw noSuchPasskey();
}
