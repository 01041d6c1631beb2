import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { pushSubscriptions } from '../../lib/collections/delivery/push-subscriptions.ts';
import { pushed } from '../../lib/collections/delivery/pushed.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { retryDevices, tellOfRoom } from '../../lib/notifications/tell.ts';
import { type Account, anAccount, aSession } from '../support/accounts.ts';
import { useOwnDatabase, withPatience } from '../support/config.ts';
import { invalid } from '../support/error-bodies.ts';
import { runSchedule } from '../support/jobs.ts';
import { aMessage } from '../support/messages.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../support/push-service.ts';
import { outcome } from '../support/responses.ts';
import { addMember, aRoom, aRoomOf } from '../support/rooms.ts';
import { inProcess as call, type Reply } from '../support/transports.ts';

usePushService();
useOwnDatabase();

const path = '/api/push-subscription';

/** A subscribed device of an account. */
async function subscribed({ token }: Pick<Account, 'token'>, more: { of?: 'all' } = {}): Promise<Device> {
  const device = aDevice();
  const { body } = await call('GET', path, { token });
  const { status } = await call('PUT', path, {
    token,
    body: { ...subscriptionOf(device, (body as { key: string }).key), ...more },
  });
  expect(status).toBe(200);
  return device;
}

async function test({ token }: Account, device: Device): Promise<Reply> {
  const { key } = (await call('GET', path, { token })).body as { key: string };
  return call('PUT', path, { token, body: { ...subscriptionOf(device, key), send_test: true } });
}

const textsOf = ({ pushes }: Device) => pushes.map(({ payload }) => payload.text);

describe('/api/push-subscription', () => {
  it('a push subscription begins with the key of the service, and ends when it is deleted', async () => {
    const ann = await anAccount();
    const { body } = await call('GET', path, ann);
    expect(body).toEqual({ key: expect.stringMatching(/^[\w-]{87}$/), is_subscribed: false, of: null });
    const { key } = body as { key: string };
    const put = await call('PUT', path, { token: ann.token, body: subscriptionOf(aDevice(), key) });
    expect(outcome(put)).toEqual({ status: 200, body: { key, is_subscribed: true, of: 'mine' } });
    expect((await call('GET', path, ann)).body).toEqual(put.body);
    expect((await call('DELETE', path, ann)).status).toBe(204);
    expect((await call('GET', path, ann)).body).toMatchObject({ is_subscribed: false });
  });

  it.each([
    ['https://example.org/push'],
    ['http://fcm.googleapis.com/fcm/send/1'],
    ['https://fcm.googleapis.com:8443/fcm/send/1'],
    ['https://fcm.googleapis.com.example.org/1'],
    ['https://user@fcm.googleapis.com/1'],
    ['https://127.0.0.1/1'],
    ['https://[::1]/1'],
    ['https://%%/1'],
  ])('a push subscription refuses an address that is not at a push service: %s', async (endpoint) => {
    const ann = await anAccount();
    const { key } = (await call('GET', path, ann)).body as { key: string };
    const refused = await call('PUT', path, { token: ann.token, body: { ...subscriptionOf(aDevice(), key), endpoint } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'push_service_unknown' } });
  });

  it.each([['file:///etc/passwd'], ['nonsense'], ['https://'], [`https://${'a'.repeat(1_000)}`], ['https://a b']])(
    'a push subscription refuses an invalid address: %s',
    async (endpoint) => {
      const ann = await anAccount();
      const body = { ...subscriptionOf(aDevice(), 'A'.repeat(87)), endpoint };
      expect(outcome(await call('PUT', path, { token: ann.token, body }))).toEqual({
        status: 400,
        body: invalid('endpoint', 'be an address that begins with https://'),
      });
    },
  );

  it.each([
    ['https://fcm.googleapis.com/fcm/send/1'],
    ['https://updates.push.services.mozilla.com/wpush/v2/1'],
    ['https://wns2-par02p.notify.windows.com/w/?token=1'],
    ['https://web.push.apple.com/1'],
  ])('a push subscription takes the addresses of the usual browsers: %s', async (endpoint) => {
    const ann = await anAccount();
    const { key } = (await call('GET', path, ann)).body as { key: string };
    const { status } = await call('PUT', path, { token: ann.token, body: { ...subscriptionOf(aDevice(), key), endpoint } });
    expect(status).toBe(200);
  });

  it('a push subscription refuses a device that has subscribed with another key', async () => {
    const ann = await anAccount();
    const other = subscriptionOf(aDevice(), 'A'.repeat(87));
    expect(await call('PUT', path, { token: ann.token, body: other })).toMatchObject({
      status: 409,
      body: { code: 'other_key' },
    });
  });

  it('a push subscription can be tested with an immediate push, and the answer explains failures', async () => {
    const ann = await anAccount();
    const device = await subscribed(ann);
    expect((await test(ann, device)).status).toBe(200);
    expect(device.pushes.map(({ payload }) => payload)).toEqual([{ type: 'test' }]);
    device.answer = { status: 500 };
    expect(await test(ann, device)).toMatchObject({ status: 409, body: { code: 'not_pushed' } });
    device.answer = { status: 410 };
    expect(await test(ann, device)).toMatchObject({ status: 409, body: { code: 'subscription_ended' } });
    expect((await call('GET', path, ann)).body).toMatchObject({ is_subscribed: false });
  });
});

