import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { auditActions } from '../../../lib/audit/actions.ts';
import { verifyTrail } from '../../../lib/audit/trail.ts';
import { audit } from '../../../lib/collections/service/audit.ts';
import { registerApp } from '../../../lib/oauth/apps.ts';
import { aName, anAccount, anAdmin, aSession } from '../../support/accounts.ts';
import { aBot } from '../../support/bots.ts';
import { useConfig, useOwnDatabase } from '../../support/config.ts';
import { aPicture } from '../../support/files.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { aCode, signedIn, useOAuth } from '../../support/oauth.ts';
import { signInBy, userOf } from '../../support/oidc-browser.ts';
import { aQuestion, aRoomWithBot, press } from '../../support/questions.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { admin as command } from '../../support/run-command.ts';
import { turnOn } from '../../support/second-factor.ts';
import { slackUser, writeSlackExport } from '../../support/slack-export.ts';
import { inProcess as call } from '../../support/transports.ts';

const provider = await startIdentityProvider({ callback: 'https://chat.example.org/oidc' });
useConfig({ ...provider.settings, OIDC_ADMIN_GROUP: 'chat-admins' });
useOAuth();
useOwnDatabase();

type Action = keyof typeof auditActions;
type Account = Awaited<ReturnType<typeof anAccount>>;

const directory = await mkdtemp(join(tmpdir(), 'chat-audit-'));
afterAll(async () => {
  provider.close();
  await rm(directory, { recursive: true });
});

const admin = await anAdmin();
const byAdmin = { kind: 'user', name: admin.username };
const byCommand = { kind: 'command line', name: expect.any(String) };
const byService = { kind: 'service', name: null };

/** Sends a successful request of the administrator. */
async function ask(method: string, path: string, body?: unknown): Promise<void> {
  const reply = await call(method, path, { token: admin.token, body });
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
}

/** Runs a successful command. */
async function type(...words: string[]): Promise<void> {
  expect(await command(words)).toMatchObject({ code: 0 });
}

/** The expected entry of an act: its actor and its target, by name. */
type Left = { actor: object; target: string | null };
type Row = [way: string, act: () => Promise<Left>];

const onAccount = (way: string, act: (account: Account) => Promise<unknown>, actor: object = byAdmin): Row => [
  way,
  async () => {
    const account = await anAccount();
    await act(account);
    return { actor, target: account.username };
  },
];

const onRoom = (way: string, act: (room: string, member: Account) => Promise<unknown>, actor: object = byAdmin): Row => [
  way,
  async () => {
    const [name, member] = [aName(), await anAccount()];
    await act(await aRoomOf([await anAccount(), member], { name, is_open: false }), member);
    return { actor, target: name };
  },
];

const onBot = (
  way: string,
  act: (name: string, id: string) => Promise<unknown>,
  actor: object = byAdmin,
  { isThere = true } = {},
): Row => [
  way,
  async () => {
    const { id, username } = isThere ? await aBot(await anAccount()) : { id: '', username: aName() };
    await act(username, id);
    return { actor, target: username };
  },
];

/** Makes a member an owner of the room. */
async function ownerOf(room: string, member: Account): Promise<Account> {
  await ask('PATCH', await membership(room, member), { role: 'owner' });
  return member;
}

const aWebhook = { url: 'https://bot.example.org/heard' };
const aCommand = { url: 'https://bot.example.org/', description: 'Deploys the page' };

const idIn = ({ body }: { body: unknown }) => (body as { _id: { $oid: string } })._id.$oid;

/** Creates an outgoing webhook of a member. */
async function outgoingOf(room: string, member: Account): Promise<string> {
  const { token } = await ownerOf(room, member);
  const body = { url: 'https://receiver.example.org/', events: ['message.created'] };
  return idIn(await call('POST', `/api/rooms/${room}/webhooks`, { token, body }));
}

