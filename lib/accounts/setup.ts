import type { Parameters, Values } from '../api/parameters.ts';
import { aFlag, record, type Shown } from '../api/schema.ts';
import { duplicateIn } from '../database/failures.ts';
import { HttpError, permissionDenied, type Refusal, tooManyRequests } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { email, newUsername } from '../identity/users.ts';
import { type NewUser, signUp } from './accounts.ts';
import { countSignUp } from './anonymous-limits.ts';
import { codeParameter, findCode, forgetCode, noSuchCode } from './codes.ts';
import { newPassword } from './password-policy.ts';
import { hasAccounts } from './setup-code.ts';

/** What the first administrator is made from; the code shows that whoever asks also reads what the service prints at its start. */
export const setupParameters = { code: codeParameter, username: newUsername, email, password: newPassword } satisfies Parameters;

/** Whether there is any account, so that the first administrator can't be made here any more; and whether the request has a valid session or token. */
export const setupSchema = record('Setup', { is_done: aFlag, is_signed_in: aFlag });

const setupDone: Refusal = () => permissionDenied('setup_done', 'There is an account already.');
export const setupRefusals = [setupDone, noSuchCode, tooManyRequests];

/** Tells whether somebody can still be the first, and whether whoever asks is signed in: a page that does not know asks without an error. */
export const showSetup = async (caller: Caller | undefined): Promise<Shown<typeof setupSchema>> => ({
  is_done: caller !== undefined || (await hasAccounts()),
  is_signed_in: caller !== undefined,
});

/**
 * Makes the first administrator, for whoever has a code for that, and begins a session: 403 when there is any account, also a deleted one, 404
 * when there is no such code. Of those who ask at the same time a unique index admits one, whatever codes they have.
 */
export async function setUp(
  { code, ...account }: Values<typeof setupParameters>,
  { source, agent }: { source: string; agent: string | undefined },
): Promise<NewUser> {
  if (await hasAccounts()) throw setupDone();
  await countSignUp(source);
  const { _id, is_for_setup } = await findCode(code);
  if (!is_for_setup) throw noSuchCode();
  const made = await signUp({ ...account, is_admin: true, is_first: true }, source, agent).catch((error) => {
    // A name or an address is taken, if at all, by an account that has just been made.
    const isLate = duplicateIn(error) === 'first' || (error instanceof HttpError && error.status === 409);
    throw isLate ? setupDone() : error;
  });
  await forgetCode(_id);
  return made;
}
