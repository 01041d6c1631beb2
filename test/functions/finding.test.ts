import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { users } from '../../lib/collections/accounts/users.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { type Account, aName, anAccount, anAdmin, asSelf } from '../support/accounts.ts';
import { nextMillisecond } from '../support/clock.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, anyId, outcome } from '../support/responses.ts';
import { addMember, aRoom, aRoomOf, nextOf } from '../support/rooms.ts';
import { commandsOf } from '../support/sent-commands.ts';
import { inProcess, type Reply, transports } from '../support/transports.ts';

await useDatabaseOutside();

const [ann, bob, stranger, admin] = await Promise.all([anAccount(), anAccount(), anAccount(), anAdmin()]);
const shared = await aRoomOf([ann, bob]);
const nowhere = '0'.repeat(24);

const asOther = ({ id, username }: Account) => ({ _id: { $oid: id }, username });

describe.each(transports())('finding people, %s', (_transport, call) => {
  const find = ({ token }: { token: string }, query: string) => call('GET', `/api/users?${query}`, { token });

  it('finding people gives anyone an account by its name without its address, and gives administrators and its owner all of it', async () => {
    const asked = `username=${bob.username.toUpperCase()}`;
    const [byStranger, byBob, byAdmin] = await Promise.all([find(stranger, asked), find(bob, asked), find(admin, asked)]);
    expect(outcome(byStranger)).toEqual({ status: 200, body: [asOther(bob)] });
    expect(outcome(byBob)).toEqual({ status: 200, body: [asSelf(bob)] });
    expect(outcome(byAdmin)).toEqual({ status: 200, body: [asSelf(bob)] });
    expect(outcome(await find(ann, `username=${bob.username.slice(0, -1)}`))).toEqual({ status: 200, body: [] });
  });

  it('finding people gives deactivated accounts only to administrators', async () => {
    const gone = await anAccount();
    await users.updateOne({ _id: new ObjectId(gone.id) }, { $set: { is_active: false } });
    expect((await find(ann, `username=${gone.username}`)).body).toEqual([]);
    expect((await find(admin, `username=${gone.username}`)).body).toMatchObject([{ is_active: false }]);
  });

  it('finding people completes names of users who share a room with the caller, sorted and paged', async () => {
    const [me, ...others] = await Promise.all(Array.from({ length: 5 }, () => anAccount()));
    const [one, two, outsider] = [others.slice(0, 2), others.slice(1, 3), others[3] as Account];
    await aRoomOf([me as Account, ...one]);
    const room = await aRoomOf([...two, me as Account], { is_visible: false });
    await aRoomOf([two[0] as Account, outsider]);
    const start = 'user-';
    const byName = others
      .slice(0, 3)
      .map(asOther)
      .toSorted((first, second) => (first.username < second.username ? -1 : 1));

    const pages: unknown[][] = [];
    let path: string | undefined = `/api/users?limit=2&q=${start.toUpperCase()}`;
    while (path) {
      const reply: Reply = await call('GET', path, { token: (me as Account).token });
      pages.push(reply.body as unknown[]);
      path = nextOf(reply);
    }
    expect(pages).toEqual([byName.slice(0, 2), byName.slice(2)]);

    const [first] = byName as [ReturnType<typeof asOther>];
    expect((await find(me as Account, `q=${first.username}`)).body).toEqual([first]);
    const inRoom = await find(me as Account, `q=${start}&room=${room}`);
    expect(new Set((inRoom.body as { username: string }[]).map(({ username }) => username))).toEqual(
      new Set([me as Account, ...two].map(({ username }) => username)),
    );
  });

  it.each<[string, () => Promise<{ token: string }>, string, unknown]>([
    ['everyone, to a user', async () => ann, '', refusals.denied()],
    [
      'the members of a room, to a stranger',
      async () => stranger,
      `room=${shared}`,
      refusals.denied('Room membership required.'),
    ],
    ['the members of no room', async () => ann, `room=${nowhere}&q=a`, refusals.noSuch('room')],
    ['a name and a start', async () => ann, 'username=ann&q=a', refusals.invalid('q', "not be combined with 'username'")],
    [
      'a name and a room',
      async () => ann,
      `username=ann&room=${shared}`,
      refusals.invalid('room', "not be combined with 'username'"),
    ],
    [
      'names to a token that may not see members',
      async () => createToken(new ObjectId(ann.id), aName(), { scopes: ['messages:write'] }),
      'q=u',
      refusals.denied("The token lacks the 'members:read' scope."),
    ],
  ])('finding people refuses %s', async (_what, who, query, refusal) => {
    expect(outcome(await find(await who(), query))).toEqual(refusal);
    expect((await find(ann, `room=${shared}&q=`)).status).toBe(200);
  });
});