const onMember = (way: string, act: (room: string, member: Account) => Promise<unknown>, actor: object = byAdmin): Row => [
  way,
  async () => {
    const member = await anAccount();
    await act(await aRoomOf([await anAccount(), member], { is_open: false }), member);
    return { actor, target: member.username };
  },
];

const onData = (way: string, ...words: string[]): Row => [
  way,
  async () => {
    await command(words);
    return { actor: byCommand, target: null };
  },
];

async function membership(room: string, { username }: Account): Promise<string> {
  const { body } = await call('GET', `/api/members?room=${room}`, { token: admin.token });
  const found = (body as { _id: { $oid: string }; username: string }[]).find((one) => one.username === username);
  return `/api/members/${found?._id.$oid}`;
}

async function firstOf(kind: 'sessions' | 'tokens', account: Account): Promise<string> {
  const { body } = await call('GET', `/api/${kind}`, { token: account.token });
  return `/api/${kind}/${(body as [{ _id: { $oid: string } }])[0]._id.$oid}`;
}

/** A user of the provider, with or without the administrators' group, or both in turn. */
const byGroup = (way: string, ...groups: string[][]): Row => [
  way,
  async () => {
    const person = aName();
    for (const some of groups) {
      provider.people.set(person, {
        preferred_username: person,
        email: `${person}@example.org`,
        email_verified: true,
        groups: some,
      });
      await signInBy(provider, person, {});
    }
    return { actor: byService, target: person };
  },
];

/** A user who has signed in with the provider. */
const connected = (
  way: string,
  act: (account: { id: string; username: string }) => Promise<unknown>,
  actor: object,
  groups: string[] = [],
): Row => [
  way,
  async () => {
    const person = aName();
    provider.people.set(person, { preferred_username: person, email: `${person}@example.org`, email_verified: true, groups });
    await act({ id: userOf(await signInBy(provider, person, {}))._id.$oid, username: person });
    return { actor, target: person };
  },
];

const exported = join(directory, 'all.ndjson');
const patch = (body: object) => (account: Account) => ask('PATCH', `/api/users/${account.id}`, body);
const withRoom = (word: string) => async (room: string) => {
  if (word === 'release') await type('room', 'hold', room);
  await type('room', word, room, ...(word === 'delete' ? ['--yes'] : []));
};
const named =
  (...words: string[]) =>
  (account: Account) =>
    type(...words.map((word) => (word === '?' ? account.username : word)));

const created = (way: string, act: (username: string) => Promise<unknown>, actor: object): Row => [
  way,
  async () => {
    const username = aName();
    await act(username);
    return { actor, target: username };
  },
];

/** An import of another chat, and an act on it. */
const onImport = (way: string, act?: (workspace: string) => Promise<unknown>): Row => [
  way,
  async () => {
    const [archive, workspace] = [join(directory, `${aName()}.zip`), aName()];
    await writeSlackExport(archive, { users: [slackUser('U1', aName())] });
    await type('import', 'slack', archive, '--workspace', workspace);
    await act?.(workspace);
    return { actor: byCommand, target: null };
  },
];

