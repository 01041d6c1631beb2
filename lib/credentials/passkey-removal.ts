import type { ObjectId } from 'mongodb';
import { passkeys } from '../collections/accounts/passkeys.ts';

/** Removes all passkeys of an account. */
export const forgetPasskeys = async (user: ObjectId): Promise<void> => void (await passkeys.deleteMany({ user }));

/** How many passkeys an account may have. */
export const mostPasskeys = 20;

/** How many passkeys an account has, whichever generation they are of. */
export const countPasskeys = (user: ObjectId): Promise<number> => passkeys.countDocuments({ user }, { limit: mostPasskeys + 1 });
