import { hash } from 'node:crypto';
import { aPng } from './pictures.ts';

/** Someone in the sample: a name, and a token to call the service with. */
export type Person = { username: string; password: string; token: string };

/** The data on the screens. */
export type Sample = {
  people: Record<'ann' | 'bob' | 'carol' | 'dan', Person>;
  room: string;
  thread: string;
  linked: number;
  /** A room with pictures and files. */
  garden: string;
  /** A room in which nobody has said anything. */
  quiet: string;
  /** A room that stays empty: a screen sends something to the quiet one. */
  empty: string;
  /** A room with one message, and possibly another one. */
  reading: string;
  /** The code of an invitation to the room. */
  invitation: string;
};

type Message = { _id: { $oid: string }; seq: number };

/**
 * Fills a service with a few rooms in which people talk. `admin` is an administrator's account that
 * exists.
 */
export async function fillSample(baseUrl: string, admin: Person): Promise<Sample> {
  const call = async <T>({ token }: { token?: string }, method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'Content-Type': 'application/json', ...(token !== undefined && { 'X-Auth-Token': token }) };
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  const signUp = async (username: string): Promise<Person> => {
    const password = 'a horse, a battery';
    const account = { username, email: `${username}@example.org`, password };
    const { token } = await call<{ token: string }>({}, 'POST', '/api/users', account);
    return { username, password, token };
  };
  const suffix = admin.username.replace(/^ann/, '');
  const [bob, carol, dan] = [await signUp(`bob${suffix}`), await signUp(`carol${suffix}`), await signUp(`dan${suffix}`)];
  const people = { ann: admin, bob, carol, dan };
  const called: [Person, string][] = [
    [admin, 'Ann Björk'],
    [carol, 'Carol Ó Dálaigh'],
  ];
  await call(dan, 'PATCH', '/api/users/me', { status: { emoji: '🌴', text: 'On holiday', until: '2990-01-01T00:00:00Z' } });
  for (const [who, name] of called) await call(who, 'PATCH', '/api/users/me', { name });
  // Two entries for the audit log.
  const [found] = await call<{ _id: { $oid: string } }[]>(admin, 'GET', `/api/users?username=${dan.username}`);
  for (const is_admin of [true, false]) await call(admin, 'PATCH', `/api/users/${found?._id.$oid}`, { is_admin });

  const makeRoom = async (name: string, topic: string, members: Person[]) => {
    const { _id } = await call<Message>(admin, 'POST', '/api/rooms', { name });
    await call(admin, 'PATCH', `/api/rooms/${_id.$oid}/details`, { topic });
    for (const member of members) await call(member, 'POST', '/api/members', { room: _id.$oid });
    return _id.$oid;
  };
  const say = (who: Person, to: string, text: string, thread?: string) =>
    call<Message>(who, 'POST', '/api/messages', { room: to, text, ...(thread && { thread }) });
  const upload = async (who: Person, to: string, name: string, type: string, bytes: Buffer, size: object = {}) => {
    const announced = { room: to, name, type, size: bytes.length, sha256: hash('sha256', bytes), ...size };
    const { _id, upload } = await call<{ _id: { $oid: string }; upload: { url: string } }>(who, 'POST', '/api/files', announced);
    const headers = { 'Content-Type': type, 'X-Auth-Token': who.token };
    await fetch(`${baseUrl}${upload.url}`, { method: 'PUT', headers, body: new Uint8Array(bytes) });
    return _id.$oid;
  };
  const picture = (who: Person, to: string, name: string, width: number, height: number, colours?: [number, number]) =>
    upload(who, to, name, 'image/png', aPng(width, height, colours), { width, height });
  const react = (who: Person, message: Message, emoji: string) =>
    call(who, 'PUT', `/api/messages/${message._id.$oid}/reactions/${encodeURIComponent(emoji)}`, {});

  const everyone = [bob, carol, dan];
  const garden = await makeRoom('Garden', 'What grows, and who waters it', everyone);
  const reading = await makeRoom('Reading circle', 'This month: short stories', [bob, carol]);
  const quiet = await makeRoom('Music', '', []);
  const empty = await makeRoom('Travel', '', []);
  const hebrew = await makeRoom('חדר עברית', 'כאן כותבים מימין לשמאל', [bob]);
  const room = await makeRoom('Release', 'From the plan to the party', everyone);

  await say(carol, garden, 'The tomatoes are in. Who takes the watering on Saturday?');
  await say(dan, garden, `I can, if @${admin.username} lends me the key to the shed`);
  const files = [
    await picture(dan, garden, 'Greenhouse.png', 400, 300),
    await picture(dan, garden, 'Tomatoes.png', 300, 400, [0xd64545, 0x3f7d20]),
    await upload(dan, garden, 'Watering plan.txt', 'text/plain', Buffer.from('Saturday: Dan')),
  ];
  await call(dan, 'POST', '/api/messages', { room: garden, text: 'This is how it looks today', files });
  const tall = await picture(carol, garden, 'The new bed.png', 480, 640, [0x8d6b94, 0xf2c14e]);
  await call(carol, 'POST', '/api/messages', { room: garden, files: [tall] });
  await say(bob, reading, 'Shall we meet an hour later this time?');
  await say(bob, hebrew, 'שלום לכולם! **ברוכים הבאים**');

  await say(admin, room, 'Good morning! Today we decide whether the new importer goes out this week.');
  const plan = await say(
    admin,
    room,
    `What is left:\n\n1. the last two reviews\n2. the notes for users\n3. a rehearsal on the copy of the data\n\n> Nothing goes out on a Friday.`,
  );
  await call(admin, 'PUT', `/api/messages/${plan._id.$oid}/pin`, {});
  const code = await say(
    bob,
    room,
    'The importer skips empty lines now:\n\n```ts\nconst rows = text\n  .split("\\n")\n  .filter((line) => line.trim() !== "");\n```\n\nand `--dry-run` shows what it **would** do.',
  );
  await react(admin, code, '🎉');
  await react(carol, code, '🎉');
  await react(dan, code, '👀');
  const question = await say(carol, room, 'How long does it take with all the data of last year?');
  await say(bob, room, 'A little under four minutes on my machine', question._id.$oid);
  await say(dan, room, `Three and a half here, @${admin.username}. The first minute is the index.`, question._id.$oid);
  await say(carol, room, 'Fine, nobody will notice that at night.', question._id.$oid);
  const linked = await say(
    dan,
    room,
    'The notes are at https://example.org/notes, please read them once more ~~today~~ before noon',
  );
  await say(
    dan,
    room,
    '| step | who | done |\n| --- | --- | --- |\n| reviews | bob | yes |\n| notes | dan | yes |\n| rehearsal | carol | no |',
  );
  await react(bob, linked, '👍');
  await call(admin, 'PUT', `/api/messages/${linked._id.$oid}/save`, {});
  await say(carol, room, `@${admin.username} the rehearsal is through: 214 388 rows, no complaints.`);
  await say(carol, room, 'I will write up the two warnings and put them where the notes are.');
  const { secret } = await call<{ secret: string }>(admin, 'POST', `/api/rooms/${room}/webhooks`, { name: 'Builds' });
  const built = { text: '✅ [importer #214](https://ci.example.org/214) on `main` is **green** after 3 min 52 s' };
  await call({}, 'POST', `/api/webhooks/${secret}`, built);
  const talk = (who: Person, others: string[]) =>
    call<Message>(who, 'POST', '/api/conversations', { users: others }).then(({ _id }) => _id.$oid);
  await say(bob, await talk(bob, [admin.username]), 'Are you at the rehearsal?');
  await say(admin, await talk(admin, [carol.username, dan.username]), 'Cake at four?');
  const mine = await call<{ _id: { $oid: string }; room: { $oid: string } }[]>(admin, 'GET', '/api/members?user=me');
  const membership = mine.find(({ room: { $oid } }) => $oid === garden)?._id.$oid;
  await call(admin, 'PATCH', `/api/members/${membership}`, { is_favourite: true });
  const invitation = await call<{ code: string }>(admin, 'POST', `/api/rooms/${room}/invitations`, {});
  return {
    people,
    room,
    garden,
    invitation: invitation.code,
    thread: question._id.$oid,
    linked: linked.seq,
    quiet,
    empty,
    reading,
  };
}