describe.each(transports())('username in POST /api/members, %s', (_transport, call) => {
  const add = ({ token }: Account, body: object) => call('POST', '/api/members', { token, body });

  it('username in POST /api/members adds the user with that name', async () => {
    const [room, other] = [await aRoom({ is_open: false }), await anAccount()];
    expect(outcome(await add(room.owner, { room: room.id, username: other.username.toUpperCase(), role: 'moderator' }))).toEqual({
      status: 201,
      body: {
        _id: anyId,
        room: { $oid: room.id },
        user: { $oid: other.id },
        username: other.username,
        role: 'moderator',
        joined_at: anyDate,
      },
    });
  });

  it("username in POST /api/members lets the caller join if it is the caller's own name", async () => {
    const [room, me] = [await aRoom(), await anAccount()];
    expect(await add(me, { room: room.id, username: me.username })).toMatchObject({ status: 201, body: { unread: 0 } });
  });

  it.each<[string, (room: string) => [Account, object], unknown]>([
    [
      'a name and an id',
      (room) => [ann, { room, user: bob.id, username: bob.username }],
      refusals.invalid('username', "not be combined with 'user'"),
    ],
    ['a name that nobody has', (room) => [ann, { room, username: 'nobody-has-this' }], refusals.noSuch('user')],
    // Members may add people, so they learn whether a name exists.
    ['a name that nobody has, to a member', (room) => [bob, { room, username: 'nobody-has-this' }], refusals.noSuch('user')],
    ['a name that nobody has, to no room', () => [ann, { room: nowhere, username: 'nobody-has-this' }], refusals.noSuch('room')],
  ])('username in POST /api/members refuses %s', async (_what, of, refusal) => {
    const room = await aRoomOf([ann, bob]);
    expect(outcome(await add(...of(room)))).toEqual(refusal);
    expect((await add(ann, { room, username: stranger.username })).status).toBe(201);
  });
});

describe.each(transports())('GET /api/bans, %s', (_transport, call) => {
  it('GET /api/bans lists banned users to moderators, page by page, and deleted users without a name', async () => {
    const [owner, moderator] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoom({ owner, moderators: [moderator] });
    const outlaws = await Promise.all(Array.from({ length: 3 }, () => anAccount()));
    for (const outlaw of outlaws) {
      const member = await addMember(room, outlaw);
      await call('DELETE', `/api/members/${member}?ban=true`, { token: owner.token });
    }
    const rows = outlaws
      .map(({ id, username }) => ({ room: { $oid: room.id }, user: { $oid: id }, username }))
      .toSorted((one, other) => (one.user.$oid < other.user.$oid ? -1 : 1));

    const first = await call('GET', `/api/bans?room=${room.id}&limit=2`, { token: moderator.token });
    const rest = await call('GET', nextOf(first) ?? '', { token: moderator.token });
    expect([first.body, rest.body, nextOf(rest)]).toEqual([rows.slice(0, 2), rows.slice(2), undefined]);

    const gone = new ObjectId();
    await rooms.updateOne({ _id: new ObjectId(room.id) }, { $set: { banned: [gone] } });
    expect((await call('GET', `/api/bans?room=${room.id}`, { token: owner.token })).body).toEqual([
      { room: { $oid: room.id }, user: { $oid: gone.toHexString() }, username: '(deleted)' },
    ]);
  });

  it.each<[string, Account, string, unknown]>([
    ['a member', bob, shared, refusals.denied('Room moderator required.')],
    ['a stranger', stranger, shared, refusals.denied('Room moderator required.')],
    ['anyone, of no room', admin, nowhere, refusals.noSuch('room')],
  ])('GET /api/bans refuses %s', async (_who, { token }, room, refusal) => {
    expect(outcome(await call('GET', `/api/bans?room=${room}`, { token }))).toEqual(refusal);
    expect(outcome(await call('GET', `/api/bans?room=${shared}`, { token: ann.token }))).toEqual({ status: 200, body: [] });
  });
});

