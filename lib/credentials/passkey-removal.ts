import type { ObjectId } from 'mongodb';
import { passkeys } from '../collections/accounts/passkeys.ts';

/** Removes all passkeys of an account. */
export const forgetPasskeys = async (user: ObjectId): Promise<void> => void (await passkeys.deleteMany({ user }));

/** The most passkeys of an account. */
export const mostPasskeys = 20;

/** Counts the passkeys of an account, of any generation. */
export const countPasskeys = (user: ObjectId): Promise<number> => passkeys.countDocuments({ user }, { limit: mostPasskeys + 1 });