describe('a device', () => {
  it('a device is notified of mentions, conversations and followed threads, and of other messages on request', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [bob], name: 'Plans' });
    const { body } = await call('POST', '/api/conversations', { token: bob.token, body: { users: [ann.username] } });
    const conversation = (body as { _id: { $oid: string } })._id.$oid;
    const root = await aMessage(ann, room.id, { text: 'Lunch?' });
    const [few, every] = [await subscribed(ann), await subscribed({ token: await aSession(call, ann) }, { of: 'all' })];
    await aMessage(bob, room.id, { text: 'to everyone' });
    const named = await aMessage(bob, room.id, { text: `@${ann.username} *you*` });
    await aMessage(bob, room.id, { text: 'At noon', thread: root._id.$oid });
    await aMessage(bob, conversation, { text: 'between us' });
    for (const one of [room.id, conversation]) expect(await tellOfRoom(one)).toBe('all');
    expect(few.pushes.map(({ payload }) => payload)).toEqual([
      {
        type: 'messages',
        room: room.id,
        room_name: 'Plans',
        seq: named.seq,
        count: 1,
        author: bob.username,
        text: `@${ann.username} you`,
      },
      expect.objectContaining({ text: 'At noon', thread: root._id.$oid, count: 1 }),
      expect.not.objectContaining({ room_name: expect.anything() }),
    ]);
    expect(textsOf(every)).toEqual([`@${ann.username} you`, 'At noon', 'between us']);
    expect(every.pushes[0]?.payload.count).toBe(2);
    expect(few.pushes[0]?.headers).toMatchObject({ ttl: '3600', urgency: 'high', topic: room.id });
  });

  it.each<[string, object, { mine: string[]; all: string[] }]>([
    [
      'what it wants itself where a room has no choice of its own',
      { notify_of: null },
      { mine: ['named', 'direct', 'followed'], all: ['plain', 'named', 'direct', 'followed'] },
    ],
    [
      'all of it where a room is to tell of all',
      { notify_of: 'all' },
      { mine: ['plain', 'named', 'direct', 'followed'], all: ['plain', 'named', 'direct', 'followed'] },
    ],
    [
      'mentions and followed threads where a room is to tell of mentions alone',
      { notify_of: 'mentions' },
      { mine: ['named', 'followed'], all: ['named', 'followed'] },
    ],
    [
      'nothing where a room is muted, whatever else was chosen for it',
      { notify_of: 'all', is_muted: true },
      { mine: [], all: [] },
    ],
  ])('a device is notified of %s', async (_what, body, told) => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const { id: room } = await aRoom({ owner: ann, members: [bob] });
    const direct = await call('POST', '/api/conversations', { token: bob.token, body: { users: [ann.username] } });
    const conversation = (direct.body as { _id: { $oid: string } })._id.$oid;
    const [mine, all] = [await subscribed(ann), await subscribed({ token: await aSession(call, ann) }, { of: 'all' })];
    const followed = await aMessage(ann, room, { text: 'Lunch?' });
    const left = await aMessage(ann, room, { text: 'Owls?' });
    await aMessage(bob, room, { text: 'unread', thread: left._id.$oid });
    const unfollowed = { token: ann.token, body: { is_followed: false } };
    expect((await call('PATCH', `/api/threads/${left._id.$oid}`, unfollowed)).status).toBe(200);
    for (const one of [room, conversation]) {
      const path = `/api/members/${await membershipOf(one, ann)}`;
      expect((await call('PATCH', path, { token: ann.token, body })).status).toBe(200);
    }
    const texts = { plain: 'Hello', named: `@${ann.username}`, direct: 'between us', followed: 'At noon', unfollowed: 'Two' };
    for (const [which, text] of Object.entries(texts)) {
      const thread = { followed, unfollowed: left }[which]?._id.$oid;
      const one = which === 'direct' ? conversation : room;
      await aMessage(bob, one, { text, ...(thread && { thread }) });
      await tellOfRoom(one);
    }
    const named = (device: Device) => textsOf(device).map((said) => Object.entries(texts).find(([, text]) => text === said)?.[0]);
    expect({ mine: named(mine), all: named(all) }).toEqual(told);
  });

  it('a device is notified of each message once', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    await aMessage(bob, room, { text: `@${ann.username} one` });
    for (let times = 0; times < 3; times++) await tellOfRoom(room);
    await aMessage(bob, room, { text: `@${ann.username} two` });
    await Promise.all([tellOfRoom(room), tellOfRoom(room)]);
    expect(textsOf(device)).toEqual([`@${ann.username} one`, `@${ann.username} two`]);
  });

  it.each<[string, (one: Awaited<ReturnType<typeof twoInARoom>> & { seq: number; message: string }) => Promise<unknown>]>([
    [
      'that its user has read',
      async ({ ann, room, seq }) =>
        call('PATCH', `/api/members/${await membershipOf(room, ann)}`, {
          token: ann.token,
          body: { last_read: seq },
        }),
    ],
    ['that was deleted', ({ bob, message }) => call('DELETE', `/api/messages/${message}`, { token: bob.token })],
    [
      'of a room that its user has muted',
      async ({ ann, room }) =>
        call('PATCH', `/api/members/${await membershipOf(room, ann)}`, {
          token: ann.token,
          body: { is_muted: true },
        }),
    ],
    [
      'of a room that its user has left',
      async ({ ann, room }) => call('DELETE', `/api/members/${await membershipOf(room, ann)}`, { token: ann.token }),
    ],
    [
      'once its token has ended',
      async ({ ann: { token } }) => {
        const { body } = await call('GET', '/api/tokens', { token });
        return call('DELETE', `/api/tokens/${(body as { _id: { $oid: string } }[])[0]?._id.$oid}`, { token });
      },
    ],
    [
      'while its user wants no notifications',
      ({ ann: { token } }) =>
        call('PATCH', '/api/users/me', { token, body: { quiet_until: new Date(Date.now() + 60_000).toISOString() } }),
    ],
    ['once it is unsubscribed', ({ ann }) => call('DELETE', path, ann)],
  ])('a device is not told of a message %s', async (_what, happens) => {
    const both = await twoInARoom();
    const { seq, _id } = await aMessage(both.bob, both.room, { text: `@${both.ann.username} hello` });
    await happens({ ...both, seq, message: _id.$oid });
    await tellOfRoom(both.room);
    expect(both.device.pushes).toEqual([]);
  });

  it('a device is notified again when its user ends the pause, or it expires', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    const pause = async (quiet_until: string | null) => {
      const { status, body } = await call('PATCH', '/api/users/me', { token: ann.token, body: { quiet_until } });
      expect([status, 'quiet_until' in (body as object)]).toEqual([200, quiet_until !== null]);
      await aMessage(bob, room, { text: `@${ann.username}` });
      await tellOfRoom(room);
      return device.pushes.length;
    };
    expect(await pause('2100-01-01T00:00:00Z')).toBe(0);
    expect(await pause(null)).toBe(1);
    expect(await pause('2020-01-01T00:00:00Z')).toBe(2);
    const { body } = await call('GET', `/api/users/${ann.id}`, { token: bob.token });
    expect(body).not.toHaveProperty('quiet_until');
    const wrong = await call('PATCH', '/api/users/me', { token: ann.token, body: { quiet_until: 'later' } });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
  });

  it('a device is not notified in the quiet hours of its user, in their time zone, and is notified after them', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    /** The time of day in this many hours, in another time zone than the service's. */
    const clock = (hours: number) => new Date(Date.now() + (hours + 9) * 3_600_000).toISOString().slice(11, 16);
    const told = async (quiet_hours: object | null) => {
      const { status, body } = await call('PATCH', '/api/users/me', { token: ann.token, body: { quiet_hours } });
      expect([status, (body as { quiet_hours?: object }).quiet_hours ?? null]).toEqual([200, quiet_hours]);
      await aMessage(bob, room, { text: `@${ann.username}` });
      await tellOfRoom(room);
      return device.pushes.length;
    };
    const time_zone = 'Asia/Tokyo';
    expect(await told({ from: clock(-1), to: clock(1), time_zone })).toBe(0);
    expect(await told({ from: clock(1), to: clock(2), time_zone })).toBe(1);
    expect(await told({ from: clock(-1), to: clock(1), time_zone })).toBe(1);
    expect(await told(null)).toBe(2);
    expect((await call('GET', `/api/users/${ann.id}`, { token: bob.token })).body).not.toHaveProperty('quiet_hours');
  });

  it.each([
    ['a time that no clock shows', { from: '24:00', to: '07:00', time_zone: 'UTC' }],
    ['a time zone that there is not', { from: '22:00', to: '07:00', time_zone: 'Mars/Olympus' }],
    ['hours that are none', { from: '22:00', to: '22:00', time_zone: 'UTC' }],
    ['no end', { from: '22:00', time_zone: 'UTC' }],
    ['what is not known', { from: '22:00', to: '07:00', time_zone: 'UTC', days: [1] }],
    ['a text', '22:00-07:00'],
  ])('a device has no quiet hours with %s', async (_what, quiet_hours) => {
    const { token } = await anAccount();
    expect(await call('PATCH', '/api/users/me', { token, body: { quiet_hours } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter' },
    });
    expect((await call('GET', '/api/users/me', { token })).body).not.toHaveProperty('quiet_hours');
  });

  it('a device is not notified of messages from before it subscribed or its user joined', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: bob });
    await aMessage(bob, room.id, { text: `@${ann.username} early` });
    await addMember(room, ann);
    const device = await subscribed(ann, { of: 'all' });
    await tellOfRoom(room.id);
    expect(device.pushes).toEqual([]);
  });

  it('a device is notified later if the push service is busy, and of each message once', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    device.answer = { status: 429, retryAfter: '5' };
    await aMessage(bob, room, { text: `@${ann.username} one` });
    await tellOfRoom(room);
    const { retry } = (await pushSubscriptions.findOne({ endpoint: device.endpoint })) ?? {};
    expect(retry?.rooms).toEqual([new ObjectId(room)]);
    await retryDevices();
    expect(device.pushes).toEqual([]);
    device.answer = { status: 201 };
    await pushSubscriptions.updateOne({ endpoint: device.endpoint }, { $set: { 'retry.at': new Date() } });
    await Promise.all([retryDevices(), retryDevices()]);
    expect(textsOf(device)).toEqual([`@${ann.username} one`]);
    expect(await pushSubscriptions.findOne({ endpoint: device.endpoint })).not.toHaveProperty('retry');
  });

  it('a device is forgotten with its token: by signing out, by a new password, and with the account', async () => {
    const { ann, device } = await twoInARoom();
    const sessions = await Promise.all([1, 2, 3].map(() => aSession(call, ann)));
    const others: Device[] = [];
    for (const token of sessions) others.push(await subscribed({ token }));
    const left = async () => {
      const found = await pushSubscriptions.find({ user: new ObjectId(ann.id) }).toArray();
      return [device, ...others].map(({ endpoint }) => found.some((one) => one.endpoint === endpoint));
    };
    const [first = '', second = ''] = sessions;
    const { body } = await call('GET', '/api/sessions', { token: first });
    const own = (body as { _id: { $oid: string }; is_current: boolean }[]).find(({ is_current }) => is_current);
    await call('DELETE', `/api/sessions/${own?._id.$oid}`, { token: first });
    expect(await left()).toEqual([true, false, true, true]);
    await call('DELETE', '/api/sessions', { token: second });
    expect(await left()).toEqual([true, false, true, false]);
    await call('DELETE', '/api/users/me', { token: second, body: { current_password: ann.password } });
    expect(await left()).toEqual([false, false, false, false]);
  });

  it('a device is notified while the push service of another device does not answer', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    const other = await subscribed({ token: await aSession(call, ann) });
    device.answer = 'none';
    await aMessage(bob, room, { text: `@${ann.username} one` });
    await withPatience({ pushService: 500 }, async () => {
      const telling = tellOfRoom(room);
      await expect.poll(() => textsOf(other)).toEqual([`@${ann.username} one`]);
      expect(await telling).toBe('all');
    });
    const { retry } = (await pushSubscriptions.findOne({ endpoint: device.endpoint })) ?? {};
    expect(retry?.at.getTime()).toBeGreaterThan(Date.now());
  });

  it.each([404, 410])('a device is forgotten when the push service answers %i', async (status) => {
    const { ann, bob, room, device } = await twoInARoom();
    device.answer = { status };
    await aMessage(bob, room, { text: `@${ann.username} one` });
    await tellOfRoom(room);
    expect(await pushSubscriptions.findOne({ endpoint: device.endpoint })).toBeNull();
  });

  it('a device is forgotten after ten refusals in a row', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    const tell = async (status: number, times: number) => {
      device.answer = { status };
      for (let time = 0; time < times; time++) {
        await aMessage(bob, room, { text: `@${ann.username} ${time}` });
        await tellOfRoom(room);
      }
      return pushSubscriptions.countDocuments({ endpoint: device.endpoint });
    };
    expect([await tell(413, 9), await tell(201, 1), await tell(413, 9), await tell(413, 1)]).toEqual([1, 1, 1, 0]);
  });

  it('a device on which somebody else signs in is not notified of the first user’s messages', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    const { key } = (await call('GET', path, bob)).body as { key: string };
    await call('PUT', path, { token: bob.token, body: subscriptionOf(device, key) });
    await aMessage(bob, room, { text: `@${ann.username} one` });
    await tellOfRoom(room);
    expect(device.pushes).toEqual([]);
  });

  it('a device is notified again after a process died during a push, which may have arrived', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    await aMessage(bob, room, { text: `@${ann.username} one` });
    await tellOfRoom(room);
    const { seq = 0 } = (await pushed.findOne({ _id: new ObjectId(room) })) ?? {};
    // It died after the push and before it stored that. Its lease has expired.
    await pushed.updateOne({ _id: new ObjectId(room) }, { $set: { seq: seq - 1, leased_until: new Date(Date.now() - 1) } });
    await tellOfRoom(room);
    expect(device.pushes.map(({ payload }) => payload.seq)).toEqual([seq, seq]);
    // While it lives, no other process notifies.
    await pushed.updateOne({ _id: new ObjectId(room) }, { $set: { seq: 0, leased_until: new Date(Date.now() + 20_000) } });
    expect(await tellOfRoom(room)).toBe('taken');
  });

  it('a process that was overtaken sets no place back when it ends, and lets no third one tell', async () => {
    const { ann, bob, room, device } = await twoInARoom();
    device.answer = 'none';
    const { seq } = await aMessage(bob, room, { text: `@${ann.username} one` });
    // Another process has notified in the meantime, of later messages as well.
    const other = { seq: seq + 5, holder: new ObjectId(), leased_until: new Date(Date.now() + 20_000) };
    await withPatience({ pushService: 1_000 }, async () => {
      const overtaken = tellOfRoom(room);
      await expect.poll(() => device.asked).toBe(1);
      await pushed.updateOne({ _id: new ObjectId(room) }, { $set: other });
      await overtaken;
    });
    expect(await pushed.findOne({ _id: new ObjectId(room) })).toMatchObject(other);
    expect(await tellOfRoom(room)).toBe('taken');
  });
});

