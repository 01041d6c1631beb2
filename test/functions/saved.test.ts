import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { saved } from '../../lib/collections/rooms/saved.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { mostSaved, type SavedMessage } from '../../lib/messages/saved.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { nextMillisecond } from '../support/clock.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { conflict, invalid, noSuch } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { aRoom, aRoomOf, everyPage, memberId, succeed } from '../support/rooms.ts';
import { commandsOf, planOf } from '../support/sent-commands.ts';
import { inProcess, transports } from '../support/transports.ts';
import { isEmbedded } from '../support/worker.ts';

await useDatabaseOutside();

const idOf = ({ _id }: Message) => _id.$oid;
const [ann, bob, stranger, admin] = await Promise.all([anAccount(), anAccount(), anAccount(), anAdmin()]);

describe.each(transports())('saved messages, %s', (_transport, call) => {
  const change = (method: 'PUT' | 'DELETE', { token }: Account, message: string) =>
    call(method, `/api/messages/${message}/save`, { token, ...(method === 'PUT' && { body: {} }) });
  const save = (who: Account, message: Message) => succeed(change('PUT', who, idOf(message)));
  const list = async ({ token }: Account) => (await succeed(call('GET', '/api/saved', { token }))).body as SavedMessage[];
  const listed = async (who: Account) => (await list(who)).map(({ message }) => message._id.$oid);

  it('saved messages are listed as they are now, the last one first, to the one who saved them alone', async () => {
    const me = await anAccount();
    const rooms = [await aRoomOf([ann, me]), await aRoomOf([ann, me])];
    const [one, two] = [await aMessage(ann, rooms[0] as string), await aMessage(ann, rooms[1] as string)];
    const reply = await save(me, two);
    expect(outcome(reply)).toEqual({ status: 200, body: { message: two, saved_at: anyDate, remind_at: null } });
    await nextMillisecond();
    await save(me, one);
    // Saving it again keeps its time and its place.
    expect((await save(me, two)).body).toEqual(reply.body);
    await succeed(call('PATCH', `/api/messages/${idOf(one)}`, { token: ann.token, body: { text: 'edited' } }));
    expect((await list(me)).map(({ message: { text } }) => text)).toEqual(['edited', 'Hello']);
    expect(await listed(ann)).toEqual([]);
    for (const _again of [1, 2]) expect(outcome(await change('DELETE', me, idOf(one)))).toMatchObject({ status: 204 });
    expect(await listed(me)).toEqual([idOf(two)]);
  });

  it('saved messages are paged through without skipping or repeating any, also those saved at one moment', async () => {
    const me = await anAccount();
    const room = await aRoomOf([ann, me]);
    const sent: string[] = [];
    for (let at = 0; at < 7; at++) {
      const message = await aMessage(ann, room);
      await save(me, message);
      sent.push(idOf(message));
    }
    await saved.updateMany({ '_id.user': new ObjectId(me.id) }, { $set: { saved_at: new Date(1_700_000_000_000) } });
    const rows = (await everyPage(call, '/api/saved?limit=2', me.token)) as unknown as SavedMessage[];
    expect(rows.map(({ message }) => message._id.$oid)).toEqual(sent.toSorted().reverse());
  });

  it('saved messages are only those that the caller may still read', async () => {
    const me = await anAccount();
    const room = await aRoom({ owner: ann, members: [me] });
    const message = await aMessage(ann, room.id);
    await Promise.all([save(me, message), save(admin, message)]);
    await succeed(call('DELETE', `/api/members/${await memberId(room, me)}`, { token: me.token }));
    expect([await listed(me), (await listed(admin)).includes(idOf(message))]).toEqual([[], true]);
    // It can still be removed.
    await succeed(change('DELETE', me, idOf(message)));
    expect(await saved.countDocuments({ '_id.user': new ObjectId(me.id) })).toBe(0);
  });

  it('saved messages go with the message, the room and the account', async () => {
    const me = await anAccount();
    const [kept, gone] = [await aRoomOf([ann, me]), await aRoomOf([ann, me])];
    const [deleted, ofKept, ofGone] = [await aMessage(ann, kept), await aMessage(ann, kept), await aMessage(ann, gone)];
    for (const message of [deleted, ofKept, ofGone]) await save(me, message);
    const left = async () => (await saved.find({ '_id.user': new ObjectId(me.id) }).toArray()).length;
    await succeed(call('DELETE', `/api/messages/${idOf(deleted)}`, { token: ann.token }));
    expect([await listed(me), await left()]).toEqual([[idOf(ofGone), idOf(ofKept)], 2]);
    await succeed(call('DELETE', `/api/rooms/${gone}`, { token: admin.token }));
    expect([await listed(me), await left()]).toEqual([[idOf(ofKept)], 1]);
    await succeed(call('DELETE', `/api/users/${me.id}`, { token: admin.token, body: {} }));
    expect(await left()).toBe(0);
  });

  describe('reminders of saved messages', () => {
    const remind = async ({ token }: Account, message: Message, remind_at: unknown) =>
      call('PUT', `/api/messages/${idOf(message)}/save`, { token, body: { remind_at } });
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const reminders = async ({ token }: Account, query = '') =>
      (await succeed(call('GET', `/api/saved?reminders=true${query}`, { token }))).body as SavedMessage[];

    it('reminders are saved with a message, listed by their times, and kept when the message is saved again', async () => {
      const me = await anAccount();
      const room = await aRoomOf([ann, me]);
      const [late, plain, soon] = [await aMessage(ann, room), await aMessage(ann, room), await aMessage(ann, room)];
      const at = inMinutes(60);
      const reply = await remind(me, late, { $date: at });
      expect(outcome(reply)).toEqual({ status: 200, body: { message: late, saved_at: anyDate, remind_at: { $date: at } } });
      await save(me, plain);
      await succeed(remind(me, soon, inMinutes(20)));
      expect((await save(me, late)).body).toEqual(reply.body);
      expect((await reminders(me)).map(({ message }) => message._id.$oid)).toEqual([idOf(soon), idOf(late)]);
      expect(await listed(me)).toEqual([idOf(soon), idOf(plain), idOf(late)]);
      // Another time, or none: it remains saved.
      await succeed(remind(me, soon, inMinutes(90)));
      expect((await reminders(me)).map(({ message }) => message._id.$oid)).toEqual([idOf(late), idOf(soon)]);
      expect((await succeed(remind(me, late, null))).body).toMatchObject({ saved_at: anyDate, remind_at: null });
      expect((await reminders(me)).map(({ message }) => message._id.$oid)).toEqual([idOf(soon)]);
      expect((await listed(me)).includes(idOf(late))).toBe(true);
    });

    it('reminders are paged through without skipping or repeating any, also those of one moment', async () => {
      const me = await anAccount();
      const room = await aRoomOf([ann, me]);
      const at = inMinutes(60);
      const sent: string[] = [];
      for (let many = 0; many < 5; many++) {
        const message = await aMessage(ann, room);
        await succeed(remind(me, message, at));
        sent.push(idOf(message));
      }
      const rows = (await everyPage(call, '/api/saved?reminders=true&limit=2', me.token)) as unknown as SavedMessage[];
      expect(rows.map(({ message }) => message._id.$oid)).toEqual(sent.toSorted());
    });

    it.each([
      ['that is past', () => inMinutes(-1), 'be in the future'],
      ['that is no time', () => 'tomorrow', "be null, or a time such as '2026-11-21T04:04:42.123Z'"],
    ])('reminders are refused with a time %s', async (_what, at, rule) => {
      const message = await aMessage(ann, await aRoomOf([ann, bob]));
      expect(outcome(await remind(bob, message, at()))).toEqual({ status: 400, body: invalid('remind_at', rule) });
      expect(await listed(bob)).not.toContain(idOf(message));
    });
  });

  it('saved messages are bounded in number, and one that is removed makes room', async () => {
    const me = await anAccount();
    const message = await aMessage(ann, await aRoomOf([ann, me]));
    const user = new ObjectId(me.id);
    const others = Array.from({ length: mostSaved }, () => ({
      _id: { user, message: new ObjectId() },
      room: new ObjectId(),
      saved_at: new Date(0),
    }));
    await saved.insertMany(others);
    const full = conflict('The list of saved messages is full: remove some of them to save others.');
    expect(outcome(await change('PUT', me, idOf(message)))).toEqual({ status: 409, body: full });
    await succeed(change('DELETE', me, others[0]?._id.message.toHexString() ?? ''));
    await save(me, message);
    expect(await listed(me)).toEqual([idOf(message)]);
  });

  it.each<[string, () => Promise<[Account, string]>, number, unknown]>([
    ['from a stranger', async () => [stranger, idOf(await aMessage(ann, await aRoomOf([ann, bob])))], 404, noSuch('message')],
    ['of an unknown message', async () => [bob, '0'.repeat(24)], 404, noSuch('message')],
    ['of a malformed id', async () => [bob, 'x'], 404, noSuch('message')],
  ])('saving is refused for a message %s', async (_what, prepare, status, body) => {
    const [who, message] = await prepare();
    expect(outcome(await change('PUT', who, message))).toEqual({ status, body });
  });

  it('saving refuses a deleted message, and the list refuses a malformed cursor', async () => {
    const message = await aMessage(ann, await aRoomOf([ann, bob]));
    await succeed(call('DELETE', `/api/messages/${idOf(message)}`, { token: ann.token }));
    expect(outcome(await change('PUT', bob, idOf(message)))).toEqual({ status: 409, body: conflict('The message is deleted.') });
    const cursor = await call('GET', `/api/saved?after=${idOf(message)}`, { token: bob.token });
    expect(outcome(cursor)).toEqual({ status: 400, body: invalid('after', "be a cursor from the list's Link header") });
  });
});

it('the database finds the saved messages of a user by an index, without sorting', async () => {
  const message = await aMessage(ann, await aRoomOf([ann, bob]));
  await inProcess('PUT', `/api/messages/${idOf(message)}/save`, { token: bob.token, body: {} });
  const cursor = 'after=9999999999999-ffffffffffffffffffffffff';
  for (const query of ['', `?${cursor}`, '?reminders=true', `?reminders=true&${cursor}`]) {
    const sent = await commandsOf(() => inProcess('GET', `/api/saved${query}`, { token: bob.token }));
    const plans = await Promise.all(sent.filter(({ collection }) => collection === 'saved').map(planOf));
    expect(plans.flat()).not.toContain('COLLSCAN');
    // Other engines may prefer a short index to another in the right order.
    if (isEmbedded) expect(plans.flat()).not.toContain('SORT');
  }
});
