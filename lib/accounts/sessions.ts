import type { ObjectId } from 'mongodb';
import type { DateTime } from '../api/dates.ts';
import { dateSchema } from '../api/dates.ts';
import { pathId } from '../api/extended-json.ts';
import { aToken, record } from '../api/schema.ts';
import { config } from '../config.ts';
import { notFound } from '../errors.ts';
import { actsAsAdmin, type Caller, deleteToken, insertToken, tokens } from '../identity/tokens.ts';
import { type User, userSchema } from '../identity/users.ts';

/** A session that has just begun. */
export type NewSession = { token: string; expires_at: DateTime };

export const newSessionSchema = record<NewSession & { user: User }>('NewSession', {
  token: aToken,
  expires_at: dateSchema,
  user: userSchema,
});

/** Begins a session; it bears the name of the program that asked for it, by which a user tells one from another. */
export async function createSession(
  user: { _id: ObjectId; session_generation: number },
  agent: string | undefined,
): Promise<NewSession> {
  const { token, expires_at } = await insertToken(
    {
      user: user._id,
      name: agent?.trim().slice(0, 100) || 'session',
      kind: 'session',
      scopes: [],
      generation: user.session_generation,
    },
    { $add: ['$$NOW', config.sessionDays * 86_400_000] },
  );
  return { token, expires_at: expires_at as DateTime };
}

/** Ends a session at once: `current`, one's own, or, for admins, anyone's; 404 for what is none of these. */
export async function endSession(idOrCurrent: string | undefined, caller: Caller): Promise<void> {
  const id = idOrCurrent === 'current' ? caller.token._id : pathId(idOrCurrent, 'session');
  const reachable = { _id: id, kind: 'session' as const, ...(!actsAsAdmin(caller) && { user: caller.user._id }) };
  if (!(await deleteToken(reachable))) throw notFound('session');
}

/** Ends every session of the caller but the one that calls. */
export async function endOtherSessions({ user, token }: Caller): Promise<void> {
  await tokens.deleteMany({ user: user._id, kind: 'session', _id: { $ne: token._id } });
}

/** Takes what is left of the sessions that a new generation has ended, after taking `keep`, one of them, over into it. */
export async function sweepSessions(user: ObjectId, generation: number, keep: ObjectId | undefined): Promise<void> {
  const mine = { user, kind: 'session' as const };
  if (keep) await tokens.updateOne({ ...mine, _id: keep }, { $max: { generation } });
  await tokens.deleteMany({ ...mine, generation: { $lt: generation } });
}
