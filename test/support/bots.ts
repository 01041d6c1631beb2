import { ObjectId } from 'mongodb';
import { type Scope, scopes } from '../../lib/api/scopes.ts';
import { createBot } from '../../lib/bots/bots.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { aName } from './accounts.ts';

export type TestBot = { id: string; username: string; path: string; token: string };

/** The scopes that have an effect for a bot's token. */
export const botScopes = scopes.filter((scope) => scope !== 'admin');

/** Creates a bot of an account, or of the administrators, with a token. */
export async function aBot(owner?: { id: string }, { allowed = botScopes, name }: { allowed?: Scope[]; name?: string } = {}) {
  const wanted = { username: aName(), name, owner: owner && new ObjectId(owner.id) };
  const { _id, username } = await createBot(wanted, commandLine);
  const { token } = await createToken(new ObjectId(_id.$oid), 'test', { scopes: allowed });
  return { id: _id.$oid, username, path: `/api/bots/${_id.$oid}`, token } satisfies TestBot;
}
