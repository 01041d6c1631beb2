import { hash } from 'node:crypto';
import { type TOTP, URI } from 'otpauth';
import type { DoStep, Person } from './walkthrough.ts';

/**
 * The names of what the walkthrough creates, and what the service can do: e-mails, which nobody
 * reads, files, second factors.
 */
export type Names = {
  user: string;
  email: string;
  room: string;
  newRoom: string;
  password: string;
  sendsEmail: boolean;
  keepsFiles: boolean;
  hasSecondFactors: boolean;
};

/** The names in the documentation's examples. */
export const exampleNames: Names = {
  user: 'bob',
  email: 'bob@example.org',
  room: 'General',
  newRoom: 'Town hall',
  password: 'a horse, a battery',
  sendsEmail: true,
  keepsFiles: true,
  hasSecondFactors: true,
};

/** The one step that comes before: ann makes herself the administrator of a new service. */
export const setUp = (code: string) => async (step: DoStep) => {
  const body = { code, username: 'ann', email: 'ann@example.org', password: 'correct horse battery' };
  await step(anyone, 'POST', '/api/setup', {}, { body });
};

/**
 * The steps: ann, an administrator, creates bob's account; they talk in a room, and finally delete
 * all that they created.
 */
export const walkthrough = (ann: Person, names: Names) => async (step: DoStep) => {
  await step(anyone, 'GET', '/api/health');
  await step(anyone, 'GET', '/api/setup');
  await step(anyone, 'GET', '/api/openapi.json');
  await step(anyone, 'GET', '/api/asyncapi.json');

  const { user, token } = await step(
    ann,
    'POST',
    '/api/users',
    {},
    { body: { username: names.user, email: names.email, password: names.password } },
  );
  const bob: Person = { name: 'bob', token };
  const { room, ...conversation } = await exchangeMessages(step, ann, bob, user, names);
  await moderate(step, ann, bob, { room, ...conversation }, names);
  const direct = await exchangePrivately(step, ann, bob, names);
  await manageAccount(step, ann, bob, user, names);
  await keepBot(step, { ann, bob }, user, { room, names });
  await step(bob, 'GET', '/api/second-factor');
  await step(bob, 'GET', '/api/passkeys');
  if (names.hasSecondFactors) await useSecondFactor(step, bob, names);
  const again = await setForgottenPassword(step, ann, user, names);

  const call = { name: 'get_person', arguments: { person: names.user } };
  await step(ann, 'POST', '/api/mcp', {}, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call } });
  await step(ann, 'DELETE', '/api/rooms/{room}', { room: direct });
  await step(ann, 'DELETE', '/api/rooms/{room}', { room });
  await step(again, 'DELETE', '/api/users/{user}', { user: 'me' }, { body: { current_password: `new ${names.password}` } });
};

const anyone: Person = { name: 'anyone' };

type Conversation = { room: string; member: string; message: string };

/** A bot of bob's, which ann gives him and takes back. */
async function keepBot(
  step: DoStep,
  { ann, bob }: { ann: Person; bob: Person },
  { _id }: { _id: { $oid: string } },
  { room, names }: { room: string; names: Names },
): Promise<void> {
  const asked = { username: `${names.user}-deploys`, name: 'Deploys', owner: _id.$oid };
  const bot = (await step(ann, 'POST', '/api/bots', {}, { body: asked }))._id.$oid;
  await step(ann, 'GET', '/api/bots', {}, { query: { limit: '50' } });
  await step(ann, 'GET', '/api/bots/{bot}', { bot });
  await step(ann, 'PATCH', '/api/bots/{bot}', { bot }, { body: { name: 'Deployments' } });
  const command = { bot, command: `${names.user}-deploy` };
  const receiver = { url: 'https://bot.example.org/deploy', description: 'Deploys the page', usage: '<environment>' };
  await step(ann, 'PUT', '/api/bots/{bot}/commands/{command}', command, { body: receiver });
  await step(ann, 'POST', '/api/members', {}, { body: { room, user: bot } });
  await step(ann, 'GET', '/api/rooms/{room}/commands', { room });
  await askAndAnswer(step, { ann, bob }, { bot, room, password: names.password });
  await step(ann, 'DELETE', '/api/bots/{bot}/commands/{command}', command);
  const webhook = '/api/bots/{bot}/webhook';
  await step(ann, 'PUT', webhook, { bot }, { body: { url: 'https://localhost:1/' } });
  await step(ann, 'GET', webhook, { bot });
  await step(ann, 'POST', webhook, { bot }, { body: {} });
  await step(ann, 'PATCH', webhook, { bot }, { body: { new_secret: true } });
  await step(ann, 'DELETE', webhook, { bot });
  await step(ann, 'DELETE', '/api/bots/{bot}', { bot });
}

