import { createTokenByCommand } from '../../lib/accounts/new-tokens.ts';
import { toObjectId } from '../../lib/api/extended-json.ts';
import { id, idOf, optional, readParameters, someOf } from '../../lib/api/parameters.ts';
import { scopes } from '../../lib/api/scopes.ts';
import { actOnToken } from '../../lib/audit/acts.ts';
import { endSession } from '../../lib/credentials/sessions.ts';
import { revokeAnyToken, tokenName } from '../../lib/identity/api-tokens.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { listAllTokens, type Token } from '../../lib/identity/tokens.ts';
import { findUserByName, findUserId } from '../../lib/identity/users.ts';
import { type Run, required, UsageError } from '../command.ts';
import { table } from '../output.ts';
import { onUser, recorded } from '../recorded.ts';
import { readUsername } from './user.ts';

export const tokenCommands: Record<string, Run> = {
  'token create': async ([word], options) => {
    const token = readParameters(
      { name: tokenName, scope: optional(someOf(scopes)) },
      { name: required(options, 'name'), scope: options.scope },
    );
    const expiresAt = options.expires === undefined ? undefined : timeFromNow(options.expires);
    const user = await findUserByName(readUsername(word));
    const details = { name: token.name, scopes: token.scope?.join(' ') || 'all' };
    const created = await recorded(onUser(user, 'token.created', details), () =>
      createTokenByCommand(toObjectId(user._id), token.name, {
        scopes: token.scope,
        expiresAt,
        isAgent: options.agent === true,
      }),
    );
    return { data: created, text: created.token };
  },
  'token list': async ([word]) => {
    const tokens = await listAllTokens(await findUserId(readUsername(word)));
    return { data: tokens, text: tokenTable(tokens) };
  },
  'token revoke': async ([word]) => {
    const wanted = readParameters({ id }, { id: word }).id;
    const token = await recorded(await actOnToken(wanted, undefined, commandLine), () => revokeAnyToken(wanted));
    return { data: token, text: `Revoked the token ${token.name}.` };
  },
  'session list': async ([word]) => {
    const tokens = await listAllTokens(await findUserId(readUsername(word)));
    const sessions = tokens.filter(({ kind }) => kind === 'session');
    return { data: sessions, text: tokenTable(sessions) };
  },
  'session end': async ([word]) => {
    const session = readParameters({ id: idOf('session') }, { id: word }).id;
    await recorded(await actOnToken(session, 'session', commandLine), () => endSession(session, commandLine));
    return { data: { _id: { $oid: session.toHexString() } }, text: `Ended the session ${word}.` };
  },
};

function tokenTable(tokens: Token[]): string {
  const rows = tokens.map((token) => [
    token._id.$oid,
    token.kind,
    token.name,
    `...${token.hint}`,
    token.scopes.join(',') || 'all',
    token.last_used_at?.$date ?? 'never',
    token.expires_at?.$date ?? 'never',
  ]);
  return table(['ID', 'KIND', 'NAME', 'TOKEN', 'SCOPES', 'LAST USED', 'EXPIRES'], rows);
}

/** Now plus a number of hours, days or weeks: 12h, 90d, 52w. */
function timeFromNow(span: unknown): Date {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(String(span)) ?? [];
  const hours = { h: 1, d: 24, w: 168 }[unit];
  if (!count || !hours)
    throw new UsageError('The option --expires must be a number of hours, days or weeks such as 12h, 90d, 52w.');
  return new Date(Date.now() + Number(count) * hours * 3_600_000);
}
