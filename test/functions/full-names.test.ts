import { describe, expect, it } from 'vitest';
import { type Account, aName, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { addMember, aRoom, aRoomOf, everyPage, succeed } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const admin = await anAdmin();

const rename = ({ token }: Account, name: unknown, user = 'me') => call('PATCH', `/api/users/${user}`, { token, body: { name } });
const get = async ({ token }: Account, path: string) => (await succeed(call('GET', path, { token }))).body;

describe('a full name', () => {
  it('a full name is set, changed and removed by its user', async () => {
    const ann = await anAccount();
    expect(await rename(ann, 'Ann Example')).toMatchObject({
      status: 200,
      body: { username: ann.username, name: 'Ann Example' },
    });
    expect(await get(ann, '/api/users/me')).toMatchObject({ name: 'Ann Example' });
    expect(await rename(ann, 'Ann Other')).toMatchObject({ body: { name: 'Ann Other' } });
    expect((await rename(ann, '')).body).not.toHaveProperty('name');
    expect(await get(ann, '/api/users/me')).not.toHaveProperty('name');
  });

  it('a full name is set by administrators, and by nobody else', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    expect(await rename(admin, 'Ann Example', ann.id)).toMatchObject({ status: 200, body: { name: 'Ann Example' } });
    expect(outcome(await rename(bob, 'Bad Name', ann.id))).toEqual(refusals.denied());
    expect(await get(bob, `/api/users/${ann.id}`)).toEqual({
      _id: { $oid: ann.id },
      username: ann.username,
      name: 'Ann Example',
    });
  });

  it('a full name may come with a sign-up', async () => {
    const username = aName();
    const body = { username, name: ' Åsa ', email: `${username}@example.org`, password: 'correct horse' };
    expect(await call('POST', '/api/users', { body })).toMatchObject({ status: 201, body: { user: { username, name: 'Åsa' } } });
  });

  it.each([
    ['any script', 'আনিকা 田中 Ωmega', 'আনিকা 田中 Ωmega'],
    ['64 characters', '𝒜'.repeat(64), '𝒜'.repeat(64)],
    ['blanks around it, which go', '\u2003 Ann \n', 'Ann'],
    ['letters and marks apart, which become one', 'A\u030asa', 'Åsa'],
    ['signs that turn its direction, which go', 'Ann\u202e Example\u2066', 'Ann Example'],
  ])('a full name may have %s', async (_what, sent, kept) => {
    expect(await rename(await anAccount(), sent)).toMatchObject({ status: 200, body: { name: kept } });
  });

  const rule = 'be empty, or have 1 to 64 characters and not be blank';
  it.each([
    ['65 characters', 'x'.repeat(65), rule],
    ['blanks alone', ' ', rule],
    ['nothing that can be seen', '\u200b\u202e\u2060', rule],
    ['a control character', 'Ann\u0007', 'not have the control character U+0007 (line 1, character 4)'],
    ['another type', 7, rule],
    ['null', null, rule],
  ])('a full name must not have %s', async (_what, sent, refusal) => {
    const ann = await anAccount();
    expect(outcome(await rename(ann, sent))).toEqual(refusals.invalid('name', refusal));
    expect((await rename(ann, 'Ann')).status).toBe(200);
  });

  it('a full name stands beside the username wherever a user is shown, as it is at present, and goes with the account', async () => {
    const [owner, ann, outlaw] = [await anAccount(), await anAccount(), await anAccount({ name: 'Out Law' })];
    const room = await aRoom({ owner, members: [ann] });
    const outcast = await addMember(room, outlaw);
    await succeed(call('DELETE', `/api/members/${outcast}?ban=true`, { token: owner.token }));
    const message = await aMessage(ann, room.id, { text: 'pelican' });
    const conversation = { token: owner.token, body: { users: [ann.username] } };
    await succeed(call('POST', '/api/conversations', conversation));
    await succeed(call('POST', '/api/blocks', { token: ann.token, body: { username: outlaw.username } }));
    const { body: invitation } = await call('POST', `${room.path}/invitations`, { token: owner.token, body: {} });
    const named = (shown: unknown, { username }: Account) =>
      (shown as { username: string; name?: string }[]).find((one) => one.username === username)?.name;
    const shownTo = async (viewer: Account) => {
      const mine = (await get(viewer, '/api/members?user=me')) as { others?: unknown }[];
      const events = (await get(viewer, `/api/events?room=${room.id}&after=0`)) as { type: string; data: unknown }[];
      return [
        await get(viewer, `/api/messages?room=${room.id}`),
        await get(viewer, `/api/messages?room=${room.id}&before=99`),
        [await get(viewer, `/api/messages/${message._id.$oid}`)],
        await get(viewer, `/api/messages?room=${room.id}&q=pelican`),
        events.filter(({ type }) => type === 'message.created').map(({ data }) => data),
        events.filter(({ type }) => type === 'member.joined').map(({ data }) => data),
        await get(viewer, `/api/members?room=${room.id}`),
        await get(viewer, `/api/members?room=${room.id}&q=${ann.username}`),
        await get(viewer, `/api/users?q=${ann.username}`),
        await get(viewer, `/api/users?username=${ann.username}`),
        mine.flatMap(({ others }) => others ?? []),
      ].map((shown) => named(shown, ann));
    };
    expect(new Set(await shownTo(owner))).toEqual(new Set([undefined]));
    for (const name of ['Ann Example', 'Ann Other']) {
      await rename(ann, name);
      expect(new Set(await shownTo(owner)), name).toEqual(new Set([name]));
    }
    const sent = await call('POST', '/api/messages', { token: ann.token, body: { room: room.id, text: 'heron' } });
    expect(sent.body).toMatchObject({ name: 'Ann Other' });
    expect(named(await get(owner, `/api/bans?room=${room.id}`), outlaw)).toBe('Out Law');
    expect(named(await get(ann, '/api/blocks'), outlaw)).toBe('Out Law');
    await rename(owner, 'The Owner');
    const { code } = invitation as { code: string };
    expect(await call('POST', '/api/invitations', { body: { invitation: code } })).toMatchObject({ body: { name: 'The Owner' } });

    await succeed(call('DELETE', '/api/users/me', { token: ann.token, body: { current_password: ann.password } }));
    const left = (await get(owner, `/api/messages?room=${room.id}`)) as object[];
    expect(left.map((one) => 'name' in one)).toEqual([false, false]);
    expect(JSON.stringify([left, await get(owner, '/api/members?user=me')])).not.toContain('Ann Other');
  });

  it('a full name changes nothing of /api/rooms', async () => {
    const room = await aRoomOf([await anAccount({ name: 'Ann Example' })]);
    const rooms = (await get(admin, '/api/rooms')) as { _id: { $oid: string } }[];
    const shown = rooms.find(({ _id }) => _id.$oid === room);
    expect(Object.keys(shown ?? {}).sort()).toEqual(['_id', 'is_open', 'is_visible', 'members', 'name']);
  });
});

