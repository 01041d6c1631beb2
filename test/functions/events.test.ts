import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { events } from '../../lib/collections/rooms/events.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Event } from '../../lib/feed/events.ts';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { placeIn } from '../support/cursors.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf } from '../support/rooms.ts';
import { transports } from '../support/transports.ts';

const [owner, member, stranger, admin] = await Promise.all([anAccount(), anAccount(), anAccount(), anAdmin()]);
const room = await aRoomOf([owner, member]);
const hidden = await aRoomOf([owner], { is_visible: false });

const date = { $date: expect.stringMatching(/^\d{4}-.*Z$/) };
const gone = { title: 'Gone', description: 'The cursor is older than the kept history.', code: 'cursor_too_old' };
const invalid = (name: string, rule: string) => ({
  title: 'Invalid parameter',
  description: `The '${name}' parameter must ${rule}.`,
  code: 'invalid_parameter',
});
const denied = { title: 'Permission Denied', description: 'Room membership required.', code: 'membership_required' };
const replaced = {
  title: 'Gone',
  description: 'The history was replaced, as by a restored backup: start over without a cursor.',
  code: 'history_replaced',
};
const noSuchRoom = { title: 'Not found', description: 'No such room.', code: 'room_not_found' };

describe.each(transports())('/api/events, %s', (_transport, call) => {
  const read = async (of: string, query = '', { token } = owner) => {
    const { status, headers, body } = await call('GET', `/api/events?room=${of}${query}`, { token });
    const cursor = headers['x-next-cursor'];
    return { status, next: placeIn(cursor), cursor, body };
  };

  it('GET /api/events lists everything that happens to a message, in order, each event with the message as it is now', async () => {
    const here = await aRoomOf([owner, member]);
    const { _id } = await aMessage(member, here, {}, call);
    const path = `/api/messages/${_id.$oid}`;
    await call('PATCH', path, { token: member.token, body: { text: 'Other' } });
    for (const token of [owner.token, owner.token]) await call('PUT', `${path}/reactions/owl`, { token, body: {} });
    await call('DELETE', `${path}/reactions/owl`, { token: owner.token });
    await call('PUT', `${path}/pin`, { token: owner.token, body: {} });
    await call('DELETE', `${path}/pin`, { token: owner.token });
    await aMessage(owner, here, { text: 'Next' }, call);
    await call('DELETE', path, { token: owner.token });

    const { body: now } = await call('GET', path, { token: owner.token });
    const { body: next } = await call('GET', `/api/messages?room=${here}&after=1`, { token: owner.token });
    const anEvent = (seq: number, type: string, actor: string, data: unknown = now) => ({
      seq,
      type,
      room: { $oid: here },
      at: date,
      actor: { $oid: actor },
      data,
    });
    expect(await read(here, '&after=0')).toEqual({
      status: 200,
      next: '8',
      cursor: expect.any(String),
      body: [
        anEvent(1, 'message.created', member.id),
        anEvent(2, 'message.edited', member.id),
        anEvent(3, 'reaction.added', owner.id),
        anEvent(4, 'reaction.removed', owner.id),
        anEvent(5, 'message.pinned', owner.id),
        anEvent(6, 'message.unpinned', owner.id),
        anEvent(7, 'message.created', owner.id, (next as unknown[])[0]),
        anEvent(8, 'message.deleted', owner.id),
      ],
    });
  });

  it('GET /api/events returns a cursor for now, after which only new events come', async () => {
    const here = await aRoomOf([owner]);
    for (let times = 0; times < 3; times++) await aMessage(owner, here);
    const now = await read(here);
    expect(now).toEqual({ status: 200, next: '3', cursor: expect.any(String), body: [] });
    expect(await read(here, `&after=${now.cursor}`)).toEqual(now);
    const sent = await aMessage(owner, here);
    expect(await read(here, `&after=${now.cursor}`)).toMatchObject({
      next: '4',
      body: [{ type: 'message.created', data: sent }],
    });
  });

  it('GET /api/events is paged, with every change on one page', async () => {
    const here = await aRoomOf([owner]);
    for (let times = 0; times < 5; times++) {
      const { _id } = await aMessage(owner, here);
      await call('PATCH', `/api/messages/${_id.$oid}`, { token: owner.token, body: { text: 'Other' } });
    }
    const pages: number[][] = [];
    for (let after = '0'; placeIn(after) !== '10'; ) {
      const { cursor = '', body } = await read(here, `&after=${after}&limit=3`);
      pages.push((body as Event[]).map(({ seq }) => seq));
      after = cursor;
    }
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]);
  });

  it('GET /api/events is open to members and admins', async () => {
    for (const account of [member, admin]) expect(await read(room, '', account)).toMatchObject({ status: 200 });
  });

  it.each<[string, string, string | undefined, number, unknown]>([
    ['for a stranger', `?room=${room}`, stranger.token, 403, denied],
    ['of a hidden room, for a stranger', `?room=${hidden}`, stranger.token, 404, noSuchRoom],
    ['of an unknown room', `?room=${'f'.repeat(24)}`, owner.token, 404, noSuchRoom],
    [
      'without a room',
      '',
      owner.token,
      400,
      { title: 'Missing parameter', description: "The 'room' parameter is required.", code: 'missing_parameter' },
    ],
    ['of a malformed room', '?room=x', owner.token, 400, invalid('room', 'be an id of 24 hexadecimal characters')],
    ['after a malformed seq', `?room=${room}&after=x`, owner.token, 400, invalid('after', "be an 'X-Next-Cursor', or a 'seq'")],
    ['after a future seq', `?room=${hidden}&after=1`, owner.token, 410, replaced],
    ['after a place of another epoch', `?room=${room}&after=${'0'.repeat(15)}.0`, owner.token, 410, replaced],
    ['of 501 events', `?room=${room}&limit=501`, owner.token, 400, invalid('limit', 'be from 1 to 500')],
    ['of 0 events', `?room=${room}&limit=0`, owner.token, 400, invalid('limit', 'be from 1 to 500')],
  ])('GET /api/events refuses a page %s, and serves a valid one', async (_what, query, token, status, body) => {
    expect(outcome(await call('GET', `/api/events${query}`, { token }))).toEqual({ status, body });
    expect((await read(room, '&after=0&limit=500')).status).toBe(200);
  });
});

