import { ObjectId } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readMarkers } from '../../lib/collections/rooms/read-markers.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Member } from '../../lib/members/members.ts';
import { storeNotes } from '../../lib/rooms/notes.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { callThrough } from '../support/processes.ts';
import { outcome } from '../support/responses.ts';
import { addMember, aRoom, aRoomOf, memberId, nextOf } from '../support/rooms.ts';
import { inProcess, type Reply, transports } from '../support/transports.ts';

afterEach(() => vi.restoreAllMocks());

describe.each(transports())('a membership, %s', (_transport, call) => {
  const mine = async (room: string, { token }: Account): Promise<Member> => {
    const { body } = await call('GET', '/api/members?user=me&limit=200', { token });
    return (body as Member[]).find((member) => member.room.$oid === room) as Member;
  };
  const patch = async (room: string, account: Account, body: object): Promise<Reply> =>
    call('PATCH', `/api/members/${(await mine(room, account))._id.$oid}`, { token: account.token, body });

  it("a membership never counts the member's own messages as unread", async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    for (let count = 0; count < 3; count++) await aMessage(ann, room, {}, call);
    expect(await mine(room, ann)).toMatchObject({ seq: 3, last_read: 3, unread: 0 });
    expect(await mine(room, bob)).toMatchObject({ seq: 3, last_read: 0, unread: 3 });
    await aMessage(bob, room, {}, call);
    expect(await mine(room, bob)).toMatchObject({ seq: 4, last_read: 4, unread: 0 });
    expect(await mine(room, ann)).toMatchObject({ seq: 4, last_read: 3, unread: 1 });
  });

  it('a membership counts the unread messages that mention the member, edited and deleted ones as they are now', async () => {
    const [ann, bob, eve] = await Promise.all([anAccount(), anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob, eve]);
    const at = `@${bob.username}`;
    const [first, , third] = [
      await aMessage(ann, room, { text: `${at} one` }, call),
      await aMessage(ann, room, { text: 'two' }, call),
      await aMessage(ann, room, { text: 'three' }, call),
      await aMessage(ann, room, { text: `${at} ${at} four, @${eve.username}` }, call),
    ];
    const counts = async () => Promise.all([bob, eve, ann].map(async (who) => (await mine(room, who)).unread_mentions));
    expect(await counts()).toEqual([2, 1, 0]);
    await call('PATCH', `/api/messages/${third._id.$oid}`, { token: ann.token, body: { text: `three, ${at}` } });
    expect(await counts()).toEqual([3, 1, 0]);
    await call('DELETE', `/api/messages/${first._id.$oid}`, { token: ann.token });
    expect(await counts()).toEqual([2, 1, 0]);
    expect((await patch(room, bob, { last_read: third.seq })).body).toMatchObject({ unread: 1, unread_mentions: 1 });
    await aMessage(bob, room, { text: `to myself, ${at}` }, call);
    expect(await counts()).toEqual([0, 1, 0]);
  });

  it('a membership lets its read marker be set back, so that messages are unread again', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const second = [
      await aMessage(ann, room, {}, call),
      await aMessage(ann, room, { text: `Hello @${bob.username}` }, call),
      await aMessage(ann, room, {}, call),
    ][1];
    await patch(room, bob, { last_read: 3 });
    const back = await patch(room, bob, { unread_from: second?.seq });
    expect(back).toMatchObject({ status: 200, body: { last_read: 1, unread: 2, unread_mentions: 1 } });
    expect(await mine(room, bob)).toMatchObject({ last_read: 1, unread: 2, unread_mentions: 1 });
    // It never marks anything as read.
    expect((await patch(room, bob, { unread_from: 3 })).body).toMatchObject({ last_read: 1, unread: 2 });
    expect((await patch(room, bob, { last_read: 3 })).body).toMatchObject({ last_read: 3, unread: 0, unread_mentions: 0 });
    expect((await patch(room, bob, { unread_from: 1 })).body).toMatchObject({ last_read: 0, unread: 3 });
  });

  it('a membership mutes a room for the member alone, until it is unmuted or joined again', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    await aMessage(ann, room, {}, call);
    expect(await patch(room, bob, { is_muted: true })).toMatchObject({ status: 200, body: { is_muted: true, unread: 1 } });
    expect(await mine(room, bob)).toMatchObject({ is_muted: true, unread: 1 });
    expect(await mine(room, ann)).toMatchObject({ is_muted: false });
    expect((await patch(room, bob, { is_muted: false, last_read: 1 })).body).toMatchObject({ is_muted: false, unread: 0 });

    await patch(room, bob, { is_muted: true });
    await call('DELETE', `/api/members/${(await mine(room, bob))._id.$oid}`, { token: bob.token });
    const again = await call('POST', '/api/members', { token: bob.token, body: { room } });
    expect(again).toMatchObject({ status: 201, body: { is_muted: false, unread: 0 } });
    expect(await mine(room, bob)).toMatchObject({ is_muted: false });
  });

  it('a membership keeps its notification choice, also while the room is muted, until it is joined again', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    expect(await mine(room, bob)).toMatchObject({ notify_of: null });
    expect(await patch(room, bob, { notify_of: 'all' })).toMatchObject({ status: 200, body: { notify_of: 'all' } });
    expect(await mine(room, ann)).toMatchObject({ notify_of: null });
    const ofAnn = await call('GET', `/api/members/${(await mine(room, bob))._id.$oid}`, { token: ann.token });
    expect(ofAnn.body).not.toHaveProperty('notify_of');
    expect((await patch(room, bob, { is_muted: true })).body).toMatchObject({ is_muted: true, notify_of: 'all' });
    expect((await patch(room, bob, { is_muted: false })).body).toMatchObject({ is_muted: false, notify_of: 'all' });
    expect((await patch(room, bob, { notify_of: null })).body).toMatchObject({ notify_of: null });
    expect(await mine(room, bob)).toMatchObject({ notify_of: null });

    await patch(room, bob, { notify_of: 'mentions', is_muted: true });
    expect(await mine(room, bob)).toMatchObject({ is_muted: true, notify_of: 'mentions' });
    await call('DELETE', `/api/members/${(await mine(room, bob))._id.$oid}`, { token: bob.token });
    await call('POST', '/api/members', { token: bob.token, body: { room } });
    expect(await mine(room, bob)).toMatchObject({ is_muted: false, notify_of: null });
  });

  it('a membership makes a room a favourite of the member alone, until the member leaves it', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    expect(await patch(room, bob, { is_favourite: true })).toMatchObject({ status: 200, body: { is_favourite: true } });
    await patch(room, bob, { is_muted: true });
    expect(await mine(room, bob)).toMatchObject({ is_favourite: true, is_muted: true });
    expect(await mine(room, ann)).toMatchObject({ is_favourite: false });
    expect((await patch(room, bob, { is_favourite: false })).body).toMatchObject({ is_favourite: false, is_muted: true });

    await patch(room, bob, { is_favourite: true });
    await call('DELETE', `/api/members/${(await mine(room, bob))._id.$oid}`, { token: bob.token });
    expect(await call('POST', '/api/members', { token: bob.token, body: { room } })).toMatchObject({
      status: 201,
      body: { is_favourite: false },
    });
  });

  it('the service keeps the order of favourites on the account, until a room is removed from them', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const refused = refusals.conflict('Only favourites have an order.');
    expect(outcome(await patch(room, bob, { favourite_order: 3, is_muted: true }))).toEqual(refused);
    expect(await mine(room, bob)).toMatchObject({ is_muted: false });
    const { body } = await patch(room, bob, { is_favourite: true });
    expect(body).not.toHaveProperty('favourite_order');
    const ordered = await patch(room, bob, { favourite_order: 0 });
    expect(ordered).toMatchObject({ status: 200, body: { is_favourite: true, favourite_order: 0 } });
    expect(await mine(room, bob)).toMatchObject({ favourite_order: 0 });
    // Setting the favourite again, or muting the room, does not move it.
    await patch(room, bob, { is_favourite: true });
    expect(await mine(room, bob)).toMatchObject({ favourite_order: 0 });
    await patch(room, bob, { is_muted: true, favourite_order: Number.MAX_SAFE_INTEGER });
    expect(await mine(room, bob)).toMatchObject({ is_muted: true, favourite_order: Number.MAX_SAFE_INTEGER });
    const ofAnn = await call('GET', `/api/members/${(await mine(room, bob))._id.$oid}`, { token: ann.token });
    expect(ofAnn.body).not.toHaveProperty('favourite_order');
    const both = await patch(room, bob, { is_favourite: false, favourite_order: 1 });
    expect(outcome(both)).toEqual(refusals.invalid('favourite_order', "be left out where 'is_favourite' is false"));
    await patch(room, bob, { is_favourite: false });
    expect(await mine(room, bob)).not.toHaveProperty('favourite_order');
    // One request makes it a favourite with an order. Leaving the room resets both.
    expect((await patch(room, bob, { is_favourite: true, favourite_order: 8 })).body).toMatchObject({ favourite_order: 8 });
    await call('DELETE', `/api/members/${(await mine(room, bob))._id.$oid}`, { token: bob.token });
    await call('POST', '/api/members', { token: bob.token, body: { room } });
    expect(await mine(room, bob)).not.toHaveProperty('favourite_order');
  });

  it('the service ends an order with its favourite, whichever of two devices comes first', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    for (let round = 0; round < 5; round++) {
      await patch(room, ann, { is_favourite: true });
      const results = await Promise.all([
        patch(room, ann, { favourite_order: round }),
        patch(room, ann, { is_favourite: false }),
        patch(room, ann, { favourite_order: round + 1 }),
      ]);
      expect(results.map(({ status }) => status).every((status) => [200, 409].includes(status))).toBe(true);
      const { is_favourite, favourite_order } = await mine(room, ann);
      expect([is_favourite, favourite_order]).toEqual([false, undefined]);
    }
  });

  it.each<[string, object, unknown]>([
    [
      "another's favourites to be ordered",
      { is_favourite: true, favourite_order: 1 },
      refusals.denied('You can only choose favourites for yourself.'),
    ],
    [
      "another's favourites to be changed",
      { is_favourite: true },
      refusals.denied('You can only choose favourites for yourself.'),
    ],
    ["another's room to be muted", { is_muted: true }, refusals.denied('You can only choose your own notifications.')],
    [
      "to choose another user's notifications",
      { notify_of: null },
      refusals.denied('You can only choose your own notifications.'),
    ],
    ["another's marker to go back", { unread_from: 1 }, refusals.denied('You can only move your own read marker.')],
  ])('a membership refuses %s, also to an owner', async (_what, body, refusal) => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    await aMessage(ann, room, {}, call);
    const member = await mine(room, bob);
    const path = `/api/members/${member._id.$oid}`;
    expect(outcome(await call('PATCH', path, { token: ann.token, body }))).toEqual(refusal);
    expect((await call('PATCH', path, { token: bob.token, body })).status).toBe(200);
  });

  it.each<[string, object, unknown]>([
    [
      'both ways in one request',
      { last_read: 1, unread_from: 1 },
      refusals.invalid('unread_from', "not be combined with 'last_read'"),
    ],
    ['from a place that was not taken', { unread_from: 2 }, refusals.invalid('unread_from', "be from 1 to 1, the room's 'seq'")],
    ['from nowhere', { unread_from: 0 }, refusals.invalid('unread_from', `be from 1 to ${Number.MAX_SAFE_INTEGER}`)],
    ['with a text for is_muted', { is_muted: 'a bit' }, refusals.invalid('is_muted', 'be true or false')],
    [
      'with something unknown to be told of',
      { notify_of: 'mine', last_read: 1 },
      refusals.invalid('notify_of', "be null, or 'all' or 'mentions'"),
    ],
  ])('a membership refuses to move its read marker %s', async (_what, body, refusal) => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    await aMessage(ann, room, {}, call);
    expect(outcome(await patch(room, ann, body))).toEqual(refusal);
    expect((await patch(room, ann, { unread_from: 1 })).body).toMatchObject({ last_read: 0 });
  });
});

