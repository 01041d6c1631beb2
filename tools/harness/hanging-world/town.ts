import { createECDH, randomBytes } from 'node:crypto';
import type { Service } from '../service.ts';
import { type Call, overHttp, type Reply, type SentRequest } from '../transports.ts';
import { file, type HangingWorld } from './world.ts';

/** A user with a source address of their own. */
export type Person = { id: string; token: string; source: string };

/**
 * The users of a new service: attackers, who call the unresponsive parties, and a visitor in
 * another room, who does not.
 */
export type HangingTown = {
  attackers: Person[];
  visitor: Person;
  /** The room whose moderators are the attackers, and the visitor's room. */
  room: string;
  ownRoom: string;
  /** Slash commands and webhooks in the attackers' room, which lead to the parties. */
  commands: { bot: string; unresolved: string };
  webhooks: { receiver: string; unresolved: string[] };
};

/** Each name is used once, because failed lookups are cached. */
const unresolvedCount = 20;

const password = 'a rather long password';
const idOf = (body: unknown): string => (body as { _id: { $oid: string } })._id.$oid;

/** Creates the first administrator of a new service with its setup link. Returns the token. */
export async function makeAdministrator(service: Service): Promise<string> {
  const [, code] = /\/setup#(\w+)/.exec(service.output()) ?? [];
  const body = { code, username: 'keeper', email: 'keeper@example.org', password };
  const made = requireSuccess('POST', '/api/setup', await overHttp(service.url)('POST', '/api/setup', { body }));
  return (made as { token: string }).token;
}

/** Creates the first administrator of a service, then its users by open registration. */
export async function settle(service: Service, { parties }: HangingWorld, attackerCount: number): Promise<HangingTown> {
  const call = overHttp(service.url);
  const send = async (method: string, path: string, sent: SentRequest) =>
    requireSuccess(method, path, await call(method, path, sent));
  const token = await makeAdministrator(service);
  const make = async (path: string, body: object) => idOf(await send('POST', path, { token, body }));

  const signUp = async (name: string, source: string): Promise<Person> => {
    const body = { username: name, email: `${name}@example.org`, password };
    const made = (await send('POST', '/api/users', { body, source })) as { token: string; user: unknown };
    return { id: idOf(made.user), token: made.token, source };
  };
  const attackers: Person[] = [];
  for (let at = 0; at < attackerCount; at++) attackers.push(await signUp(`attacker${at}`, `127.0.1.${at + 1}`));
  const visitor = await signUp('visitor', '127.0.2.1');

  const room = await make('/api/rooms', { name: 'Parties' });
  const ownRoom = await make('/api/rooms', { name: 'Quiet' });
  await make('/api/members', { room: ownRoom, user: visitor.id });
  for (const { id } of attackers) {
    const member = await make('/api/members', { room, user: id });
    await send('PATCH', `/api/members/${member}`, { token, body: { role: 'moderator' } });
  }

  const bot = await make('/api/bots', { username: 'helper' });
  await make('/api/members', { room, user: bot });
  const register = async (name: string, url: string) => {
    await send('PUT', `/api/bots/${bot}/commands/${name}`, { token, body: { url, description: 'Helps' } });
    return name;
  };
  const addWebhook = (url: string) => make(`/api/rooms/${room}/webhooks`, { url });
  const nameOf = (at: number) => `https://receiver${at}.example.net/`;
  return {
    attackers,
    visitor,
    room,
    ownRoom,
    commands: {
      bot: await register('assist', `http://127.0.0.1:${parties.bot.port}/`),
      unresolved: await register('lost', nameOf(unresolvedCount)),
    },
    webhooks: {
      receiver: await addWebhook(`http://127.0.0.1:${parties['webhook receiver'].port}/`),
      unresolved: await Promise.all(Array.from({ length: unresolvedCount }, (_, at) => addWebhook(nameOf(at)))),
    },
  };
}

function requireSuccess(method: string, path: string, { status, body }: Reply): unknown {
  if (status < 300) return body;
  throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(body)}`);
}

/** Creates a push subscription at the unresponsive push service. */
export async function deviceOf(call: Call, { token, source }: Person, { parties }: HangingWorld) {
  const { key } = (await call('GET', '/api/push-subscription', { token, source })).body as { key: string };
  const endpoint = `http://127.0.0.1:${parties['push service'].port}/${randomBytes(8).toString('hex')}`;
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url');
  return { endpoint, p256dh, auth: randomBytes(16).toString('base64url'), key };
}

/** Announces a file. When it is sent, the service queries the object store. */
export async function announceFile(call: Call, { token, source }: Person, room: string): Promise<string> {
  const body = { room, name: 'Notes.txt', type: 'text/plain', ...file };
  return idOf(requireSuccess('POST', '/api/files', await call('POST', '/api/files', { token, source, body })));
}