/** All ways to cause each action. */
const rows: Record<Action, Row[]> = {
  'user.created': [
    created(
      'a request',
      (username) => ask('POST', '/api/users', { username, email: `${username}@example.org`, password: 'a long password' }),
      byAdmin,
    ),
    created(
      'a command',
      async (username) => {
        const words = ['user', 'create', username, '--email', `${username}@example.org`, '--password-stdin'];
        expect(await command(words, 'a long password\n')).toMatchObject({ code: 0 });
      },
      byCommand,
    ),
    byGroup('a group', ['chat-admins']),
  ],
  'user.promoted': [
    onAccount('a request', patch({ is_admin: true })),
    onAccount('a command', named('user', 'promote', '?'), byCommand),
    byGroup('a group', [], ['chat-admins']),
  ],
  'user.demoted': [
    onAccount('a request', patch({ is_admin: false })),
    onAccount('a command', named('user', 'demote', '?'), byCommand),
    byGroup('a group', ['chat-admins'], []),
    connected('a disconnection by a request', ({ id }) => ask('PATCH', `/api/users/${id}`, { is_connected: false }), byAdmin, [
      'chat-admins',
    ]),
    connected('a disconnection by a command', ({ username }) => type('user', 'disconnect', username), byCommand, ['chat-admins']),
  ],
  'user.deactivated': [
    onAccount('a request', patch({ is_active: false })),
    onAccount('a command', named('user', 'deactivate', '?'), byCommand),
  ],
  'user.activated': [
    onAccount('a request', patch({ is_active: true })),
    onAccount('a command', named('user', 'activate', '?'), byCommand),
  ],
  'user.deleted': [
    onAccount('a request', ({ id }) => ask('DELETE', `/api/users/${id}`, {})),
    onAccount('a command', named('user', 'delete', '?', '--yes'), byCommand),
    onAccount('a command that deletes the messages as well', named('user', 'delete', '?', '--with-messages', '--yes'), byCommand),
  ],
  'user.email_changed': [onAccount('a request', patch({ email: `${aName()}@example.org` }))],
  'user.password_changed': [
    onAccount('a request', patch({ password: 'another horse' })),
    onAccount(
      'a command',
      async ({ username }) =>
        expect(await command(['user', 'password', username, '--password-stdin'], 'another horse\n')).toMatchObject({ code: 0 }),
      byCommand,
    ),
  ],
  'user.profile_changed': [
    onAccount('a name', patch({ name: 'Other' })),
    onAccount('no notifications', patch({ hides_push_text: true })),
    onAccount('no e-mails', patch({ email_digest: false })),
    onAccount('quiet hours', patch({ quiet_hours: { from: '22:00', to: '07:00', time_zone: 'UTC' } })),
    onAccount('a picture', ({ id }) => ask('PUT', `/api/users/${id}/avatar`, aPicture)),
    onAccount('no picture', ({ id }) => ask('DELETE', `/api/users/${id}/avatar`)),
  ],
  'user.code_created': [
    onAccount('a request', ({ id }) => ask('POST', `/api/users/${id}/codes`, {})),
    onAccount('a command', named('user', 'code', '?'), byCommand),
  ],
  'user.sessions_ended': [
    onAccount('a request for all', ({ id }) => ask('DELETE', `/api/sessions?user=${id}`)),
    onAccount('a request for one', async (account) => {
      await aSession(call, account);
      await ask('DELETE', await firstOf('sessions', account));
    }),
    onAccount(
      'a command',
      async (account) => {
        await aSession(call, account);
        await type('session', 'end', (await firstOf('sessions', account)).slice(-24));
      },
      byCommand,
    ),
  ],
  'user.second_factor_reset': [
    onAccount('a request', async (account) => {
      await turnOn(call, { ...account, token: await aSession(call, account) });
      await ask('DELETE', `/api/second-factor?user=${account.id}`, { current_password: admin.password });
    }),
    onAccount(
      'a command',
      async (account) => {
        await turnOn(call, { ...account, token: await aSession(call, account) });
        await named('user', '2fa-reset', '?')(account);
      },
      byCommand,
    ),
  ],
  'user.limits_lifted': [
    onAccount('a request', ({ id }) => ask('DELETE', `/api/users/${id}/usage`)),
    onAccount('a command', named('user', 'unlimit', '?'), byCommand),
  ],
  'user.rate_changed': [
    onAccount('a request', ({ id }) => ask('PATCH', `/api/users/${id}/usage`, { writes_per_second: 3 })),
    onAccount('a request for the usual rate', ({ id }) => ask('PATCH', `/api/users/${id}/usage`, { writes_per_second: null })),
    onAccount('a command', named('user', 'limit', '?', '--writes-per-second', '3'), byCommand),
  ],
  'user.held': [
    onAccount('a request', ({ id }) => ask('PATCH', `/api/users/${id}/usage`, { is_held: true })),
    onAccount('a command', named('user', 'hold', '?'), byCommand),
  ],
  'user.released': [
    onAccount('a request', ({ id }) => ask('PATCH', `/api/users/${id}/usage`, { is_held: false })),
    onAccount('a command', named('user', 'release', '?'), byCommand),
  ],
  'user.exported': [
    onAccount('a command', (account) => named('user', 'export', '?', join(directory, aName()))(account), byCommand),
  ],
  'user.disconnected': [
    connected('a request', ({ id }) => ask('PATCH', `/api/users/${id}`, { is_connected: false }), byAdmin),
    connected('a command', ({ username }) => type('user', 'disconnect', username), byCommand),
  ],
  'bot.created': [
    onBot('a request', (name) => ask('POST', '/api/bots', { username: name }), byAdmin, { isThere: false }),
    onBot('a command', (name) => type('bot', 'create', name), byCommand, { isThere: false }),
  ],
  'bot.changed': [
    onBot('a request', (_name, id) => ask('PATCH', `/api/bots/${id}`, { name: 'Other' })),
    onBot('a request for another owner', (_name, id) => ask('PATCH', `/api/bots/${id}`, { owner: null })),
    onBot('a command', (name) => type('bot', 'give', name, '--to-administrators'), byCommand),
    onBot('a request for a command', (_name, id) => ask('PUT', `/api/bots/${id}/commands/${aName()}`, aCommand)),
    onBot('a request for one command less', async (name, id) => {
      await ask('PUT', `/api/bots/${id}/commands/${name}`, aCommand);
      await ask('DELETE', `/api/bots/${id}/commands/${name}`);
    }),
    onBot('a request for a webhook', (_name, id) => ask('PUT', `/api/bots/${id}/webhook`, aWebhook)),
    onBot('a request for another secret of it', async (_name, id) => {
      await ask('PUT', `/api/bots/${id}/webhook`, aWebhook);
      await ask('PATCH', `/api/bots/${id}/webhook`, { new_secret: true });
    }),
    onBot('a request for one webhook less', async (_name, id) => {
      await ask('PUT', `/api/bots/${id}/webhook`, aWebhook);
      await ask('DELETE', `/api/bots/${id}/webhook`);
    }),
  ],
  'bot.deleted': [onBot('a request', (_name, id) => ask('DELETE', `/api/bots/${id}`))],
  'token.created': [
    onAccount('a request', ({ id }) => ask('POST', '/api/tokens', { name: 'bot', scopes: ['rooms:read'], user: id })),
    onAccount('a command', named('token', 'create', '?', '--name', 'bot'), byCommand),
  ],
  'token.revoked': [
    onAccount('a request', async (account) => ask('DELETE', await firstOf('tokens', account))),
    onAccount('a command', async (account) => type('token', 'revoke', (await firstOf('tokens', account)).slice(-24)), byCommand),
  ],
  'app.connected': [
    [
      'a request',
      async () => {
        const user = await anAdmin();
        await aCode(await signedIn(user));
        return { actor: { kind: 'user', name: user.username }, target: user.username };
      },
    ],
  ],
  'app.registered': [onData('a command', 'app', 'create', '--name', 'Cursor', '--redirect-uri', 'cursor://auth/callback')],
  'app.removed': [
    [
      'a command',
      async () => {
        const { clientId } = await registerApp({ name: aName(), redirectUris: ['https://app.example.com/'] });
        await type('app', 'remove', clientId);
        return { actor: byCommand, target: null };
      },
    ],
  ],
  'room.created': [
    [
      'a command',
      async () => {
        const name = aName();
        await type('room', 'create', name, '--owner', admin.username);
        return { actor: byCommand, target: name };
      },
    ],
  ],
  'room.read': [onRoom('a request', (room) => ask('GET', `/api/messages?room=${room}`))],
  'room.changed': [
    onRoom('all fields', (room) => ask('PUT', `/api/rooms/${room}`, { name: 'New', is_open: true, is_visible: true })),
    onRoom('a field', (room) => ask('PATCH', `/api/rooms/${room}`, { is_open: true })),
    onRoom('a picture', (room) => ask('PUT', `/api/rooms/${room}/avatar`, aPicture)),
    onRoom('no picture', (room) => ask('DELETE', `/api/rooms/${room}/avatar`)),
    onRoom('a detail', (room) => ask('PATCH', `/api/rooms/${room}/details`, { topic: 'News' })),
    [
      'who joins a room of their own',
      async () => {
        const name = aName();
        await ask('PATCH', `/api/rooms/${await aRoomOf([admin], { name })}/details`, { is_default: true });
        return { actor: byAdmin, target: name };
      },
    ],
  ],
  'room.archived': [
    onRoom('a request', (room) => ask('PATCH', `/api/rooms/${room}/details`, { archived: true })),
    onRoom('a command', withRoom('archive'), byCommand),
  ],
  'room.unarchived': [onRoom('a request', (room) => ask('PATCH', `/api/rooms/${room}/details`, { archived: false }))],
  'room.held': [
    onRoom('a request', (room) => ask('PATCH', `/api/rooms/${room}/details`, { is_held: true })),
    onRoom('a command', withRoom('hold'), byCommand),
  ],
  'room.released': [
    onRoom('a request', (room) => ask('PATCH', `/api/rooms/${room}/details`, { is_held: false })),
    onRoom('a command', withRoom('release'), byCommand),
  ],
  'room.exported': [onRoom('a command', (room) => type('room', 'export', room, join(directory, aName())), byCommand)],
  'room.deleted': [
    onRoom('a request', (room) => ask('DELETE', `/api/rooms/${room}`)),
    onRoom('a command', withRoom('delete'), byCommand),
  ],
  'member.added': [
    onAccount('a request', async ({ id }) => ask('POST', '/api/members', { room: await aRoomOf([await anAccount()]), user: id })),
    onAccount(
      'a command',
      async ({ username }) => type('member', 'add', await aRoomOf([await anAccount()]), username),
      byCommand,
    ),
    [
      'joining a room that is not open',
      async () => {
        await ask('POST', '/api/members', { room: await aRoomOf([await anAccount()], { is_open: false }) });
        return { actor: byAdmin, target: admin.username };
      },
    ],
  ],
  'member.role_changed': [
    onMember('a request', async (room, member) => ask('PATCH', await membership(room, member), { role: 'owner' })),
    onMember('a command', (room, { username }) => type('member', 'role', room, username, '--role', 'owner'), byCommand),
  ],
  'member.removed': [
    onMember('a request', async (room, member) => ask('DELETE', await membership(room, member))),
    onMember('a command', (room, { username }) => type('member', 'remove', room, username), byCommand),
  ],
  'ban.lifted': [
    onMember('a request', async (room, member) => {
      await ask('DELETE', `${await membership(room, member)}?ban=true`);
      await ask('DELETE', `/api/bans?room=${room}&user=${member.id}`);
    }),
    onMember(
      'a command',
      async (room, { username }) => {
        await type('member', 'remove', room, username, '--ban');
        await type('ban', 'lift', room, username);
      },
      byCommand,
    ),
  ],
  'invitation.created': [onRoom('a request', (room) => ask('POST', `/api/rooms/${room}/invitations`, {}))],
  'invitation.mailed': [
    onRoom('a request', (room) => ask('POST', `/api/rooms/${room}/invitations`, { email: `${aName()}@example.org` })),
  ],
  'invitation.revoked': [
    onRoom('a request', async (room, member) => {
      const { token } = await ownerOf(room, member);
      const made = await call('POST', `/api/rooms/${room}/invitations`, { token, body: {} });
      await ask('DELETE', `/api/rooms/${room}/invitations/${idIn(made)}`);
    }),
  ],
  'webhook.created': [onRoom('a request', (room) => ask('POST', `/api/rooms/${room}/webhooks`, {}))],
  'webhook.changed': [
    onRoom('a request', async (room, member) => {
      const webhook = await outgoingOf(room, member);
      await ask('PATCH', `/api/rooms/${room}/webhooks/${webhook}`, { is_enabled: false });
    }),
  ],
  'webhook.revoked': [
    onRoom('a request', async (room, member) => {
      const webhook = await outgoingOf(room, member);
      await ask('DELETE', `/api/rooms/${room}/webhooks/${webhook}`);
    }),
  ],
  'data.exported': [onData('a command', 'export', exported, '--force')],
  'data.imported': [
    [
      'a command',
      async () => {
        await type('export', exported, '--force');
        await type('import', exported);
        return { actor: byCommand, target: null };
      },
    ],
  ],
  // Not every database can be copied; then a second entry records the failure.
  'data.backed_up': [onData('a command', 'backup', join(directory, 'copy'))],
  'data.restored': [onData('a command', 'database', 'restored')],
  // Only the embedded database has a loss to acknowledge.
  'data.loss_acknowledged': [onData('a command', 'database', 'acknowledge')],
  'data.converted': [onImport('a command')],
  'data.conversion_undone': [onImport('a command', (workspace) => type('import', 'undo', workspace, '--yes'))],
  'data.links_created': [
    onImport('a command', (workspace) => type('import', 'invite', workspace, '--to', join(directory, `${aName()}.csv`))),
  ],
  'push_key.exported': [onData('a command', 'push-key', 'export')],
  'push_key.rotated': [onData('a command', 'push-key', 'rotate')],
  'action.pressed': [
    [
      'a press',
      async () => {
        const { room, bot, ann } = await aRoomWithBot();
        await press(ann, await aQuestion(bot, room, { is_approval: true }), 'yes', { version: 1 });
        return { actor: { kind: 'user', name: ann.username }, target: 'General' };
      },
    ],
  ],
  'audit.exported': [onData('a command', 'audit', 'export')],
};

