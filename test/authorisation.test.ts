import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { type Scope, scopes } from '../lib/api/scopes.ts';
import { database } from '../lib/database/client.ts';
import type { Handler, Operations } from '../lib/http/operation.ts';
import { createToken } from '../lib/identity/api-tokens.ts';
import { hashToken } from '../lib/identity/authenticate.ts';
import { randomToken } from '../lib/identity/tokens.ts';
import { createPasswordCode } from '../lib/sign-in/password-codes.ts';
import { functions } from '../tools/harness/functions.ts';
import { type Account, aName, anAccount, anAddress, anAdmin, aSession } from './support/accounts.ts';
import { addPasskey } from './support/authenticator.ts';
import { aBot } from './support/bots.ts';
import { aFile, announced, aPicture } from './support/files.ts';
import { aMessage } from './support/messages.ts';
import { aQuestion } from './support/questions.ts';
import { addMember, aRoom, memberId } from './support/rooms.ts';
import { turnOn } from './support/second-factor.ts';
import { inProcess as call } from './support/transports.ts';

/**
 * The callers, from anonymous to an administrator. Two are administrators' tokens with one scope:
 * that of `low` is not the operation's, that of `narrow` is, but it is not `admin`.
 */
const identities = ['none', 'bad', 'expired', 'revoked', 'low', 'narrow', 'user', 'other', 'admin'] as const;

/**
 * Prepares a request: the variable parts of its path, its query and its body, which are about
 * things of `user`.
 */
type Prepare = (user: Account) => Promise<{ path?: Record<string, string>; query?: string; body?: unknown }>;

const aSubscription = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/1',
  p256dh: 'B'.repeat(87),
  auth: 'A'.repeat(22),
  key: 'B'.repeat(87),
};

const anAppRequest = { client_id: 'https://app.example.com/client.json', redirect_uri: 'https://app.example.com/' };