/** A room with one message per minute, starting at noon. Every third place has a change instead. */
async function aDay(length: number): Promise<{ room: string; said: Message[] }> {
  const room = await aRoomOf([ann, bob]);
  const said: Message[] = [];
  for (let minute = 0; minute < length; minute++) {
    const message = await aMessage(ann, room, { text: `minute ${minute}` });
    if (minute % 2 === 0)
      await inProcess('PATCH', `/api/messages/${message._id.$oid}`, { token: ann.token, body: { text: `minute ${minute}.` } });
    await messages.updateOne({ _id: new ObjectId(message._id.$oid) }, { $set: { created_at: minuteAt(minute) } });
    said.push(message);
  }
  return { room, said };
}

const minuteAt = (minute: number, seconds = 0) => new Date(Date.UTC(2026, 10, 21, 12, minute, seconds));
const textsOf = ({ body }: Reply) => (body as Message[]).map(({ text }) => text.replace('.', ''));

describe('GET /api/messages?at=', async () => {
  const { room } = await aDay(20);
  const all = Array.from({ length: 20 }, (_, minute) => `minute ${minute}`);

  describe.each(transports())('%s', (_transport, call) => {
    const at = (time: string, rest = '') =>
      call('GET', `/api/messages?room=${room}&at=${encodeURIComponent(time)}&limit=4${rest}`, { token: bob.token });

    it.each<[string, Date, string[]]>([
      ['the very time of a message', minuteAt(7), all.slice(6, 10)],
      ['a time between two', minuteAt(7, 30), all.slice(7, 11)],
      ['a time before all', minuteAt(-60), all.slice(0, 3)],
      ['the time of the last', minuteAt(19), all.slice(18)],
      ['a time after all: the newest', minuteAt(600), all.slice(16)],
    ])('GET /api/messages?at= reads around the first message at or after %s', async (_what, time, expected) => {
      const reply = await at(time.toISOString());
      expect({ status: reply.status, texts: textsOf(reply) }).toEqual({ status: 200, texts: expected });
    });

    it('GET /api/messages?at= has a link to the next page, and accepts other time zones', async () => {
      const first = await at('2026-11-21T13:07:00+01:00');
      const next = await call('GET', nextOf(first) ?? '', { token: bob.token });
      expect([textsOf(first), textsOf(next)]).toEqual([all.slice(6, 10), all.slice(10, 14)]);
    });

    it.each([
      ['no time', 'noon', '', refusals.invalid('at', "be a time such as '2026-11-21T04:04:42.123Z'")],
      ['a time and a place', minuteAt(1).toISOString(), '&before=3', refusals.invalid('at', "not be combined with 'before'")],
    ])('GET /api/messages?at= refuses %s', async (_what, time, rest, refusal) => {
      expect(outcome(await at(time, rest))).toEqual(refusal);
      expect((await at(minuteAt(1).toISOString())).status).toBe(200);
    });

    it('GET /api/messages?at= refuses a stranger, and shows no hidden room', async () => {
      const hidden = await aRoomOf([ann], { is_visible: false });
      const time = minuteAt(0).toISOString();
      const asked = (id: string) => call('GET', `/api/messages?room=${id}&at=${time}`, { token: stranger.token });
      expect(outcome(await asked(room))).toEqual(refusals.denied('Room membership required.'));
      expect(outcome(await asked(hidden))).toEqual(refusals.noSuch('room'));
    });
  });

  it('GET /api/messages?at= asks the database no more often than the bisection of the room takes', async () => {
    const { seq } = (await rooms.findOne({ _id: new ObjectId(room) })) ?? { seq: 0 };
    const asked = `/api/messages?room=${room}&at=${minuteAt(7).toISOString()}`;
    const sent = await commandsOf(() => inProcess('GET', asked, { token: bob.token }));
    const found = sent.filter(({ name, collection }) => name === 'find' && collection === 'messages');
    expect(found.length).toBeLessThanOrEqual(Math.ceil(Math.log2(seq + 1)));
  });
});

