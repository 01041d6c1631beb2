import { toObjectId } from '../api/extended-json.ts';
import { about, optional, type Parameters, type Values } from '../api/parameters.ts';
import { aFlag, described, record, type Shown } from '../api/schema.ts';
import { createdUser } from '../audit/acts.ts';
import { byService, noteDone } from '../audit/append.ts';
import { HttpError, permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import type { CodeDocument } from '../collections/accounts/codes.ts';
import { countSignUp } from '../credentials/anonymous-limits.ts';
import { codeParameter, findCode, forgetCode, noSuchCode } from '../credentials/codes.ts';
import { newPassword } from '../credentials/password-policy.ts';
import { duplicateIn } from '../database/failures.ts';
import { email, newUsername } from '../identity/account-names.ts';
import type { Caller } from '../identity/caller.ts';
import { fullName } from '../identity/persons.ts';
import { emailTaken, usernameTaken } from '../identity/taken-names.ts';
import { createFirstRoom } from '../members/default-rooms.ts';
import { type NewUser, signUp } from './accounts.ts';
import { hadAdministrator } from './setup-code.ts';

/**
 * The parameters of the first administrator. The code shows that the caller can read what the
 * service prints when it starts.
 */
export const setupParameters = {
  code: about('The code that the server or `npm run admin -- setup` prints.', codeParameter),
  username: newUsername,
  name: optional(fullName),
  email,
  password: newPassword,
} satisfies Parameters;

/**
 * The state of the set-up: whether the first administrator can still be created, and whether the
 * caller is signed in.
 */
export const setupSchema = record('Setup', {
  is_done: described('Whether the service has or had an administrator, so that setup is refused.', aFlag),
  is_signed_in: described('Whether the request has a valid session or token.', aFlag),
});

const setupDone: Refusal = () => permissionDenied('setup_done', 'There is an administrator already.');
export const setupRefusals = [setupDone, noSuchCode, usernameTaken, emailTaken, tooManyRequests];

/**
 * Returns whether the first administrator can still be created, and whether the caller is signed
 * in. An unauthenticated page can call it without an error.
 */
export const showSetup = async (caller: Caller | undefined): Promise<Shown<typeof setupSchema>> => ({
  is_done: caller !== undefined || (await hadAdministrator()),
  is_signed_in: caller !== undefined,
});

/**
 * Creates the first administrator for a caller with a setup code, starts a session, and creates a
 * first room. 403 if an administrator exists already, 404 for an unknown code. A unique index
 * admits one of several concurrent requests, whatever their codes. Wrong codes are counted, but a
 * right code is accepted however many wrong ones came before.
 */
export async function setUp(
  { code, ...account }: Values<typeof setupParameters>,
  { source, agent }: { source: string; agent: string | undefined },
): Promise<NewUser> {
  if (await hadAdministrator()) throw setupDone();
  const { _id } = await findSetupCode(code, source);
  const made = await signUp({ ...account, is_admin: true, is_first: true }, source, agent).catch(async (error) => {
    // The name or the address may be that of the administrator who has just been made.
    const isLate =
      duplicateIn(error) === 'first' || (error instanceof HttpError && error.status === 409 && (await hadAdministrator()));
    throw isLate ? setupDone() : error;
  });
  // Afterwards, because several may have a code; that the account is the first one is stored with
  // it in any case.
  await noteDone(createdUser(account.username, true), { ...byService, source });
  await forgetCode(_id);
  await createFirstRoom(toObjectId(made.user._id));
  return made;
}

async function findSetupCode(code: string, source: string): Promise<CodeDocument> {
  try {
    const found = await findCode(code);
    if (found.is_for_setup) return found;
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 404)) throw error;
  }
  await countSignUp(source);
  throw noSuchCode();
}