/** One row for each operation: the status that each identity gets, and its request. */
// biome-ignore format: a table is read by its columns
const table: Record<string, [statuses: number[], prepare?: Prepare]> = {
  //                               none  bad  exp  rev  low narr user other admin
  'GET /api/health':               [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /api/rooms':                [[401, 401, 401, 401, 403, 403, 403, 403, 200]],
  'POST /api/rooms':               [[401, 401, 401, 401, 403, 403, 403, 403, 201], async () => ({ body: { name: 'General' } })],
  'GET /api/rooms/{room}':         [[401, 401, 401, 401, 403, 200, 200, 200, 200], async (user) => ({ path: { room: await roomOf(user) } })],
  'PUT /api/rooms/{room}':         [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) }, body: { name: 'New', is_open: true, is_visible: true } })],
  'PATCH /api/rooms/{room}':       [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) }, body: { name: 'New' } })],
  'DELETE /api/rooms/{room}':      [[401, 401, 401, 401, 403, 403, 403, 403, 204], async (user) => ({ path: { room: await roomOf(user) } })],
  'GET /api/rooms/{room}/details': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) } })],
  'PATCH /api/rooms/{room}/details': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) }, body: { topic: 'News' } })],
  'GET /api/rooms/{room}/avatar': [[401, 401, 401, 401, 403, 200, 200, 200, 200], async (user) => ({ path: { room: await roomWithPicture(user) } })],
  'PUT /api/rooms/{room}/avatar': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) }, body: aPicture })],
  'DELETE /api/rooms/{room}/avatar': [[401, 401, 401, 401, 403, 403, 204, 403, 204], async (user) => ({ path: { room: await roomOf(user) } })],
  'GET /api/rooms/{room}/invitations': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) } })],
  'POST /api/rooms/{room}/invitations': [[401, 401, 401, 401, 403, 403, 201, 403, 201], async (user) => ({ path: { room: await roomOf(user) }, body: {} })],
  'DELETE /api/rooms/{room}/invitations/{invitation}': [[401, 401, 401, 401, 403, 403, 204, 403, 204], async (user) => ({ path: await invitationBy(user) })],
  'GET /api/rooms/{room}/webhooks': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) } })],
  'POST /api/rooms/{room}/webhooks': [[401, 401, 401, 401, 403, 403, 201, 403, 201], async (user) => ({ path: { room: await roomOf(user) }, body: {} })],
  'GET /api/rooms/{room}/webhooks/{webhook}': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: await outgoingBy(user) })],
  'POST /api/rooms/{room}/webhooks/{webhook}': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: await outgoingBy(user), body: {} })],
  'PATCH /api/rooms/{room}/webhooks/{webhook}': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: await outgoingBy(user), body: { is_enabled: false } })],
  'DELETE /api/rooms/{room}/webhooks/{webhook}': [[401, 401, 401, 401, 403, 403, 204, 403, 204], async (user) => ({ path: await webhookBy(user) })],
  'POST /api/webhooks/{secret}': [[201, 201, 201, 201, 201, 201, 201, 201, 201], async (user) => ({ path: await webhookBy(user), body: { text: 'Hello' } })],
  'GET /api/directory':            [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/directory':           [[401, 401, 401, 401, 403, 201, 201, 201, 201], async () => ({ body: { name: 'Garden' } })],
  'GET /api/members':              [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ query: `?room=${await roomOf(user)}` })],
  'POST /api/members':             [[401, 401, 401, 401, 403, 201, 409, 201, 201], async (user) => ({ body: { room: await roomOf(user) } })],
  'GET /api/members/{member}':     [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { member: await membershipOf(user) } })],
  'PATCH /api/members/{member}':   [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { member: await membershipOf(user) }, body: { role: 'owner' } })],
  'DELETE /api/members/{member}':  [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: { member: await membershipOf(user) } })],
  'GET /api/bans':                 [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ query: `?room=${await roomOf(user)}` })],
  'DELETE /api/bans':              [[401, 401, 401, 401, 403, 403, 204, 403, 204], async (user) => ({ query: await banBy(user) })],
  'POST /api/conversations':       [[401, 401, 401, 401, 403, 201, 409, 201, 201], async ({ id, token }) => ({ body: { users: [await someoneBlockedBy(token), id] } })],
  'GET /api/blocks':               [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/blocks':              [[401, 401, 401, 401, 403, 201, 400, 201, 201], async ({ id }) => ({ body: { user: id } })],
  'DELETE /api/blocks':            [[401, 401, 401, 401, 403, 404, 204, 404, 404], async ({ token }) => ({ query: `?user=${await someoneBlockedBy(token)}` })],
  'GET /api/messages':             [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ query: `?room=${await roomOf(user)}` })],
  'POST /api/messages':            [[401, 401, 401, 401, 403, 403, 201, 403, 403], async (user) => ({ body: { room: await roomOf(user), text: 'Hello' } })],
  'GET /api/messages/{message}':   [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { message: await messageOf(user) } })],
  'PATCH /api/messages/{message}': [[401, 401, 401, 401, 403, 404, 200, 404, 403], async (user) => ({ path: { message: await messageOf(user) }, body: { text: 'Bye' } })],
  'DELETE /api/messages/{message}': [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: { message: await messageOf(user) } })],
  'PUT /api/messages/{message}/reactions/{emoji}': [[401, 401, 401, 401, 403, 404, 200, 404, 403], async (user) => ({ path: { message: await messageOf(user), emoji: '%F0%9F%91%8D' }, body: {} })],
  'DELETE /api/messages/{message}/reactions/{emoji}': [[401, 401, 401, 401, 403, 404, 200, 404, 403], async (user) => ({ path: { message: await messageOf(user), emoji: '%F0%9F%91%8D' } })],
  'PUT /api/messages/{message}/actions/{action}': [[401, 401, 401, 401, 403, 404, 200, 404, 403], async (user) => ({ path: { message: await questionOf(user), action: 'yes' }, body: {} })],
  'PUT /api/messages/{message}/pin': [[401, 401, 401, 401, 403, 404, 200, 404, 403], async (user) => ({ path: { message: await messageOf(user) }, body: {} })],
  'DELETE /api/messages/{message}/pin': [[401, 401, 401, 401, 403, 404, 200, 404, 403], async (user) => ({ path: { message: await messageOf(user) } })],
  'PUT /api/messages/{message}/save': [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { message: await messageOf(user) }, body: {} })],
  'DELETE /api/messages/{message}/save': [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: { message: await messageOf(user) } })],
  'GET /api/saved':               [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/mcp':                 [[401, 401, 401, 401, 200, 200, 200, 200, 200], async () => ({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })],
  'GET /api/notifications':       [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'PATCH /api/notifications':     [[401, 401, 401, 401, 403, 200, 200, 200, 200], async () => ({ body: { read_until: '2020-01-01T00:00:00Z' } })],
  'GET /api/email-digest/{link}': [[200, 200, 200, 200, 200, 200, 200, 200, 200], async (user) => ({ path: { link: await digestLinkOf(user) } })],
  'POST /api/email-digest/{link}': [[200, 200, 200, 200, 200, 200, 200, 200, 200], async (user) => ({ path: { link: await digestLinkOf(user) } })],
  'GET /api/push-subscription':   [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'PUT /api/push-subscription':   [[401, 401, 401, 401, 403, 409, 409, 409, 409], async () => ({ body: aSubscription })],
  'DELETE /api/push-subscription': [[401, 401, 401, 401, 403, 204, 204, 204, 204]],
  'GET /api/threads':              [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'GET /api/threads/{message}':    [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { message: await messageOf(user) } })],
  'PATCH /api/threads/{message}':  [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { message: await messageOf(user) }, body: { is_followed: true } })],
  'POST /api/files':              [[401, 401, 401, 401, 403, 403, 201, 403, 403], async (user) => ({ body: announced(await roomOf(user)) })],
  'DELETE /api/files/{file}':    [[401, 401, 401, 401, 403, 404, 204, 404, 404], async (user) => ({ path: { file: await announcedFileOf(user) } })],
  'GET /api/files/{file}/content': [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { file: await sentFileOf(user) } })],
  'PUT /api/files/{file}/content': [[401, 401, 401, 401, 403, 404, 204, 404, 404], async (user) => ({ path: { file: await announcedFileOf(user) }, body: 'Hello' })],
  'GET /api/events':               [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ query: `?room=${await roomOf(user)}` })],
  'POST /api/tickets':             [[401, 401, 401, 401, 403, 201, 201, 201, 201], async () => ({ body: {} })],
  'GET /api/users':                [[401, 401, 401, 401, 403, 403, 403, 403, 200]],
  'POST /api/users':               [[201, 201, 201, 201, 201, 201, 201, 201, 201], async () => ({ body: aPerson() })],
  'GET /api/users/{user}':         [[401, 401, 401, 401, 200, 200, 200, 200, 200], async ({ id }) => ({ path: { user: id } })],
  'PATCH /api/users/{user}':       [[401, 401, 401, 401, 403, 403, 200, 403, 200], async ({ id, password }) => ({ path: { user: id }, body: { email: aPerson().email, current_password: password } })],
  'DELETE /api/users/{user}':      [[401, 401, 401, 401, 403, 403, 204, 403, 204], async ({ id, password }) => ({ path: { user: id }, body: { current_password: password } })],
  'GET /api/users/{user}/avatar':  [[401, 401, 401, 401, 200, 200, 200, 200, 200], async (user) => ({ path: { user: await someoneWithPicture(user) } })],
  'PUT /api/users/{user}/avatar':  [[401, 401, 401, 401, 403, 403, 200, 403, 200], async ({ id }) => ({ path: { user: id }, body: aPicture })],
  'DELETE /api/users/{user}/avatar': [[401, 401, 401, 401, 403, 403, 204, 403, 204], async ({ id }) => ({ path: { user: id } })],
  'POST /api/users/{user}/codes': [[401, 401, 401, 401, 403, 403, 403, 403, 201], async ({ id }) => ({ path: { user: id }, body: {} })],
  'GET /api/audit': [[401, 401, 401, 401, 403, 403, 403, 403, 200], async () => ({})],
  'GET /api/overview': [[401, 401, 401, 401, 403, 403, 403, 403, 200]],
  'GET /api/overview/rooms': [[401, 401, 401, 401, 403, 403, 403, 403, 200]],
  'GET /api/overview/invitations': [[401, 401, 401, 401, 403, 403, 403, 403, 200]],
  'GET /api/overview/webhooks': [[401, 401, 401, 401, 403, 403, 403, 403, 200]],
  'GET /api/overview/files': [[401, 401, 401, 401, 403, 403, 403, 403, 200]],
  'GET /api/rooms/{room}/usage': [[401, 401, 401, 401, 403, 403, 403, 403, 200], async (user) => ({ path: { room: await roomOf(user) } })],
  'GET /api/settings': [[401, 401, 401, 401, 403, 403, 403, 403, 200], async () => ({})],
  'GET /api/users/{user}/usage': [[401, 401, 401, 401, 403, 403, 403, 403, 200], async ({ id }) => ({ path: { user: id } })],
  'PATCH /api/users/{user}/usage': [[401, 401, 401, 401, 403, 403, 403, 403, 204], async ({ id }) => ({ path: { user: id }, body: { is_held: true } })],
  'DELETE /api/users/{user}/usage': [[401, 401, 401, 401, 403, 403, 403, 403, 204], async ({ id }) => ({ path: { user: id } })],
  'POST /api/codes':              [[204, 204, 204, 204, 204, 204, 204, 204, 204], async ({ email }) => ({ body: { email, purpose: 'password' } })],
  'PUT /api/password':            [[204, 204, 204, 204, 204, 204, 204, 204, 204], async (user) => ({ body: { code: await passwordCodeOf(user), password: 'another horse' } })],
  'POST /api/invitations':        [[200, 200, 200, 200, 200, 200, 200, 200, 200], async (user) => ({ body: { invitation: await codeBy(user) } })],
  'GET /api/setup':               [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'POST /api/setup':              [[403, 403, 403, 403, 403, 403, 403, 403, 403], async () => ({ body: { ...aPerson(), code: 'a'.repeat(32) } })],
  // Without an identity provider; what they do with one is in test/functions/oidc.test.ts.
  'POST /api/oidc/start':        [[403, 403, 403, 403, 403, 403, 403, 403, 403], async () => ({ body: {} })],
  'POST /api/oidc/callback':     [[403, 403, 403, 403, 403, 403, 403, 403, 403], async () => ({ body: { code: 'a', state: 'b' } })],
  'POST /api/oidc/logout':       [[403, 403, 403, 403, 403, 403, 403, 403, 403], async () => ({ body: 'logout_token=a' })],
  'GET /api/sessions':             [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/sessions':            [[201, 201, 201, 201, 201, 201, 201, 201, 201], async ({ username, password }) => ({ body: { username, password } })],
  'DELETE /api/sessions':          [[401, 401, 401, 401, 403, 204, 204, 204, 204]],
  'DELETE /api/sessions/{session}': [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: { session: await sessionOf(user) } })],
  'PATCH /api/sessions/{session}': [[401, 401, 401, 401, 403, 404, 404, 404, 404], async (user) => ({ path: { session: await sessionOf(user) }, body: { current_password: user.password } })],
  'GET /api/second-factor':       [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/second-factor':      [[401, 401, 401, 401, 403, 403, 400, 400, 400], async () => ({ body: {} })],
  'PUT /api/second-factor':       [[401, 401, 401, 401, 403, 403, 409, 409, 409], async () => ({ body: { code: '123456' } })],
  'DELETE /api/second-factor':    [[401, 401, 401, 401, 403, 403, 403, 403, 204], async (user) => ({ query: `?user=${await someoneProtected()}`, body: { current_password: user.password } })],
  'GET /api/passkeys':           [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/passkeys':          [[401, 401, 401, 401, 403, 403, 201, 201, 201], async ({ password }) => ({ body: { current_password: password } })],
  'PUT /api/passkeys':           [[401, 401, 401, 401, 403, 403, 403, 403, 403], async () => ({ body: { credential: 'a', client_data: 'a', attestation: 'a' } })],
  'PATCH /api/passkeys/{passkey}': [[401, 401, 401, 401, 403, 404, 200, 404, 404], async (user) => ({ path: { passkey: await passkeyOf(user) }, body: { name: 'Mine' } })],
  'DELETE /api/passkeys/{passkey}': [[401, 401, 401, 401, 403, 403, 204, 404, 404], async (user) => ({ path: { passkey: await passkeyOf(user) }, body: { current_password: user.password } })],
  'POST /api/passkey-sessions':  [[201, 201, 201, 201, 201, 201, 201, 201, 201], async () => ({ body: {} })],
  'PUT /api/passkey-sessions':   [[403, 403, 403, 403, 403, 403, 403, 403, 403], async () => ({ body: { credential: 'a', client_data: 'a', authenticator_data: 'a', signature: 'a', user_handle: 'a' } })],
  'PATCH /api/passkey-sessions': [[401, 401, 401, 401, 403, 404, 404, 404, 404], async () => ({ body: { credential: 'a', client_data: 'a', authenticator_data: 'a', signature: 'a', user_handle: 'a' } })],
  'GET /api/bots':                 [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/bots':                [[401, 401, 401, 401, 403, 403, 403, 403, 201], async () => ({ body: { username: aName() } })],
  'GET /api/bots/{bot}':           [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { bot: await botOf(user) } })],
  'PATCH /api/bots/{bot}':         [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { bot: await botOf(user) }, body: { name: 'Deploys' } })],
  'DELETE /api/bots/{bot}':        [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: { bot: await botOf(user) } })],
  'GET /api/bots/{bot}/webhook':   [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: await hookOf(user) })],
  'PUT /api/bots/{bot}/webhook':   [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: await hookOf(user), body: { url: 'https://bot.example.org/' } })],
  'POST /api/bots/{bot}/webhook':  [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: await hookOf(user), body: {} })],
  'PATCH /api/bots/{bot}/webhook': [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: await hookOf(user), body: {} })],
  'DELETE /api/bots/{bot}/webhook': [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: await hookOf(user) })],
  'PUT /api/bots/{bot}/commands/{command}': [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { bot: await botOf(user), command: aName() }, body: { url: 'https://bot.example.org/', description: 'Deploys' } })],
  'DELETE /api/bots/{bot}/commands/{command}': [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: await commandOf(user) })],
  'GET /api/rooms/{room}/commands': [[401, 401, 401, 401, 403, 403, 200, 403, 200], async (user) => ({ path: { room: await roomOf(user) } })],
  // Nothing answers at its address. Callers with permission get that error.
  'POST /api/rooms/{room}/commands': [[401, 401, 401, 401, 403, 403, 409, 403, 403], async (user) => { const command = await commandOf(user); return { path: { room: command.room }, body: { command: command.command } }; }],
  'GET /api/tokens':               [[401, 401, 401, 401, 403, 200, 200, 200, 200]],
  'POST /api/tokens':              [[401, 401, 401, 401, 403, 403, 201, 201, 201], async ({ password }) => ({ body: { name: aName(), current_password: password } })],
  'GET /api/tokens/{token}':       [[401, 401, 401, 401, 403, 404, 200, 404, 200], async (user) => ({ path: { token: await tokenOf(user) } })],
  'DELETE /api/tokens/{token}':    [[401, 401, 401, 401, 403, 404, 204, 404, 204], async (user) => ({ path: { token: await tokenOf(user) } })],
  // Only sessions may: here they would be named tokens.
  // An app proves itself with a code or a token in the body: test/functions/oauth.test.ts.
  'POST /api/oauth/token':         [[400, 400, 400, 400, 400, 400, 400, 400, 400], async () => ({ body: 'grant_type=refresh_token' })],
  'POST /api/oauth/revocation':    [[400, 400, 400, 400, 400, 400, 400, 400, 400], async () => ({ body: 'token=a' })],
  'GET /.well-known/oauth-authorization-server': [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /.well-known/oauth-protected-resource': [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /.well-known/oauth-protected-resource/api/mcp': [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /api/oauth/authorization':  [[401, 401, 401, 401, 403, 403, 403, 403, 403], async () => ({ query: `?${new URLSearchParams(anAppRequest)}` })],
  'POST /api/oauth/authorization': [[401, 401, 401, 401, 403, 403, 403, 403, 403], async () => ({ body: anAppRequest })],
  'GET /api/openapi.json':         [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /api/asyncapi.json':        [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /docs':                     [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /':                         [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /manifest.webmanifest':     [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
  'GET /docs/api/json':            [[200, 200, 200, 200, 200, 200, 200, 200, 200]],
};

const operations = (
  await Promise.all(
    functions.map(async ({ path, file }) => {
      const { handler } = (await import(new URL(`../${file}`, import.meta.url).href)) as { handler: Handler };
      const paths: Record<string, Operations> = handler.family ?? { [path]: handler.operations };
      return Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { scope }]) => ({ name: `${method} ${path}`, method, path, scope })),
      );
    }),
  )
).flat();

