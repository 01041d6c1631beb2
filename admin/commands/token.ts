import { createToken, revokeAnyToken, tokenName } from '../../lib/accounts/api-tokens.ts';
import { id, optional, readParameters, someOf } from '../../lib/api/parameters.ts';
import { scopes } from '../../lib/api/scopes.ts';
import { listAllTokens } from '../../lib/identity/tokens.ts';
import { findUserId } from '../../lib/identity/users.ts';
import { type Command, required, UsageError } from '../command.ts';
import { harmless, table } from '../table.ts';
import { readUsername } from './user.ts';

export const tokenCommands: Record<string, Command> = {
  'token create': {
    usage: 'token create <username> --name <name> [--scope <scope> ...] [--expires 90d]',
    summary: `Creates a token for an account and prints it once. It may do all that its user may, unless it is restricted to scopes: ${scopes.join(', ')}.`,
    operands: 1,
    options: { name: { type: 'string' }, scope: { type: 'string', multiple: true }, expires: { type: 'string' } },
    run: async ([word], options) => {
      const token = readParameters(
        { name: tokenName, scope: optional(someOf(scopes)) },
        { name: required(options, 'name'), scope: options.scope },
      );
      const expiresAt = options.expires === undefined ? undefined : timeFromNow(options.expires);
      const user = await findUserId(readUsername(word));
      const created = await createToken(user, token.name, { scopes: token.scope, expiresAt });
      return { data: created, text: created.token };
    },
  },
  'token list': {
    usage: 'token list <username>',
    summary: "Lists an account's tokens and sessions, without their secrets.",
    operands: 1,
    run: async ([word]) => {
      const tokens = await listAllTokens(await findUserId(readUsername(word)));
      const rows = tokens.map((token) => [
        token._id.$oid,
        token.kind,
        token.name,
        `...${token.hint}`,
        token.scopes.join(',') || 'all',
        token.last_used_at?.$date ?? 'never',
        token.expires_at?.$date ?? 'never',
      ]);
      return { data: tokens, text: table(['ID', 'KIND', 'NAME', 'TOKEN', 'SCOPES', 'LAST USED', 'EXPIRES'], rows) };
    },
  },
  'token revoke': {
    usage: 'token revoke <id>',
    summary: 'Revokes a token or ends a session, immediately and without asking.',
    operands: 1,
    // For scripts that pass it to every command that removes something.
    options: { yes: { type: 'boolean' } },
    run: async ([word]) => {
      const token = await revokeAnyToken(readParameters({ id }, { id: word }).id);
      return { data: token, text: `Revoked the token ${harmless(token.name)}.` };
    },
  },
};

/** Now plus a number of hours, days or weeks: 12h, 90d, 52w. */
function timeFromNow(span: unknown): Date {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(String(span)) ?? [];
  const hours = { h: 1, d: 24, w: 168 }[unit];
  if (!count || !hours)
    throw new UsageError('The option --expires must be a number of hours, days or weeks such as 12h, 90d, 52w.');
  return new Date(Date.now() + Number(count) * hours * 3_600_000);
}