const membershipOf = async (room: string, { token }: Account): Promise<string> => {
  const { body } = await call('GET', '/api/members?user=me', { token });
  const mine = body as { _id: { $oid: string }; room: { $oid: string } }[];
  return mine.find((one) => one.room.$oid === room)?._id.$oid ?? '';
};

async function twoInARoom() {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoomOf([bob, ann]);
  return { ann, bob, room, device: await subscribed(ann) };
}

describe('the schedule', () => {
  it('the schedule tells of each room that was missed, also one that another process has until it has let go', async () => {
    const [first, second] = [await mentioned(), await mentioned()];
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
    for (const [room, since] of [
      [first.room, -80],
      [second.room, -70],
    ] as const)
      await rooms.updateOne({ _id: new ObjectId(room) }, { $set: { changed_at: inSeconds(since) } });
    await pushed.insertOne({ _id: new ObjectId(first.room), seq: 0, leased_until: inSeconds(1) });
    await runSchedule();
    const texts = [first, second].map(({ ann }) => [`@${ann.username} hello`]);
    expect([textsOf(first.device), textsOf(second.device)]).toEqual(texts);
  });
});

/** A room in which a user with a device was mentioned and not notified yet. */
async function mentioned() {
  const { ann, bob, room, device } = await twoInARoom();
  await aMessage(bob, room, { text: `@${ann.username} hello` });
  return { ann, room, device };
}