/** The bot, whose token bob creates, asks for an approval, and ann gives it. */
async function askAndAnswer(
  step: DoStep,
  { ann, bob }: { ann: Person; bob: Person },
  { bot, room, password }: { bot: string; room: string; password: string },
): Promise<void> {
  const asked = { name: 'Deploys', user: bot, scopes: ['messages:write'], current_password: password };
  const { token } = await step(bob, 'POST', '/api/tokens', {}, { body: asked });
  const actions = [
    { id: 'deploy', label: 'Deploy', style: 'primary' },
    { id: 'stop', label: 'Not now' },
  ];
  const question = { room, text: 'Deploy version 1.4.2?', actions, is_approval: true };
  const message = (await step({ name: 'bot', token }, 'POST', '/api/messages', {}, { body: question }))._id.$oid;
  const path = { message, action: 'deploy' };
  await step(ann, 'PUT', '/api/messages/{message}/actions/{action}', path, { body: { version: 1 } });
}

async function exchangeMessages(
  step: DoStep,
  ann: Person,
  bob: Person,
  user: { _id: { $oid: string } },
  names: Names,
): Promise<Conversation> {
  const created = await step(ann, 'POST', '/api/rooms', {}, { body: { name: names.room } });
  const room = created._id.$oid;
  await step(ann, 'GET', '/api/rooms', {}, { query: { limit: '50' } });
  await step(bob, 'GET', '/api/rooms/{room}', { room });
  await step(bob, 'GET', '/api/directory', {}, { query: { q: names.room.slice(0, 3) } });
  const another = await step(ann, 'POST', '/api/directory', {}, { body: { name: names.newRoom, is_open: true } });
  await step(ann, 'DELETE', '/api/rooms/{room}', { room: another._id.$oid });
  const member = (await step(bob, 'POST', '/api/members', {}, { body: { room } }))._id.$oid;
  await step(bob, 'GET', '/api/members/{member}', { member });

  const message = (await step(bob, 'POST', '/api/messages', {}, { body: { room, text: 'Good morning!' } }))._id.$oid;
  const reply = { room, text: `Hello @${names.user}, how are you?`, thread: message };
  const { seq } = await step(ann, 'POST', '/api/messages', {}, { body: reply });
  await step(bob, 'GET', '/api/messages', {}, { query: { room, limit: '50', is_in_room: 'true' } });
  await step(bob, 'GET', '/api/threads', {}, { query: { unread: 'true' } });
  await step(bob, 'GET', '/api/threads/{message}', { message });
  await step(bob, 'PATCH', '/api/threads/{message}', { message }, { body: { last_read: seq } });
  await step(bob, 'PATCH', '/api/messages/{message}', { message }, { body: { text: 'Good morning, everyone!' } });
  await step(bob, 'GET', '/api/messages/{message}', { message });
  await step(ann, 'PUT', '/api/messages/{message}/reactions/{emoji}', { message, emoji: '👋' }, { body: {} });
  await step(ann, 'DELETE', '/api/messages/{message}/reactions/{emoji}', { message, emoji: '👋' });
  await step(bob, 'PUT', '/api/messages/{message}/save', { message }, { body: {} });
  await step(
    bob,
    'PUT',
    '/api/messages/{message}/save',
    { message },
    { body: { remind_at: new Date(Date.now() + 3_600_000).toISOString() } },
  );
  await step(bob, 'GET', '/api/notifications');
  await step(bob, 'PATCH', '/api/notifications', {}, { body: { read_until: new Date().toISOString() } });
  await step(bob, 'GET', '/api/saved', {}, { query: { reminders: 'true' } });
  await step(bob, 'GET', '/api/saved');
  await subscribeDevice(step, bob);
  await step(bob, 'DELETE', '/api/messages/{message}/save', { message });
  await step(bob, 'PATCH', '/api/members/{member}', { member }, { body: { last_read: seq } });
  await step(bob, 'GET', '/api/members', {}, { query: { user: 'me' } });
  await step(ann, 'GET', '/api/members', {}, { query: { room } });
  await step(ann, 'GET', '/api/users/{user}', { user: user._id.$oid });
  if (names.keepsFiles) await sendFile(step, bob, room);
  return { room, member, message };
}

