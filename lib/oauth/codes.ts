import { hash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { requireFew } from '../accounts/new-tokens.ts';
import { HttpError } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { type AppCodeDocument, appCodes } from '../collections/accounts/app-codes.ts';
import { tokens, unexpiredWithin } from '../collections/accounts/tokens.ts';
import { retryContended } from '../database/engines.ts';
import { duplicateIn } from '../database/failures.ts';
import { insertWithTimes } from '../database/writes.ts';
import { insertNamed } from '../identity/api-tokens.ts';
import { findCallersOf, hashToken } from '../identity/authenticate.ts';
import { deleteToken, type NewToken, randomToken } from '../identity/tokens.ts';
import { isKnownApp } from './apps.ts';
import { oauthError } from './errors.ts';
import { accessEnd, grantEnd, type IssuedTokens, issued } from './grants.ts';
import { receiverOf } from './redirect-uris.ts';

/** The code that leads to a token, within a minute. */
const validMs = 60_000;
/** A replay ends what the code got, also some time later. */
const keptMs = 600_000;

type NewCode = Omit<AppCodeDocument, '_id' | 'uses' | 'is_late' | 'valid_until' | 'expires_at'>;

/** Stores a code for what a user allowed. */
export async function createCode(allowed: NewCode): Promise<string> {
  const code = randomToken();
  const times = { valid_until: { $add: ['$$NOW', validMs] }, expires_at: { $add: ['$$NOW', keptMs] } };
  await insertWithTimes(appCodes, { _id: hashToken(code), ...allowed, uses: 0 }, times);
  return code;
}

/** The parameters of a client that exchanges a code. */
type Exchange = { code: string; client_id: string; redirect_uri: string; code_verifier: string; resource: string | undefined };

export const codeInvalid = () => oauthError('invalid_grant', 'The code is invalid, has expired or was already used.');

/**
 * Exchanges a code for tokens. The first request uses it up, even if it fails. A second request
 * ends the access of the first one: one of the two has stolen the code (RFC 6749, 4.1.2).
 */
export async function exchangeCode({ code, client_id, redirect_uri, code_verifier, resource }: Exchange): Promise<IssuedTokens> {
  const _id = hashToken(code);
  const isValid = { $gt: ['$valid_until', '$$NOW'] };
  const use = [{ $set: { uses: { $add: ['$uses', 1] }, is_late: { $not: [isValid] } } }];
  const used = await retryContended(() =>
    appCodes.findOneAndUpdate({ _id, ...unexpiredWithin(keptMs) }, use, { returnDocument: 'after' }),
  );
  if (!used) throw codeInvalid();
  if (used.uses > 1) {
    await endGrantOf(used);
    throw codeInvalid();
  }
  const isRight =
    !used.is_late &&
    used.client_id === client_id &&
    used.redirect_uri === redirect_uri &&
    used.challenge === hash('sha256', code_verifier, 'base64url');
  if (!isRight) throw codeInvalid();
  if (resource !== undefined && resource !== used.resource)
    throw oauthError('invalid_target', 'The resource differs from the one that the user allowed.');
  return issueTokens(used);
}

async function issueTokens(used: AppCodeDocument): Promise<IssuedTokens> {
  if (!(await isStillAllowed(used))) throw codeInvalid();
  const [family, refresh] = [randomToken(), randomToken()];
  const created = await insertGrant(used, hashToken(family), hashToken(refresh));
  await requireFew(used.user, created).catch((error) => {
    throw error instanceof HttpError ? oauthError('invalid_grant', error.message) : error;
  });
  // Asked when it exists: a replay may have come in between, and found nothing to end.
  const now = await appCodes.findOne({ _id: used._id }, { projection: { uses: 1 } });
  if (now?.uses !== 1) {
    await endGrantOf(used);
    throw codeInvalid();
  }
  // Asked again for the same reason: a new password revokes only the tokens that it finds.
  if (!(await isStillAllowed(used))) {
    await deleteToken({ _id: new ObjectId(created._id.$oid) });
    throw codeInvalid();
  }
  log('info', 'security', {
    event: 'app connected',
    whom: used.user.toHexString(),
    what: `${created._id.$oid}, ${used.client_id}, ${used.scopes.join(' ')}`,
  });
  return issued(created.token, `${family}${refresh}`, used.scopes);
}

/** False if the session has ended (also by a new password), the account, or a registered app. */
async function isStillAllowed({ session, user, client_id }: AppCodeDocument): Promise<boolean> {
  const [allowedBy] = (await findCallersOf([session])).values();
  return allowedBy?.caller.user._id.equals(user) === true && isKnownApp(client_id);
}

/**
 * Stores the grant under the name of the app, with a number if the account has it on another
 * device.
 */
async function insertGrant(used: AppCodeDocument, family: string, refresh: string): Promise<NewToken> {
  const { user, name, client_id, host, redirect_uri, resource, scopes, _id: code } = used;
  // Without scopes, a token may do everything.
  if (scopes.length === 0) throw new Error('An app would get a token without scopes');
  const app = { client_id, host, returns_to: receiverOf(redirect_uri), resource, code, family, refresh };
  const token = { user, kind: 'api' as const, scopes, is_agent: true as const, app };
  for (let tries = 0; ; tries++) {
    const taken = await tokens.find({ user, kind: 'api' }, { projection: { name: 1 } }).toArray();
    const free = freeName(name, new Set(taken.map((one) => one.name)));
    try {
      return await insertNamed({ ...token, name: free }, { expires: grantEnd, accessExpires: accessEnd });
    } catch (error) {
      // Another device was faster.
      if (tries === 4 || !(error instanceof HttpError || duplicateIn(error) === 'user, name')) throw error;
    }
  }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} (${count})`;
  return free;
}

async function endGrantOf({ _id, user, client_id }: AppCodeDocument): Promise<void> {
  const grant = await tokens.findOne({ user, 'app.code': _id }, { projection: { _id: 1 } });
  if (grant) await deleteToken({ _id: grant._id });
  log('info', 'security', { event: 'code of an app used twice', whom: user.toHexString(), what: client_id });
}