describe('a cursor older than the kept history', () => {
  const [, call] = transports().at(-1) ?? [];
  const read = async (of: string, after: number) =>
    call && outcome(await call('GET', `/api/events?room=${of}&after=${after}`, { token: owner.token }));
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

  // A room with four changes, one of them an edit; `days` are their ages.
  async function anOldRoom(days: [number, number, number, number]) {
    const here = await aRoomOf([owner], { created_at: ago(Math.max(...days)) });
    const id = new ObjectId(here);
    const { _id } = await aMessage(owner, here);
    await call?.('PATCH', `/api/messages/${_id.$oid}`, { token: owner.token, body: { text: 'Other' } });
    for (let times = 0; times < 2; times++) await aMessage(owner, here);
    for (const [index, age] of days.entries()) {
      await messages.updateOne({ room: id, seq: index + 1 }, { $set: { created_at: ago(age) } });
      await events.updateOne({ room: id, seq: index + 1 }, { $set: { at: ago(age) } });
    }
    await rooms.updateOne({ _id: id }, { $set: { changed_at: ago(days[3]) } });
    return here;
  }
  const expire = (here: string) => events.deleteMany({ room: new ObjectId(here) });
  const seqs = (...expected: number[]) => ({ status: 200, body: expected.map((seq) => expect.objectContaining({ seq })) });

  it('a cursor older than the kept history gets 410 when the next event is too old, and not when it is recent', async () => {
    const here = await anOldRoom([40, 31, 29, 1]);
    expect(await read(here, 0)).toEqual({ status: 410, body: gone });
    expect(await read(here, 1)).toEqual({ status: 410, body: gone });
    expect(await read(here, 2)).toEqual(seqs(3, 4));
    expect(await read(here, 4)).toEqual(seqs());
  });

  it('a cursor older than the kept history gets 410 when the next event has expired', async () => {
    const here = await anOldRoom([32, 31, 29, 1]);
    await expire(here);
    expect(await read(here, 1)).toEqual({ status: 410, body: gone });
    expect(await read(here, 2)).toEqual(seqs(3, 4));
  });

  it('a cursor older than the kept history gets 410 when all later events have expired', async () => {
    const here = await anOldRoom([40, 39, 38, 37]);
    await expire(here);
    await messages.deleteMany({ room: new ObjectId(here), seq: { $gt: 2 } });
    expect(await read(here, 1)).toEqual({ status: 410, body: gone });
  });

  it('a cursor older than the kept history does not get 410 when nothing came later, however long ago it was', async () => {
    const here = await anOldRoom([40, 39, 38, 37]);
    expect(await read(here, 4)).toEqual(seqs());
  });

  it('a cursor older than the kept history waits for an event on its way into a room that has long been silent', async () => {
    const here = await anOldRoom([40, 39, 38, 37]);
    await rooms.updateOne({ _id: new ObjectId(here) }, { $inc: { seq: 1 }, $currentDate: { changed_at: true } });
    expect(await read(here, 4)).toEqual(seqs());
    await aMessage(owner, here);
    expect(await read(here, 4)).toEqual(seqs());
  });
});