describe('authorisation', () => {
  it('the table of rights has a row for each operation, and no others', () => {
    expect(Object.keys(table).sort()).toEqual(operations.map(({ name }) => name).sort());
  });

  describe.each(operations)('$name', ({ name, method, path, scope }) => {
    const [statuses = [], prepare = async () => ({})] = table[name] ?? [];
    const prepared = async () => {
      const user = await anAccount();
      return { user, ...((await prepare(user)) as Awaited<ReturnType<Prepare>>) };
    };
    // Requests that change nothing use the same subjects for all identities.
    const shared = once(prepared);
    it.concurrent.each(identities.map((identity, index) => [identity, statuses[index] ?? 0] as const))(
      `${name} answers %s with %i`,
      async (identity, status) => {
        const changesNothing = (method === 'GET' || status >= 400) && identity !== 'expired' && identity !== 'revoked';
        const { user, path: parts = {}, query = '', body } = await (changesNothing ? shared : prepared)();
        const address = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '') + query;
        const reply = await call(method, address, { token: await tokens[identity](user, scope), body, source: anAddress() });
        expect(reply.status).toBe(status);
      },
    );
  });
});

const tokens: Record<(typeof identities)[number], (user: Account, scope: Scope | undefined) => Promise<string | undefined>> = {
  none: async () => undefined,
  bad: async () => 'a'.repeat(32),
  expired: async (user) => changed(user, { $set: { expires_at: new Date(Date.now() - 1_000) } }),
  revoked: async (user) => {
    const { token } = user;
    const [{ _id } = { _id: { $oid: '' } }] = (await call('GET', '/api/tokens', { token })).body as { _id: { $oid: string } }[];
    expect((await call('DELETE', `/api/tokens/${_id.$oid}`, { token })).status).toBe(204);
    return token;
  },
  low: (_user, scope) => scopedToken(scopes.find((candidate) => candidate !== scope) as Scope),
  narrow: (_user, scope) => scopedToken(scope === undefined || scope === 'admin' ? 'rooms:read' : scope),
  user: async ({ token }) => token,
  other: once(async () => (await anAccount()).token),
  admin: once(async () => (await anAdmin()).token),
};