/** A device that never gets a push: the push service would know it by its address alone. */
async function subscribeDevice(step: DoStep, bob: Person): Promise<void> {
  const path = '/api/push-subscription';
  const { key } = await step(bob, 'GET', path);
  const device = {
    endpoint: 'https://fcm.googleapis.com/fcm/send/c1KrmpTuRm',
    p256dh: `B${'d3'.repeat(43)}`,
    auth: 'k8'.repeat(11),
  };
  await step(bob, 'PUT', path, {}, { body: { ...device, key } });
  await step(bob, 'DELETE', path);
}

async function sendFile(step: DoStep, bob: Person, room: string): Promise<void> {
  const text = 'Cake at four, in the kitchen.';
  const sha256 = hash('sha256', text);
  const announced = { room, name: 'Notes.txt', type: 'text/plain', size: text.length, sha256 };
  const file = (await step(bob, 'POST', '/api/files', {}, { body: announced }))._id.$oid;
  await step(bob, 'PUT', '/api/files/{file}/content', { file }, { body: text });
  await step(bob, 'POST', '/api/messages', {}, { body: { room, text: 'See you there', files: [file] } });
  await step(bob, 'GET', '/api/files/{file}/content', { file });
  const unsent = (await step(bob, 'POST', '/api/files', {}, { body: announced }))._id.$oid;
  await step(bob, 'DELETE', '/api/files/{file}', { file: unsent });
}

async function exchangePrivately(step: DoStep, ann: Person, bob: Person, names: Names): Promise<string> {
  const room = (await step(ann, 'POST', '/api/conversations', {}, { body: { users: [names.user] } }))._id.$oid;
  const { user: sender } = await step(
    ann,
    'POST',
    '/api/messages',
    {},
    { body: { room, text: 'Between you and me: happy birthday!' } },
  );
  await step(bob, 'POST', '/api/blocks', {}, { body: { user: sender } });
  await step(bob, 'GET', '/api/blocks');
  await step(bob, 'DELETE', '/api/blocks', {}, { query: { user: sender.$oid } });
  return room;
}