describe.each(transports())('GET /api/messages?q= without a room, %s', (_transport, call) => {
  const search = ({ token }: Account, query: string) => call('GET', `/api/messages?${query}`, { token });

  it("GET /api/messages?q= without a room finds messages in all of the caller's rooms and in no other, the newest first on a page of one", async () => {
    const [me, other] = await Promise.all([anAccount(), anAccount()]);
    const ours = await Promise.all([aRoomOf([me, other]), aRoomOf([other, me], { is_visible: false }), aRoomOf([me])]);
    const theirs = await aRoomOf([other]);
    const said: Message[] = [];
    for (const [index, room] of [0, 1, 0, 1, 1].map((number) => [number, ours[number] as string] as const)) {
      said.push(await aMessage(index === 0 ? me : other, room, { text: `A pelican number ${said.length}` }));
      await nextMillisecond();
    }
    await aMessage(other, theirs, { text: 'A pelican of theirs' });
    await aMessage(me, ours[2] as string, { text: 'No bird at all' });

    const found: Message[] = [];
    let path: string | undefined = '/api/messages?q=pelican&limit=2';
    const sizes: number[] = [];
    while (path) {
      const reply: Reply = await call('GET', path, { token: me.token });
      expect(reply.status).toBe(200);
      sizes.push((reply.body as Message[]).length);
      found.push(...(reply.body as Message[]));
      path = nextOf(reply);
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect(found).toEqual(said.toReversed());
    expect((await search(other, 'q=pelican')).body).toHaveLength(6);
  });

  it('GET /api/messages?q= without a room returns the best match first on a page, with the replies counted', async () => {
    const me = await anAccount();
    const [one, two] = [await aRoomOf([me]), await aRoomOf([me])];
    const best = await aMessage(me, one, { text: 'heron, heron, heron' });
    const other = await aMessage(me, two, { text: 'A heron in a long sentence about other things' });
    const reply = await aMessage(me, one, { text: 'Yes', thread: best._id.$oid });
    expect((await search(me, 'q=heron')).body).toEqual([
      { ...best, reply_count: 1, repliers: [{ $oid: me.id }], replied_at: reply.created_at },
      other,
    ]);
  });

  it('GET /api/messages?q= without a room skips and repeats no messages of the same moment', async () => {
    const me = await anAccount();
    const ours = await Promise.all([aRoomOf([me]), aRoomOf([me]), aRoomOf([me])]);
    for (const room of ours) for (let count = 0; count < 3; count++) await aMessage(me, room, { text: 'ibis' });
    const ids = ours.map((room) => new ObjectId(room));
    const moment = new Date();
    await messages.unscoped.updateMany({ room: { $in: ids } }, { $set: { created_at: moment } });
    await rooms.unscoped.updateMany({ _id: { $in: ids } }, { $set: { last_message_at: moment } });

    const found: string[] = [];
    let path: string | undefined = '/api/messages?q=ibis&limit=2';
    while (path) {
      const reply: Reply = await call('GET', path, { token: me.token });
      found.push(...(reply.body as Message[]).map(({ _id }) => _id.$oid));
      path = nextOf(reply);
    }
    expect({ all: found.length, different: new Set(found).size }).toEqual({ all: 9, different: 9 });
  });

  it.each([
    ['neither words nor a room', '', refusals.missing('room')],
    ['a thread of no room', `q=a&thread=${nowhere}`, refusals.invalid('thread', "not be used without 'room'")],
    ['a place of no room', 'q=a&before=3', refusals.invalid('before', "not be used without 'room'")],
    [
      'a place of a search without one',
      `room=${shared}&cursor=1-${nowhere}-1`,
      refusals.invalid('cursor', "not be used without 'q'"),
    ],
    ['an invalid cursor', 'q=a&cursor=3', refusals.invalid('cursor', "be a cursor from this list's Link header")],
  ])('GET /api/messages?q= without a room refuses %s', async (_what, query, refusal) => {
    expect(outcome(await search(ann, query))).toEqual(refusal);
    expect((await search(ann, 'q=a')).status).toBe(200);
  });
});