describe.each(transports())('GET /api/members?user=me&since=, %s', (_transport, call) => {
  const ask = ({ token }: Account, since: string, rest = '') =>
    call('GET', `/api/members?user=me&since=${encodeURIComponent(since)}${rest}`, { token });
  const namesOf = ({ body }: Reply) => (body as Member[]).map(({ room_name }) => room_name);
  const cursorOf = ({ headers }: Reply) => headers['x-next-cursor'] ?? '';

  /** Makes the events of a room this many seconds older. */
  const age = (room: string, seconds: number) => {
    const at = new Date(Date.now() - seconds * 1_000);
    return rooms.updateOne({ _id: new ObjectId(room) }, { $set: { changed_at: at, last_message_at: at } });
  };

  it('GET /api/members?since= lists the rooms in which something happened since a time, the most recently active first', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const made = await Promise.all(['One', 'Two', 'Three', 'Four'].map((name) => aRoomOf([ann, bob], { name })));
    for (const [index, room] of made.entries()) await age(room, 100 * (index + 1));
    const [one, , three] = made as [string, string, string];
    const since = new Date(Date.now() - 250_000).toISOString();
    expect(namesOf(await ask(bob, since))).toEqual(['One', 'Two']);
    await aMessage(ann, three, {}, call);
    expect(namesOf(await ask(bob, since))).toEqual(['Three', 'One', 'Two']);
    await call('PATCH', `/api/rooms/${one}/details`, { token: ann.token, body: { topic: 'Owls' } });
    const first = await ask(bob, since, '&limit=2');
    const rest = await call('GET', nextOf(first) ?? '', { token: bob.token });
    expect([namesOf(first), namesOf(rest), nextOf(rest)]).toEqual([['One', 'Three'], ['Two'], undefined]);
  });

  it('GET /api/members?since= returns the time for the next request, so that nothing is missed', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const [one, two] = await Promise.all(['One', 'Two'].map((name) => aRoomOf([ann, bob], { name })));
    for (const room of [one, two]) await age(room as string, 3_600);
    const all = await call('GET', '/api/members?user=me', { token: bob.token });
    expect(namesOf(all).sort()).toEqual(['One', 'Two']);
    const none = await ask(bob, cursorOf(all));
    expect(namesOf(none)).toEqual([]);
    expect(cursorOf(none) >= cursorOf(all)).toBe(true);
    await aMessage(ann, two as string, {}, call);
    const moved = await ask(bob, cursorOf(none));
    expect(namesOf(moved)).toEqual(['Two']);
    // A change that began before the response may end after it. So a room is listed again for a few
    // seconds, with the same seq.
    expect(cursorOf(moved) >= cursorOf(none)).toBe(true);
    expect(await ask(bob, cursorOf(moved))).toMatchObject({ body: [{ room_name: 'Two', seq: 1 }] });
  });

  it('GET /api/members?since= returns the time for the next request also to a user without rooms', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const none = await call('GET', '/api/members?user=me', { token: bob.token });
    expect(none.body).toEqual([]);
    expect(cursorOf(none)).toMatch(/^[0-9a-f]{15}\.\d{13}$/);
    await aRoomOf([ann, bob], { name: 'One' });
    expect(namesOf(await ask(bob, cursorOf(none)))).toEqual(['One']);
  });

  it.each([
    ['a room', `room=${'0'.repeat(24)}&since=2026-01-01T00:00:00Z`, refusals.invalid('since', "not be combined with 'room'")],
    [
      'a value that is not a time',
      'user=me&since=yesterday',
      refusals.invalid('since', "be a time such as '2026-11-21T04:04:42.123Z', or an 'X-Next-Cursor'"),
    ],
  ])('GET /api/members?since= refuses %s', async (_what, query, refusal) => {
    const { token } = await anAccount();
    expect(outcome(await call('GET', `/api/members?${query}`, { token }))).toEqual(refusal);
    expect((await call('GET', '/api/members?user=me&since=2026-01-01T00:00:00Z', { token })).status).toBe(200);
  });
});