async function moderate(
  step: DoStep,
  ann: Person,
  bob: Person,
  { room, member, message }: Conversation,
  { newRoom }: Names,
): Promise<void> {
  await step(ann, 'PUT', '/api/messages/{message}/pin', { message }, { body: {} });
  await step(ann, 'DELETE', '/api/messages/{message}/pin', { message });
  await step(ann, 'PUT', '/api/rooms/{room}', { room }, { body: { name: newRoom, is_open: true, is_visible: true } });
  await step(ann, 'PATCH', '/api/rooms/{room}', { room }, { body: { is_open: false } });
  await step(ann, 'PATCH', '/api/rooms/{room}/details', { room }, { body: { topic: 'Everything and nothing' } });
  await step(bob, 'GET', '/api/rooms/{room}/details', { room });
  const avatar = '/api/rooms/{room}/avatar';
  const { avatar: version } = await step(ann, 'PUT', avatar, { room }, { body: picture });
  await step(bob, 'GET', avatar, { room }, { query: { version } });
  await step(ann, 'DELETE', avatar, { room });
  await step(ann, 'GET', '/api/rooms/{room}/usage', { room });
  await step(ann, 'GET', '/api/overview/rooms', {}, { query: { room } });
  await step(bob, 'GET', '/api/events', {}, { query: { room, after: '0' } });
  await step(bob, 'POST', '/api/tickets', {}, { body: {} });
  await step(bob, 'DELETE', '/api/messages/{message}', { message });
  const { user } = await step(ann, 'GET', '/api/members/{member}', { member });
  await step(ann, 'DELETE', '/api/members/{member}', { member }, { query: { ban: 'true' } });
  const invited = await step(ann, 'POST', '/api/rooms/{room}/invitations', { room }, { body: { uses: 10 } });
  await step(ann, 'GET', '/api/rooms/{room}/invitations', { room });
  await step(ann, 'GET', '/api/overview/invitations');
  await step(anyone, 'POST', '/api/invitations', {}, { body: { invitation: invited.code } });
  await step(ann, 'DELETE', '/api/rooms/{room}/invitations/{invitation}', { room, invitation: invited._id.$oid });
  const webhook = await step(ann, 'POST', '/api/rooms/{room}/webhooks', { room }, { body: { name: 'Builds' } });
  await step(ann, 'GET', '/api/rooms/{room}/webhooks', { room });
  await step(anyone, 'POST', '/api/webhooks/{secret}', { secret: webhook.secret }, { body: { text: 'The build is **green**.' } });
  await step(ann, 'DELETE', '/api/rooms/{room}/webhooks/{webhook}', { room, webhook: webhook._id.$oid });
  // Nothing is sent to an address like this.
  const receiver = { name: 'Deploys', url: 'https://localhost/chat', events: ['message.created', 'message.edited'] };
  const sender = await step(ann, 'POST', '/api/rooms/{room}/webhooks', { room }, { body: receiver });
  const outgoing = { room, webhook: sender._id.$oid };
  await step(ann, 'POST', '/api/rooms/{room}/webhooks/{webhook}', outgoing, { body: {} });
  await step(ann, 'PATCH', '/api/rooms/{room}/webhooks/{webhook}', outgoing, { body: { is_enabled: false } });
  await step(ann, 'GET', '/api/rooms/{room}/webhooks/{webhook}', outgoing);
  await step(ann, 'GET', '/api/overview/webhooks');
  await step(ann, 'GET', '/api/bans', {}, { query: { room } });
  await step(ann, 'DELETE', '/api/bans', {}, { query: { room, user: user.$oid } });
}

async function manageAccount(
  step: DoStep,
  ann: Person,
  bob: Person,
  user: { _id: { $oid: string } },
  names: Names,
): Promise<void> {
  const credentials = { username: names.user, password: names.password };
  await step(anyone, 'POST', '/api/sessions', {}, { body: credentials });
  await step(bob, 'GET', '/api/sessions');
  await step(bob, 'DELETE', '/api/sessions');
  const { token } = await step(anyone, 'POST', '/api/sessions', {}, { body: credentials });
  await step({ name: 'bob', token }, 'DELETE', '/api/sessions/{session}', { session: 'current' });

  const scopes = ['messages:read', 'messages:write'];
  const current_password = names.password;
  await step(bob, 'PATCH', '/api/sessions/{session}', { session: 'current' }, { body: { current_password } });
  const named = (await step(bob, 'POST', '/api/tokens', {}, { body: { name: 'bot', scopes, current_password } }))._id.$oid;
  await step(bob, 'GET', '/api/tokens');
  await step(bob, 'GET', '/api/tokens/{token}', { token: named });
  await step(bob, 'DELETE', '/api/tokens/{token}', { token: named });
  await streamAnswer(step, ann, bob, names);
  await step(
    bob,
    'PATCH',
    '/api/users/{user}',
    { user: 'me' },
    { body: { email: `new-${names.email}`, current_password: names.password } },
  );
  const avatar = '/api/users/{user}/avatar';
  const { avatar: version } = await step(bob, 'PUT', avatar, { user: 'me' }, { body: picture });
  await step(bob, 'GET', avatar, { user: user._id.$oid }, { query: { version } });
  await step(bob, 'DELETE', avatar, { user: 'me' });
  await step(bob, 'GET', '/api/users', {}, { query: { username: names.user } });
  await step(ann, 'GET', '/api/users', {}, { query: { q: names.user.slice(0, 2) } });
  await step(bob, 'GET', '/api/users/{user}', { user: user._id.$oid });
}