describe('the text of a message', () => {
  const tellHim = async (bob: Account) => {
    const [ann, device] = [await anAccount(), await subscribed(bob)];
    const room = await aRoomOf([ann, bob]);
    const { seq } = await aMessage(ann, room, { text: `@${bob.username} lunch?` });
    await tellOfRoom(room);
    const { payload } = device.pushes[0] ?? {};
    return { payload, rest: { type: 'messages', count: 1, room, seq, author: ann.username, room_name: 'Test' } };
  };
  const hide = ({ token }: Account, hides_push_text: boolean) =>
    call('PATCH', '/api/users/me', { token, body: { hides_push_text } });

  it('the text of a message is in a push, unless the user wants that it is not, until they want it again', async () => {
    const bob = await anAccount();
    const first = await tellHim(bob);
    expect(first.payload).toEqual({ ...first.rest, text: `@${bob.username} lunch?` });
    expect(await hide(bob, true)).toMatchObject({ status: 200, body: { hides_push_text: true } });
    const second = await tellHim(bob);
    expect(second.payload).toEqual(second.rest);
    const { status, body } = await hide(bob, false);
    expect([status, Object.keys(body as object)]).toEqual([200, expect.not.arrayContaining(['hides_push_text'])]);
    const third = await tellHim(bob);
    expect(third.payload).toEqual({ ...third.rest, text: `@${bob.username} lunch?` });
  });
});
