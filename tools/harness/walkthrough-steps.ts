import type { Person, Say } from './walkthrough.ts';

/** How those who are made in the story are called. */
export type Cast = { user: string; email: string; room: string; password: string };

/** Bob's, in a room called General. */
export const bob: Cast = { user: 'bob', email: 'bob@example.org', room: 'General', password: 'a horse, a battery' };

/** The story itself: ann, an administrator, lets bob in; they talk in a room, and in the end take away all that they made. */
export const house = (ann: Person, cast: Cast) => async (say: Say) => {
  await say(anyone, 'GET', '/api/health');
  await say(anyone, 'GET', '/api/openapi.json');

  const { user, token } = await say(
    ann,
    'POST',
    '/api/users',
    {},
    { body: { username: cast.user, email: cast.email, password: cast.password } },
  );
  const bob: Person = { name: 'bob', token };
  const { room, ...talked } = await talk(say, ann, bob, user, cast);
  await moderate(say, ann, bob, { room, ...talked });
  await keepAccount(say, ann, bob, user, cast);

  await say(ann, 'DELETE', '/api/rooms/{room}', { room });
  await say(bob, 'DELETE', '/api/users/{user}', { user: 'me' }, { body: { current_password: cast.password } });
};

const anyone: Person = { name: 'anyone' };

type Talked = { room: string; member: string; message: string };

async function talk(say: Say, ann: Person, bob: Person, user: { _id: { $oid: string } }, cast: Cast): Promise<Talked> {
  const made = await say(ann, 'POST', '/api/rooms', {}, { body: { name: cast.room } });
  const room = made._id.$oid;
  await say(ann, 'GET', '/api/rooms', {}, { query: { limit: '50' } });
  await say(bob, 'GET', '/api/rooms/{room}', { room });
  await say(bob, 'GET', '/api/directory', {}, { query: { q: cast.room.slice(0, 3) } });
  const member = (await say(bob, 'POST', '/api/members', {}, { body: { room } }))._id.$oid;
  await say(bob, 'GET', '/api/members/{member}', { member });

  const message = (await say(bob, 'POST', '/api/messages', {}, { body: { room, text: 'Good morning!' } }))._id.$oid;
  const reply = { room, text: `Hello @${cast.user}, how are you?`, thread: message };
  const { seq } = await say(ann, 'POST', '/api/messages', {}, { body: reply });
  await say(bob, 'GET', '/api/messages', {}, { query: { room, limit: '50' } });
  await say(bob, 'PATCH', '/api/messages/{message}', { message }, { body: { text: 'Good morning, everyone!' } });
  await say(bob, 'GET', '/api/messages/{message}', { message });
  await say(ann, 'PUT', '/api/messages/{message}/reactions/{emoji}', { message, emoji: '👋' }, { body: {} });
  await say(ann, 'DELETE', '/api/messages/{message}/reactions/{emoji}', { message, emoji: '👋' });
  await say(bob, 'PATCH', '/api/members/{member}', { member }, { body: { last_read: seq } });
  await say(bob, 'GET', '/api/members', {}, { query: { user: 'me' } });
  await say(ann, 'GET', '/api/members', {}, { query: { room } });
  await say(ann, 'GET', '/api/users/{user}', { user: user._id.$oid });
  return { room, member, message };
}

async function moderate(say: Say, ann: Person, bob: Person, { room, member, message }: Talked): Promise<void> {
  await say(ann, 'PUT', '/api/messages/{message}/pin', { message }, { body: {} });
  await say(ann, 'DELETE', '/api/messages/{message}/pin', { message });
  await say(ann, 'PUT', '/api/rooms/{room}', { room }, { body: { name: 'Town hall', is_open: true, is_visible: true } });
  await say(ann, 'PATCH', '/api/rooms/{room}', { room }, { body: { is_open: false } });
  await say(ann, 'PATCH', '/api/rooms/{room}/details', { room }, { body: { topic: 'Everything and nothing' } });
  await say(bob, 'GET', '/api/rooms/{room}/details', { room });
  await say(bob, 'GET', '/api/events', {}, { query: { room, after: '0' } });
  await say(bob, 'DELETE', '/api/messages/{message}', { message });
  const { user } = await say(ann, 'GET', '/api/members/{member}', { member });
  await say(ann, 'DELETE', '/api/members/{member}', { member }, { query: { ban: 'true' } });
  await say(ann, 'DELETE', '/api/bans', {}, { query: { room, user: user.$oid } });
}

async function keepAccount(say: Say, ann: Person, bob: Person, user: { _id: { $oid: string } }, cast: Cast): Promise<void> {
  const credentials = { username: cast.user, password: cast.password };
  await say(anyone, 'POST', '/api/sessions', {}, { body: credentials });
  await say(bob, 'GET', '/api/sessions');
  await say(bob, 'DELETE', '/api/sessions');
  const { token } = await say(anyone, 'POST', '/api/sessions', {}, { body: credentials });
  await say({ name: 'bob', token }, 'DELETE', '/api/sessions/{session}', { session: 'current' });

  const scopes = ['messages:read', 'messages:write'];
  const named = (await say(bob, 'POST', '/api/tokens', {}, { body: { name: 'bot', scopes } }))._id.$oid;
  await say(bob, 'GET', '/api/tokens');
  await say(bob, 'GET', '/api/tokens/{token}', { token: named });
  await say(bob, 'DELETE', '/api/tokens/{token}', { token: named });
  await say(bob, 'PATCH', '/api/users/{user}', { user: 'me' }, { body: { email: `new-${cast.email}` } });
  await say(ann, 'GET', '/api/users', {}, { query: { q: cast.user.slice(0, 2) } });
  await say(bob, 'GET', '/api/users/{user}', { user: user._id.$oid });
}
