import { users } from '../collections/accounts/users.ts';
import { aDay, createCode } from '../credentials/codes.ts';
import { readFileState } from '../database/file-state.ts';
import { config } from '../settings/config.ts';

/**
 * A code for the first administrator, in the path of the setup page. `address` is null without
 * `PUBLIC_URL`.
 */
export type SetupCode = { path: string; address: string | null; expires_at: { $date: string } };

/**
 * Creates a code for the first administrator; undefined if the service ever had one. Throws if the
 * database lost data: the lost data may include an administrator, and then anybody with the code
 * could become one.
 */
export async function createSetupCode(): Promise<SetupCode | undefined> {
  if (await hadAdministrator()) return undefined;
  const { dropped } = await readFileState();
  if (dropped) throw new Error(`${dropped} ${afterLoss}`);
  const { code, expires_at } = await createCode({ email: '', account: null, is_for_setup: true }, aDay);
  // After the `#`, so that the code does not get into logs or `Referer` headers.
  return { path: `/setup#${code}`, address: config.publicUrl || null, expires_at };
}

const afterLoss =
  "The administrators are missing from this database, which has lost data: restore a backup. If the service is new, run 'database acknowledge' and start again.";

/**
 * Returns true if the service has or ever had an administrator. The one whom a setup code made
 * keeps `is_first`; any other can leave only if another stays. A sign-up before that does not use
 * up the code.
 */
export const hadAdministrator = async () =>
  (await users.unscoped.findOne({ $or: [{ is_admin: true }, { is_first: true }] }, { projection: { _id: 1 } })) !== null;