describe('a message', () => {
  it("a message is stored although its sender's marker can't be moved", async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoom({ owner: ann, members: [bob] });
    const failure = vi.spyOn(readMarkers, 'bulkWrite').mockRejectedValue(new Error('lost on the way'));
    const message = await aMessage(ann, room.id, { text: `Hello @${bob.username}` });
    await storeNotes();
    failure.mockRestore();
    const { body } = await inProcess('GET', `/api/messages?room=${room.id}`, { token: bob.token });
    expect(body).toEqual([message]);
    const mine = async () => inProcess('GET', `/api/members/${await memberId(room, ann)}`, { token: ann.token });
    expect(await mine()).toMatchObject({ body: { unread: 1 } });
    await aMessage(ann, room.id);
    expect(await mine()).toMatchObject({ body: { unread: 0 } });
  });

  it('a message is noted in the markers of its readers a moment later, and on Lambda before it is answered', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const stored = () => readMarkers.find({ '_id.room': new ObjectId(room) }, { projection: { _id: 0 } }).toArray();
    await aMessage(ann, room, { text: `Hello @${bob.username}` });
    await storeNotes();
    const noted = [{ seq: 1, ordinal: 1 }, { mentioned: 1 }];
    expect((await stored()).toSorted(bySeq)).toEqual(noted);

    const { call, end } = await callThrough(1, { AWS_LAMBDA_FUNCTION_NAME: 'messages' });
    const body = { room, text: `Hello @${bob.username}` };
    expect((await call('POST', '/api/messages', { token: ann.token, body })).status).toBe(201);
    expect((await stored()).toSorted(bySeq)).toEqual([{ seq: 2, ordinal: 2 }, { mentioned: 2 }]);
    end();
  });

  it('many concurrent messages move the marker of each sender to the last of its own', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => anAccount()));
    const room = await aRoom({ owner: people[0] as Account });
    const members = [await memberId(room, people[0] as Account)];
    for (const person of people.slice(1)) members.push(await addMember(room, person));
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, index) => aMessage(people[index % 5] as Account, room.id, { text: `${index}` })),
    );
    for (const [index, person] of people.entries()) {
      const { body } = await inProcess('GET', `/api/members/${members[index]}`, { token: person.token });
      const own = sent.filter(({ user }) => user.$oid === person.id).map(({ seq }) => seq);
      const { seq = 0, last_read = 0, unread } = body as Member;
      // Only messages have come since the last one joined.
      expect({ last_read, unread }).toEqual({ last_read: Math.max(...own), unread: seq - last_read });
    }
  });
});

const bySeq = (one: { seq?: number }, other: { seq?: number }) => (other.seq ?? 0) - (one.seq ?? 0);
