import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { invalid, missing } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoom, aRoomOf, everyPage, memberId, nextOf, succeed } from '../support/rooms.ts';
import { commandsOf, planOf } from '../support/sent-commands.ts';
import { inProcess, transports } from '../support/transports.ts';
import { isEmbedded } from '../support/worker.ts';

await useDatabaseOutside();

const idOf = ({ _id }: Message) => _id.$oid;

describe.each(transports())('the mentions in all rooms, %s', (_transport, call) => {
  const list = ({ token }: Account, query = '') => call('GET', `/api/messages?mentions=me${query}`, { token });
  const idsOf = async (who: Account) => ((await succeed(list(who))).body as Message[]).map(idOf);

  it('the mentions in all rooms come newest first, page by page, with nothing twice or left out', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const rooms = [await aRoomOf([me, other]), await aRoomOf([other, me]), await aRoomOf([other, me])];
    const sent: string[] = [];
    for (let at = 0; at < 9; at++) {
      const room = rooms[at % 3] as string;
      sent.push(idOf(await aMessage(other, room, { text: `${at} for @${me.username}` })));
      await aMessage(other, room, { text: 'for everyone' });
    }
    // Several at the same time, which only room and place distinguish.
    const moment = { created_at: new Date(Date.now() - 60_000) };
    await messages.unscoped.updateMany({ _id: { $in: sent.slice(0, 6).map((id) => new ObjectId(id)) } }, { $set: moment });
    const all = await idsOf(me);
    expect(all.slice(0, 3)).toEqual(sent.slice(6).reverse());
    expect(all.toSorted()).toEqual(sent.toSorted());
    const byPages = (await everyPage(call, '/api/messages?mentions=me&limit=2', me.token)).map(({ _id }) => _id.$oid);
    expect(byPages).toEqual(all);
  });

  it('the mentions in all rooms are those of rooms that the caller may still read, in messages that still mention the caller', async () => {
    const [me, other, admin] = [await anAccount(), await anAccount(), await anAdmin()];
    const text = `for @${me.username}`;
    const [left, kept] = [await aRoom({ owner: other, members: [me] }), await aRoom({ owner: other, members: [me] })];
    await aMessage(other, left.id, { text });
    const [here, edited, deleted] = [
      await aMessage(other, kept.id, { text }),
      await aMessage(other, kept.id, { text }),
      await aMessage(other, kept.id, { text }),
    ];
    await succeed(call('PATCH', `/api/messages/${idOf(edited)}`, { token: other.token, body: { text: 'for nobody' } }));
    await succeed(call('DELETE', `/api/messages/${idOf(deleted)}`, { token: other.token }));
    await succeed(call('DELETE', `/api/members/${await memberId(left, me)}`, { token: me.token }));
    expect(await idsOf(me)).toEqual([idOf(here)]);
    expect(await idsOf(admin)).toEqual([]);
  });

  it('the mentions in all rooms leave out a conversation with someone whom the caller has blocked', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const begun = await succeed(call('POST', '/api/conversations', { token: other.token, body: { users: [me.id] } }));
    const said = await aMessage(other, (begun.body as Message)._id.$oid, { text: `@${me.username}` });
    expect(await idsOf(me)).toEqual([idOf(said)]);
    await succeed(call('POST', '/api/blocks', { token: me.token, body: { user: other.id } }));
    expect(await idsOf(me)).toEqual([]);
  });

  it('the mentions in all rooms cost a bounded look at the index of mentions, also after many in a room that was left', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const [left, kept] = [await aRoomOf([other]), await aRoomOf([other, me])];
    const here = await aMessage(other, kept, { text: `@${me.username}` });
    const template = await aMessage(other, left);
    const stored = await messages.findOne({ _id: new ObjectId(idOf(template)) });
    if (!stored) throw new Error('the message was not stored');
    const copies = Array.from({ length: 1_200 }, (_, at) => ({
      ...stored,
      _id: new ObjectId(),
      seq: 1_000 + at,
      ordinal: 1_000 + at,
      mentions: [new ObjectId(me.id)],
      created_at: new Date(Date.now() + at),
    }));
    await messages.unscoped.insertMany(copies);
    const first = await list(me, '&limit=100');
    expect(outcome(first)).toEqual({ status: 200, body: [] });
    const next = await call('GET', nextOf(first) ?? '', { token: me.token });
    expect([(next.body as Message[]).map(idOf), nextOf(next)]).toEqual([[idOf(here)], undefined]);
  });

  it.each([
    ['without mentions', '/api/messages', missing('room')],
    ['with a filter of one room', '/api/messages?mentions=me&pinned=true', invalid('pinned', "not be used without 'room'")],
    ['before a place of one room', '/api/messages?mentions=me&before=9', invalid('before', "not be used without 'room'")],
    ['since a time', '/api/messages?mentions=me&since=2026-01-01T00:00:00Z', invalid('since', "not be used without 'q'")],
  ])('the mentions in all rooms refuse a query %s', async (_what, path, body) => {
    const { token } = await anAccount();
    expect(outcome(await call('GET', path, { token }))).toEqual({ status: 400, body });
  });
});

it('the database finds the mentions in all rooms by an index, without sorting', async () => {
  const [me, other] = [await anAccount(), await anAccount()];
  await aMessage(other, await aRoomOf([other, me]), { text: `@${me.username}` });
  for (const query of ['', '&cursor=1700000000000-0123456789abcdef01234567-5']) {
    const sent = await commandsOf(() => inProcess('GET', `/api/messages?mentions=me${query}`, { token: me.token }));
    const plans = await Promise.all(sent.filter(({ collection }) => collection === 'messages').map(planOf));
    expect(plans.flat()).not.toContain('COLLSCAN');
    // Other engines may prefer a short index to another in the right order.
    if (isEmbedded) expect(plans.flat()).not.toContain('SORT');
  }
});
