import { users } from '../collections/users.ts';
import { config } from '../config.ts';
import { createCode } from './codes.ts';

/** A code for the first administrator, in the path of the page that takes it; the address of the service is null without `PUBLIC_URL`. */
export type SetupCode = { path: string; address: string | null; expires_at: { $date: string } };

/** Makes a code for the first administrator; undefined when there is an account. */
export async function createSetupCode(): Promise<SetupCode | undefined> {
  if (await hasAccounts()) return undefined;
  const { code, expires_at } = await createCode({ email: '', account: null, is_for_setup: true }, validFor);
  // After the `#`, so that no log and no other site gets to see it.
  return { path: `/setup#${code}`, address: config.publicUrl || null, expires_at };
}

/** Whether there is, or ever was, an account: a deleted one keeps its document. */
export const hasAccounts = async () => (await users.unscoped.findOne({}, { projection: { _id: 1 } })) !== null;

// A day, in milliseconds: whoever starts a service need not be the one who opens the page.
const validFor = 86_400_000;
