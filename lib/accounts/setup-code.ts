import { users } from '../collections/accounts/users.ts';
import { aDay, createCode } from '../credentials/codes.ts';
import { readFileState } from '../database/file-state.ts';
import { config } from '../settings/config.ts';

/**
 * A code for the first administrator, in the path of the page that takes it; the address of the service is null
 * without `PUBLIC_URL`.
 */
export type SetupCode = { path: string; address: string | null; expires_at: { $date: string } };

/**
 * Makes a code for the first administrator; undefined if there was one already. Fails if the database lost data: then an administrator may be
 * among it, and the first person who signs up would become one.
 */
export async function createSetupCode(): Promise<SetupCode | undefined> {
  if (await hadAdministrator()) return undefined;
  const { dropped } = await readFileState();
  if (dropped) throw new Error(`${dropped} ${afterLoss}`);
  const { code, expires_at } = await createCode({ email: '', account: null, is_for_setup: true }, aDay);
  // After the `#`, so that no log and no other site gets to see it.
  return { path: `/setup#${code}`, address: config.publicUrl || null, expires_at };
}

const afterLoss =
  "This database has no administrator, so no link makes one: restore a backup. If the service is new, run 'database acknowledge' and start again.";

/**
 * Whether there is, or ever was, an administrator: one who was made by a code is known for good, and any other must
 * stay until there is another. A sign-up before that leaves the code as it is.
 */
export const hadAdministrator = async () =>
  (await users.unscoped.findOne({ $or: [{ is_admin: true }, { is_first: true }] }, { projection: { _id: 1 } })) !== null;