describe('finding people by their full names', async () => {
  const mark = crypto.randomUUID().slice(0, 8).replace(/\d/g, 'q');
  const people = await Promise.all(
    [
      ['a', 'Ödön Example'],
      ['b', ''],
      ['c', 'Bea Oe-Example'],
      ['d', `${mark} First`],
    ].map(([letter, name]) => anAccount({ username: `${letter}.${mark}`, name: name as string })),
  );
  const [ann] = people as [Account];
  const room = await aRoomOf(people);
  const lettersOf = (found: unknown) => (found as { username: string }[]).map(({ username }) => username[0]).join('');

  it.each([
    ['the first word', 'ÖDÖN', 'a'],
    ['the first word without accents', 'odon', 'a'],
    ['letters for an umlaut', 'oedoen', 'a'],
    ['the second word', 'exam', 'ac'],
    ['both words in another order', 'exam bea', 'c'],
    ['a word of each name', `exam ${mark}`, 'ac'],
    ['either, those that begin with it first', mark, 'dabc'],
    ['no part within a word', 'xample', ''],
  ])('a person is found by the full name: %s', async (_what, q, expected) => {
    const query = new URLSearchParams({ q, room });
    expect(lettersOf(await get(ann, `/api/members?${query}`))).toBe(expected);
    expect(lettersOf(await get(ann, `/api/users?${query}`))).toBe(expected);
    const all = (await get(admin, `/api/users?${new URLSearchParams({ q })}`)) as { username: string }[];
    expect([...lettersOf(all.filter(({ username }) => username.endsWith(mark)))].sort()).toEqual([...expected].sort());
  });

  it('a person with a full name is found once, page by page', async () => {
    for (const path of [`/api/members?room=${room}`, `/api/users?room=${room}`])
      expect(lettersOf(await everyPage(call, `${path}&q=${mark}&limit=1`, ann.token))).toBe('dabc');
  });
});
