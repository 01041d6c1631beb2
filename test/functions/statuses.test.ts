import { describe, expect, it } from 'vitest';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoom, aRoomOf, memberId, succeed } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const set = ({ token }: Account, status: unknown, user = 'me') =>
  call('PATCH', `/api/users/${user}`, { token, body: { status } });
const get = async ({ token }: Account, path: string) => (await succeed(call('GET', path, { token }))).body;
const inMilliseconds = (count: number) => new Date(Date.now() + count).toISOString();

describe('a status', () => {
  it.each([
    ['a text', { text: 'At lunch' }, { text: 'At lunch' }],
    ['an emoji, in its full form', { emoji: '❤' }, { emoji: '❤️', text: '' }],
    [
      'both and an end',
      { emoji: '🌴', text: ' On holiday ', until: { $date: '2990-01-01T00:00:00Z' } },
      { emoji: '🌴', text: 'On holiday', until: { $date: '2990-01-01T00:00:00.000Z' } },
    ],
  ])('a status has %s', async (_what, sent, shown) => {
    const ann = await anAccount();
    expect(await set(ann, sent)).toMatchObject({ status: 200, body: { status: shown } });
    expect(await get(ann, '/api/users/me')).toMatchObject({ status: shown });
    expect((await set(ann, null)).body).not.toHaveProperty('status');
    expect(await get(ann, '/api/users/me')).not.toHaveProperty('status');
  });

  const rule = "be null, or have a 'text' of at most 100 characters, one 'emoji', or both, and maybe a time 'until'";
  it.each([
    ['nothing', {}, rule],
    ['an end alone', { until: '2990-01-01T00:00:00Z' }, rule],
    ['101 characters', { text: 'x'.repeat(101) }, rule],
    ['blanks alone', { text: ' ' }, rule],
    ['two emoji', { emoji: '🌴🌴' }, rule],
    ['a word for an emoji', { emoji: ':palm_tree:' }, rule],
    ['no time for an end', { text: 'Out', until: 'tonight' }, rule],
    ['another field', { text: 'Out', color: 'red' }, rule],
    ['a text for all of it', 'Out', rule],
    ['a control character', { text: 'Out\u0007' }, 'not have the control character U+0007 (line 1, character 4)'],
  ])('a status must not have %s', async (_what, sent, refusal) => {
    const ann = await anAccount();
    expect(outcome(await set(ann, sent))).toEqual(refusals.invalid('status', refusal));
    expect((await set(ann, { text: 'Out' })).status).toBe(200);
  });

  it('a status is shown to people in the same room, but not to strangers or blocked people', async () => {
    const [ann, bob, blocked, stranger] = [await anAccount(), await anAccount(), await anAccount(), await anAccount()];
    await aRoomOf([ann, bob, blocked]);
    await succeed(call('POST', '/api/blocks', { token: ann.token, body: { user: blocked.id } }));
    await set(ann, { text: 'On leave' });
    const seenBy = async ({ token }: Account) => {
      const byId = await call('GET', `/api/users/${ann.id}`, { token });
      const byName = await call('GET', `/api/users?username=${ann.username}`, { token });
      return [byId.body as object, ...(byName.body as object[])].map((shown) => 'status' in shown);
    };
    expect(await Promise.all([bob, blocked, stranger, await anAdmin()].map(seenBy))).toEqual([
      [true, true],
      [false, false],
      [false, false],
      [true, true],
    ]);
  });

  it('a status is hidden from blocked people in lists, conversations and searches, and when they add the user', async () => {
    const [ann, bob, admin] = [await anAccount(), await anAccount(), await anAdmin()];
    const room = await aRoomOf([bob, ann, admin]);
    for (const { token } of [bob, admin])
      await succeed(call('POST', '/api/conversations', { token, body: { users: [ann.username] } }));
    await succeed(set(ann, { text: 'On leave' }));
    const member = await memberId({ id: room, path: '', owner: bob }, ann);
    const shownTo = async (by: Account) => {
      const paths = [
        `/api/members/${member}`,
        `/api/members?user=${ann.id}`,
        `/api/members?room=${room}`,
        `/api/members?room=${room}&q=${ann.username}`,
        '/api/members?user=me',
        `/api/users?q=${ann.username}`,
        `/api/users/${ann.id}`,
      ];
      return Promise.all(paths.map(async (path) => JSON.stringify(await get(by, path)).includes('On leave')));
    };
    expect(await shownTo(bob)).toEqual(Array(7).fill(true));
    await succeed(call('POST', '/api/blocks', { token: ann.token, body: { user: bob.id } }));
    expect(await shownTo(bob)).toEqual(Array(7).fill(false));
    expect(await shownTo(admin)).toEqual(Array(7).fill(true));
    const another = await aRoomOf([bob]);
    const added = await succeed(call('POST', '/api/members', { token: bob.token, body: { room: another, user: ann.id } }));
    expect(added.body).not.toHaveProperty('status');
  });

  it('a status is not shown to a stranger who blocks its user, or in the events of a room', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    await succeed(set(ann, { text: 'On leave' }));
    const blocked = await succeed(call('POST', '/api/blocks', { token: bob.token, body: { user: ann.id } }));
    const list = await get(bob, '/api/blocks');
    const room = await aRoom();
    await succeed(call('POST', '/api/members', { token: ann.token, body: { room: room.id } }));
    const events = (await get(room.owner, `/api/events?room=${room.id}&after=0`)) as { type: string }[];
    expect(events.map(({ type }) => type)).toContain('member.joined');
    expect(JSON.stringify([blocked.body, list, events])).not.toContain('On leave');
  });

  it('a status is set by its user and administrators, and shown in lists of people until it ends, and in no message', async () => {
    const [owner, ann, admin] = [await anAccount(), await anAccount(), await anAdmin()];
    const room = await aRoomOf([owner, ann]);
    await aMessage(ann, room, { text: 'hello' });
    await succeed(call('POST', '/api/conversations', { token: owner.token, body: { users: [ann.username] } }));
    const member = await memberId({ id: room, path: '', owner }, ann);
    const shown = async () => {
      const mine = (await get(owner, '/api/members?user=me')) as { others?: unknown[] }[];
      const found = [
        await get(owner, `/api/users/${ann.id}`),
        await get(owner, `/api/members/${member}`),
        ((await get(owner, `/api/members?user=${ann.id}`)) as unknown[])[0],
        ((await get(owner, `/api/members?room=${room}&q=${ann.username}`)) as unknown[])[0],
        ...((await get(owner, `/api/members?room=${room}`)) as { username: string }[]).filter(
          ({ username }) => username === ann.username,
        ),
        ...((await get(owner, `/api/users?q=${ann.username}`)) as unknown[]),
        ...mine.flatMap(({ others }) => others ?? []),
      ] as { username: string; status?: { text: string } }[];
      expect(found.map(({ username }) => username)).toEqual(Array(7).fill(ann.username));
      return [...new Set(found.map(({ status }) => status?.text))];
    };
    expect(await shown()).toEqual([undefined]);
    expect(outcome(await set(owner, { text: 'Mean' }, ann.id))).toEqual(refusals.denied());
    await succeed(set(ann, { text: 'At lunch' }));
    expect(await shown()).toEqual(['At lunch']);
    expect(JSON.stringify(await get(owner, `/api/messages?room=${room}`))).not.toContain('At lunch');
    await succeed(set(admin, { text: 'Away', until: inMilliseconds(1_500) }, ann.id));
    expect(await shown()).toEqual(['Away']);
    // Also where answers are remembered.
    await expect.poll(shown, { timeout: 10_000 }).toEqual([undefined]);

    await succeed(set(ann, { text: 'Gone' }));
    await succeed(call('DELETE', '/api/users/me', { token: ann.token, body: { current_password: ann.password } }));
    expect(JSON.stringify(await get(owner, '/api/members?user=me'))).not.toContain('Gone');
  });
});