describe('the audit log', () => {
  it('the audit log has a way to each action in its table, and to no other', () => {
    expect(Object.keys(rows)).toEqual(Object.keys(auditActions));
  });

  it('the audit log has its table in docs/audit.md', () => {
    const rows = [...readFileSync('docs/audit.md', 'utf8').matchAll(/^\| `([\w.]+)` \| (.+) \|$/gm)];
    expect(Object.fromEntries(rows.map(([, action, meaning]) => [action, meaning]))).toEqual(auditActions);
  });

  const ways = Object.entries(rows).flatMap(([action, ways]) => ways.map(([way, act]) => ({ action, way, act })));
  it.each(ways)('the audit log records $action by $way', async ({ action, act }) => {
    const { actor, target } = await act();
    const found = await audit.find({ action, failed: null }, { sort: { _id: -1 }, limit: 1 }).toArray();
    expect(found).toMatchObject([{ action, actor, target: { name: target } }]);
    expect(await verifyTrail()).toMatchObject({ problem: null });
  });

  it('the audit log omits what administrators do to their own bots', async () => {
    const bot = await aBot(admin);
    await ask('PUT', `${bot.path}/commands/${aName()}`, aCommand);
    await ask('POST', '/api/tokens', { name: 'mine', scopes: ['rooms:read'], user: bot.id });
    expect(await audit.find({ 'target.name': bot.username }).toArray()).toEqual([]);
  });

  it('no entry of the audit log contains a secret of the act', async () => {
    const text = JSON.stringify(await audit.find().toArray());
    for (const secret of ['a long password', 'another horse', admin.password, admin.token]) expect(text).not.toContain(secret);
  });
});