const scopedTokens = new Map<Scope, Promise<string>>();

/**
 * A token of an administrator with one scope, which the rows share: no row changes the account of
 * its caller, unless it is `user`.
 */
function scopedToken(scope: Scope): Promise<string> {
  const known = scopedTokens.get(scope) ?? anAdmin().then(({ id }) => createScopedToken(id, scope));
  scopedTokens.set(scope, known);
  return known;
}

const createScopedToken = async (id: string, scope: Scope) =>
  (await createToken(new ObjectId(id), 'scoped', { scopes: [scope] })).token;

/** Calls a function the first time only, and returns that result each time. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

async function changed({ id, token }: Account, change: object): Promise<string> {
  await database.collection('tokens').updateOne({ user: new ObjectId(id), name: 'test' }, change);
  return token;
}

async function digestLinkOf({ id }: Account): Promise<string> {
  const link = randomToken();
  await database
    .collection<{ _id: ObjectId }>('digests')
    .updateOne({ _id: new ObjectId(id) }, { $set: { links: [hashToken(link)] } }, { upsert: true });
  return link;
}

async function sessionOf(user: Account): Promise<string> {
  const token = await aSession(call, user);
  const [session] = (await call('GET', '/api/sessions', { token })).body as { _id: { $oid: string } }[];
  return session?._id.$oid ?? '';
}

const tokenOf = async ({ id }: Account) => (await createToken(new ObjectId(id), aName()))._id.$oid;

const passkeyOf = async (user: Account) => (await addPasskey(call, user)).id;

const botOf = async (owner: Account) => (await aBot(owner)).id;

async function hookOf(owner: Account): Promise<{ bot: string }> {
  const bot = await aBot(owner);
  const body = { url: 'https://localhost:1/' };
  expect((await call('PUT', `${bot.path}/webhook`, { token: owner.token, body })).status).toBe(200);
  return { bot: bot.id };
}

async function commandOf(owner: Account): Promise<{ bot: string; command: string; room: string }> {
  const [bot, room, command] = [await aBot(owner), await aRoom({ owner }), aName()];
  await addMember(room, bot);
  const body = { url: 'https://localhost:1/', description: 'Deploys' };
  expect((await call('PUT', `${bot.path}/commands/${command}`, { token: owner.token, body })).status).toBe(200);
  return { bot: bot.id, command, room: room.id };
}

const roomOf = async (owner: Account) => (await aRoom({ owner })).id;

const membershipOf = async (owner: Account) => memberId(await aRoom({ owner }), owner);

async function banBy(owner: Account): Promise<string> {
  const [room, banned] = [await aRoom({ owner }), await anAccount()];
  const member = await addMember(room, banned);
  expect((await call('DELETE', `/api/members/${member}?ban=true`, { token: owner.token })).status).toBe(204);
  return `?room=${room.id}&user=${banned.id}`;
}

async function invitationBy(owner: Account): Promise<{ room: string; invitation: string }> {
  const room = await roomOf(owner);
  const { status, body } = await call('POST', `/api/rooms/${room}/invitations`, { token: owner.token, body: {} });
  expect(status).toBe(201);
  return { room, invitation: (body as { _id: { $oid: string } })._id.$oid };
}

async function webhookBy(owner: Account, asked = {}): Promise<{ room: string; webhook: string; secret: string }> {
  const room = await roomOf(owner);
  const { status, body } = await call('POST', `/api/rooms/${room}/webhooks`, { token: owner.token, body: asked });
  expect(status).toBe(201);
  const { _id, secret } = body as { _id: { $oid: string }; secret: string };
  return { room, webhook: _id.$oid, secret };
}

const outgoingBy = (owner: Account) => webhookBy(owner, { url: 'https://localhost:1/' });

async function codeBy(owner: Account): Promise<string> {
  const { body } = await call('POST', `/api/rooms/${await roomOf(owner)}/invitations`, { token: owner.token, body: {} });
  return (body as { code: string }).code;
}

async function someoneBlockedBy(token: string): Promise<string> {
  const { id } = await anAccount();
  expect((await call('POST', '/api/blocks', { token, body: { user: id } })).status).toBe(201);
  return id;
}

const passwordCodeOf = async ({ id }: Account) => (await createPasswordCode(new ObjectId(id))).code;

const announcedFileOf = async (user: Account) => (await aFile(user, await roomOf(user), { bytes: undefined })).id;

async function sentFileOf(user: Account): Promise<string> {
  const room = await roomOf(user);
  const { id } = await aFile(user, room);
  await aMessage(user, room, { files: [id] });
  return id;
}

async function someoneWithPicture({ token, id }: Account): Promise<string> {
  await call('PUT', '/api/users/me/avatar', { token, body: aPicture });
  return id;
}

async function roomWithPicture(user: Account): Promise<string> {
  const room = await roomOf(user);
  await call('PUT', `/api/rooms/${room}/avatar`, { token: user.token, body: aPicture });
  return room;
}

async function someoneProtected(): Promise<string> {
  const account = await anAccount();
  await turnOn(call, account);
  return account.id;
}

async function questionOf(owner: Account): Promise<string> {
  const [room, bot] = [await aRoom({ owner, is_visible: false }), await aBot(owner)];
  await addMember(room, bot);
  return (await aQuestion(bot, room))._id.$oid;
}

const messageOf = async (author: Account) => (await aMessage(author, await roomOf(author)))._id.$oid;

function aPerson() {
  const username = aName();
  return { username, email: `${username}@example.org`, password: 'correct horse' };
}