/**
 * Bob turns a second factor on, and off again by a recovery code: the code of the app was used for
 * the first.
 */
async function useSecondFactor(step: DoStep, bob: Person, { password }: Names): Promise<void> {
  const path = '/api/second-factor';
  const { uri } = await step(bob, 'POST', path, {}, { body: { current_password: password } });
  const app = URI.parse(uri) as TOTP;
  const { recovery_codes } = await step(bob, 'PUT', path, {}, { body: { code: app.generate() } });
  await step(bob, 'DELETE', path, {}, { body: { code: recovery_codes[0], current_password: password } });
}

/** The first bytes of a WebP; the examples show a text. */
const picture = 'RIFF....WEBPVP8 ';

/** Bob forgets his password; returns him with the session that he begins with a new one. */
async function setForgottenPassword(step: DoStep, ann: Person, user: { _id: { $oid: string } }, names: Names): Promise<Person> {
  if (names.sendsEmail)
    await step(anyone, 'POST', '/api/codes', {}, { body: { email: `new-${names.email}`, purpose: 'password' } });
  const password = `new ${names.password}`;
  const { code } = await step(ann, 'POST', '/api/users/{user}/codes', { user: user._id.$oid }, { body: {} });
  await step(ann, 'GET', '/api/audit');
  await step(ann, 'GET', '/api/settings');
  await step(ann, 'GET', '/api/overview');
  await step(ann, 'GET', '/api/overview/files');
  await step(ann, 'GET', '/api/users/{user}/usage', { user: user._id.$oid });
  await step(ann, 'PATCH', '/api/users/{user}/usage', { user: user._id.$oid }, { body: { is_held: false } });
  await step(ann, 'DELETE', '/api/users/{user}/usage', { user: user._id.$oid });
  await step(anyone, 'PUT', '/api/password', {}, { body: { code, password } });
  const { token } = await step(anyone, 'POST', '/api/sessions', {}, { body: { username: names.user, password } });
  return { name: 'bob', token };
}

/** An agent of bob's streams an answer, and shows what it does. */
async function streamAnswer(step: DoStep, ann: Person, bob: Person, { newRoom, password }: Names): Promise<void> {
  const room = (await step(ann, 'POST', '/api/directory', {}, { body: { name: newRoom, is_open: true } }))._id.$oid;
  await step(bob, 'POST', '/api/members', {}, { body: { room } });
  const agent = { name: 'agent', scopes: ['messages:read', 'messages:write'], is_agent: true, current_password: password };
  const { _id, token } = await step(bob, 'POST', '/api/tokens', {}, { body: agent });
  const bot: Person = { name: 'bob', token };
  const started = { room, text: 'The tests', is_streaming: true };
  const message = (await step(bot, 'POST', '/api/messages', {}, { body: started }))._id.$oid;
  await step(bot, 'PATCH', '/api/threads/{message}', { message }, { body: { activity: 'Running tests…' } });
  const end = { append: ' pass.', at: 9, is_streaming: false };
  await step(bot, 'PATCH', '/api/messages/{message}', { message }, { body: end });
  await step(bob, 'DELETE', '/api/tokens/{token}', { token: _id.$oid });
  await step(ann, 'DELETE', '/api/rooms/{room}', { room });
}
