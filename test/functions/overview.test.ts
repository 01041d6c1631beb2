import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { activities } from '../../lib/collections/accounts/activities.ts';
import { tokens } from '../../lib/collections/accounts/tokens.ts';
import { botWebhooks } from '../../lib/collections/delivery/bot-webhooks.ts';
import { webhookStates } from '../../lib/collections/delivery/webhook-states.ts';
import { files } from '../../lib/collections/rooms/files.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { backupName } from '../../lib/files/regular-backups.ts';
import { anAccount, anAdmin, aSession } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { withConfig } from '../support/config.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { invalid, refusals } from '../support/error-bodies.ts';
import { aFile } from '../support/files.ts';
import { aMessage } from '../support/messages.ts';
import { useOwnFiles } from '../support/own-files.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { aRoom, aRoomOf, everyPage, nextOf, succeed } from '../support/rooms.ts';
import { commandsOf, planOf } from '../support/sent-commands.ts';
import { inProcess as call } from '../support/transports.ts';
import { isEmbedded } from '../support/worker.ts';

useOwnFiles();
await useDatabaseOutside();

const admin = await anAdmin();
const { token } = admin;

type ListedRoom = { _id: { $oid: string }; name: string };
const idOf = ({ _id }: { _id: { $oid: string } }) => _id.$oid;
const list = async (path: string) =>
  (await everyPage(call, path, token)) as unknown[] as (ListedRoom & Record<string, unknown>)[];
const find = async (query: string) =>
  (await succeed(call('GET', `/api/overview/rooms?${query}`, { token }))).body as ListedRoom[];

/** The delivery state of a webhook that has failed since a time. */
const failingState = (bot: ObjectId | undefined, failing_since: Date, more: object = {}) =>
  webhookStates.insertOne({
    _id: new ObjectId(),
    room: new ObjectId(),
    ...(bot && { bot }),
    seq: 0,
    holder: null,
    leased_until: new Date(0),
    failures: 1,
    failing_since,
    retry_at: null,
    disabled_at: null,
    deliveries: [],
    ...more,
  });

const aWord = () => `owl${crypto.randomUUID()}`;

describe('/api/overview/rooms', () => {
  it('/api/overview/rooms lists all rooms by name to administrators, also hidden and archived ones, with facts for decisions', async () => {
    const word = aWord();
    const member = await anAccount();
    const hidden = await aRoom({ name: `${word} b`, is_visible: false, is_open: false, members: [member] });
    const archived = await aRoom({ name: `${word} a`, archived: true });
    await aMessage(member, hidden.id);
    const expected = {
      topic: '',
      owner_count: 1,
      created_at: anyDate,
      is_default: false,
      is_held: false,
      retention_days: null,
    };
    expect(await find(`q=${word}`)).toEqual([
      {
        ...expected,
        _id: { $oid: archived.id },
        name: `${word} a`,
        member_count: 1,
        message_count: 0,
        last_message_at: null,
        archived_at: anyDate,
        is_open: true,
        is_visible: true,
      },
      {
        ...expected,
        _id: { $oid: hidden.id },
        name: `${word} b`,
        member_count: 2,
        message_count: 1,
        last_message_at: anyDate,
        archived_at: null,
        is_open: false,
        is_visible: false,
      },
    ]);
  });

  it('/api/overview/rooms pages through the rooms without skipping or repeating one, and leaves direct conversations out', async () => {
    const word = aWord();
    const [one, other] = [await anAccount(), await anAccount()];
    const made = [];
    for (let at = 0; at < 5; at++) made.push((await aRoom({ owner: one, name: word })).id);
    const conversation = (await succeed(call('POST', '/api/conversations', { token: one.token, body: { users: [other.id] } })))
      .body as ListedRoom & { room: { $oid: string } };
    expect((await list(`/api/overview/rooms?q=${word}&limit=2`)).map(idOf)).toEqual(made.toSorted());
    const all = (await list('/api/overview/rooms?limit=2')).map(idOf);
    expect(all).toEqual(expect.arrayContaining(made));
    expect(new Set(all).size).toBe(all.length);
    const room = conversation.room?.$oid ?? conversation._id.$oid;
    expect(all).not.toContain(room);
    expect(await find(`room=${room}`)).toEqual([]);
    // A made-up cursor does not reveal them either.
    const before = Buffer.from('\u0001').toString('base64url');
    expect((await list(`/api/overview/rooms?limit=200&after=${before}`)).map(idOf)).not.toContain(room);
  });

  it('/api/overview/rooms finds a room by its id', async () => {
    const room = await aRoom();
    expect((await find(`room=${room.id}`)).map(idOf)).toEqual([room.id]);
    expect(await find(`room=${new ObjectId()}`)).toEqual([]);
    expect(outcome(await call('GET', `/api/overview/rooms?room=${room.id}&q=x`, { token }))).toEqual({
      status: 400,
      body: invalid('room', "not be combined with 'q'"),
    });
  });

  it('/api/overview/rooms is answered by an index in the order of the names', async () => {
    const [sent] = (await commandsOf(() => find('limit=1'))).filter(({ name }) => name === 'find');
    const stages = await planOf(sent as NonNullable<typeof sent>);
    expect(stages).toContain('IXSCAN');
    if (isEmbedded) expect(stages).not.toContain('SORT');
  });
});

describe('/api/rooms/{room}/usage', () => {
  it('/api/rooms/{room}/usage counts the data that a deletion removes, and names the owners', async () => {
    const owner = await anAccount({ name: 'Ann Owner' });
    const room = await aRoom({ owner, members: [await anAccount()] });
    const path = `${room.path}/usage`;
    await succeed(call('POST', `${room.path}/invitations`, { token: owner.token, body: {} }));
    await succeed(call('POST', `${room.path}/webhooks`, { token: owner.token, body: {} }));
    const file = await aFile(owner, room.id);
    await succeed(call('POST', '/api/messages', { token: owner.token, body: { room: room.id, files: [file.id] } }));
    // It is announced, but not part of a message.
    await aFile(owner, room.id);
    expect(outcome(await call('GET', path, { token }))).toEqual({
      status: 200,
      body: {
        members: 2,
        messages: 1,
        files: 1,
        file_bytes: 5,
        invitations: 1,
        webhooks: 1,
        owners: [{ user: { $oid: owner.id }, username: owner.username, name: 'Ann Owner' }],
      },
    });
    expect(outcome(await call('GET', path, { token: owner.token }))).toEqual(refusals.denied());
    expect(outcome(await call('GET', `/api/rooms/${new ObjectId()}/usage`, { token }))).toEqual(refusals.noSuch('room'));
  });
});

describe('a hold', () => {
  it('a hold is set and lifted by administrators, who alone see it, and no event tells of it', async () => {
    const room = await aRoom();
    const hold = (who: string, is_held: boolean, more = {}) =>
      call('PATCH', `${room.path}/details`, { token: who, body: { is_held, ...more } });
    const isHeld = async () => (await find(`room=${room.id}`))[0];
    expect(outcome(await hold(room.owner.token, true))).toEqual(refusals.denied('Admin required.'));
    const held = await hold(token, true);
    expect(held.status).toBe(200);
    expect(held.body).not.toHaveProperty('is_held');
    expect(await isHeld()).toMatchObject({ is_held: true });
    expect((await call('GET', `/api/events?room=${room.id}&after=0`, { token: room.owner.token })).body).toEqual([]);
    // A request with another change makes both.
    expect((await hold(token, false, { topic: 'News' })).body).toMatchObject({ topic: 'News' });
    expect(await isHeld()).toMatchObject({ is_held: false });
    expect(outcome(await call('PATCH', `/api/rooms/${new ObjectId()}/details`, { token, body: { is_held: true } }))).toEqual(
      refusals.noSuch('room'),
    );
  });

  it('a hold is not set if the room is not as If-Match says', async () => {
    const room = await aRoom();
    const reply = await call('PATCH', `${room.path}/details`, {
      token,
      body: { is_held: true },
      headers: { 'if-match': '"other"' },
    });
    expect(reply.status).toBe(412);
    expect((await find(`room=${room.id}`))[0]).toMatchObject({ is_held: false });
  });
});

describe('/api/overview/invitations', () => {
  it('/api/overview/invitations lists the invitations of all rooms that can still be used, with their rooms and makers, page by page', async () => {
    const owner = await anAccount({ name: 'Ann Owner' });
    const made: string[] = [];
    for (const name of ['One', 'Two', 'Three']) {
      const room = await aRoom({ owner, name });
      for (let at = 0; at < 3; at++)
        made.push(
          idOf(
            (await succeed(call('POST', `${room.path}/invitations`, { token: owner.token, body: { uses: 4 } })))
              .body as ListedRoom,
          ),
        );
    }
    const all = await list('/api/overview/invitations?limit=2');
    expect(all.filter(({ created_by }) => (created_by as { $oid: string }).$oid === owner.id).map(idOf)).toEqual(made);
    const first = all.find((one) => idOf(one) === made[0]);
    expect(first).toEqual({
      _id: { $oid: made[0] },
      room: expect.anything(),
      room_name: 'One',
      hint: expect.stringMatching(/^\w{4}$/),
      created_by: { $oid: owner.id },
      creator: { username: owner.username, name: 'Ann Owner' },
      created_at: anyDate,
      expires_at: null,
      uses_left: 4,
    });
    // An expired one, and one that is revoked at a cursor, are skipped.
    const room = first?.room as { $oid: string };
    await rooms.updateOne({ _id: new ObjectId(room.$oid) }, { $set: { 'invitations.1.expires_at': new Date(0) } });
    const page = await call('GET', '/api/overview/invitations?limit=1', { token });
    await succeed(call('DELETE', `/api/rooms/${room.$oid}/invitations/${made[0]}`, { token }));
    expect(((await succeed(call('GET', nextOf(page) as string, { token }))).body as ListedRoom[]).map(idOf)).not.toContain(
      made[1],
    );
    expect((await list('/api/overview/invitations')).map(idOf)).toEqual(expect.arrayContaining(made.slice(2)));
  });

  it('/api/overview/invitations refuses a cursor of another list', async () => {
    expect(outcome(await call('GET', '/api/overview/invitations?after=x', { token }))).toEqual({
      status: 400,
      body: invalid('after', "be a cursor from this list's Link header"),
    });
  });

  it('/api/overview/invitations asks an index which rooms have invitations', async () => {
    const [sent] = (await commandsOf(() => list('/api/overview/invitations'))).filter(({ name }) => name === 'find');
    expect(await planOf(sent as NonNullable<typeof sent>)).toContain('IXSCAN');
  });
});

describe('/api/overview/webhooks', () => {
  it('/api/overview/webhooks lists the webhooks of all rooms without secrets, with their last failure and state', async () => {
    const room = await aRoom({ name: 'Builds' });
    const add = async (body: object) =>
      (await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body }))).body as ListedRoom & {
        secret: string;
      };
    const incoming = await add({ name: 'In' });
    const outgoing = await add({ name: 'Out', url: 'https://example.org/hook' });
    const at = new Date();
    const delivery = { seq: 1, type: 'message.created', at, milliseconds: 3 };
    await webhookStates.insertOne({
      _id: new ObjectId(idOf(outgoing)),
      room: new ObjectId(room.id),
      seq: 0,
      holder: null,
      leased_until: new Date(0),
      failures: 2,
      failing_since: at,
      retry_at: null,
      disabled_at: at,
      deliveries: [
        { ...delivery, status: 500, answer: 'full' },
        { ...delivery, status: null, answer: 'no answer' },
        { ...delivery, status: 204, answer: '' },
      ],
    });
    const all = await list('/api/overview/webhooks?limit=1');
    expect(JSON.stringify(all)).not.toContain(incoming.secret);
    expect(JSON.stringify(all)).not.toContain(outgoing.secret);
    const shown = { room: { $oid: room.id }, room_name: 'Builds', creator: { username: room.owner.username } };
    expect(all.filter((one) => (one.room as { $oid: string }).$oid === room.id)).toMatchObject([
      { ...shown, name: 'In', url: null, failing_since: null, disabled_at: null, last_failure: null },
      {
        ...shown,
        name: 'Out',
        url: 'https://example.org/hook',
        failing_since: anyDate,
        disabled_at: anyDate,
        last_failure: { status: null, answer: 'no answer', at: anyDate },
      },
    ]);
  });

  it('/api/overview/webhooks lists the webhooks of bots after those of rooms, without their secrets, with the last failure of each', async () => {
    const room = await aRoom();
    const bot = await aBot(room.owner, { name: 'Deploys' });
    await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body: { name: 'In' } }));
    const body = { url: 'https://bot.example.org/', events: ['reaction.added'] };
    const { secret } = (await succeed(call('PUT', `${bot.path}/webhook`, { token: room.owner.token, body }))).body as {
      secret: string;
    };
    const [at, id] = [new Date(), new ObjectId(bot.id)];
    const failure = { seq: 1, type: 'message.created', at, milliseconds: 3, status: 500, answer: 'full' };
    const deliveries = [failure, { ...failure, status: 204 }].map((one) => ({ ...one, room: new ObjectId(room.id) }));
    await botWebhooks.updateOne({ _id: id }, { $set: { deliveries } });
    await failingState(id, new Date(1_000));
    await failingState(id, at);
    const all = await list('/api/overview/webhooks?limit=1');
    expect(JSON.stringify(all)).not.toContain(secret);
    const firstBot = all.findIndex((one) => one.bot !== null);
    expect(all.slice(firstBot).every((one) => one.bot !== null)).toBe(true);
    expect(all.map(idOf)).toEqual([...new Set(all.map(idOf))]);
    expect(all.find((one) => idOf(one) === bot.id)).toMatchObject({
      ...body,
      bot: { $oid: bot.id },
      room: null,
      room_name: null,
      name: 'Deploys',
      hint: secret.slice(-4),
      created_by: { $oid: room.owner.id },
      creator: { username: room.owner.username },
      failing_since: { $date: '1970-01-01T00:00:01.000Z' },
      disabled_at: null,
      last_failure: { seq: 1, status: 500, answer: 'full' },
    });
  });

  it('/api/overview/webhooks lists exactly those that are switched off and that the overview counts, of rooms and bots', async () => {
    const [room, other] = [await aRoom(), await aRoom()];
    const options = { token: room.owner.token };
    const add = async () =>
      idOf(
        (await succeed(call('POST', `${room.path}/webhooks`, { ...options, body: { url: 'https://example.org/hook' } })))
          .body as ListedRoom,
      );
    const [on, off] = [await add(), await add()];
    const bots = [await aBot(room.owner), await aBot(room.owner)];
    for (const { path } of bots)
      await succeed(call('PUT', `${path}/webhook`, { ...options, body: { url: 'https://example.org/hook' } }));
    await succeed(call('PATCH', `${room.path}/webhooks/${off}`, { ...options, body: { is_enabled: false } }));
    await succeed(call('PATCH', `${bots[0]?.path}/webhook`, { ...options, body: { is_enabled: false } }));
    // The state of a deleted webhook does not count.
    await failingState(undefined, new Date(), { room: new ObjectId(other.id), disabled_at: new Date() });
    const read = () => list('/api/overview/webhooks?is_off=true&limit=1');
    const listed = await read();
    const own = [on, off, ...bots.map(({ id }) => id)];
    expect(listed.map(idOf).filter((id) => own.includes(id))).toEqual([off, bots[0]?.id]);
    expect(listed.every((one) => one.disabled_at !== null)).toBe(true);
    const { body } = await call('GET', '/api/overview', { token });
    expect(body).toMatchObject({ webhooks_off: (await read()).length });
    // Administrators can also switch on webhooks of other users' bots.
    await succeed(call('PATCH', `${bots[0]?.path}/webhook`, { token, body: { is_enabled: true } }));
    expect((await read()).map(idOf)).not.toContain(bots[0]?.id);
  });
});

describe('/api/overview/files', () => {
  it('/api/overview/files lists the largest files and who has sent most, without the names of files', async () => {
    const owner = await anAccount();
    const room = await aRoomOf([owner], { name: 'Plans' });
    const send = async (bytes: string) => {
      const { id } = await aFile(owner, room, { bytes, name: 'Secret plans.txt' });
      await succeed(call('POST', '/api/messages', { token: owner.token, body: { room, files: [id] } }));
      return id;
    };
    const [small, large] = [await send('x'.repeat(100)), await send('y'.repeat(300))];
    const { status, body } = await call('GET', '/api/overview/files', { token });
    expect(status).toBe(200);
    const { files, users, bytes } = body as {
      files: ListedRoom[];
      users: { bytes: number; user: { $oid: string } }[];
      bytes: number;
    };
    expect(JSON.stringify(body)).not.toContain('Secret');
    expect(files.slice(0, 2).map(idOf)).toEqual([large, small]);
    expect(files[0]).toMatchObject({ bytes: 300, type: 'text/plain', room_name: 'Plans', username: owner.username, message: {} });
    expect(users[0]).toMatchObject({ user: { $oid: owner.id }, bytes: 400, username: owner.username });
    expect(bytes).toBeGreaterThanOrEqual(400);
    const plan = await planOfFiles();
    expect(plan).toContain('"indexName":"bytes"');
  });
});

const planOfFiles = async () =>
  JSON.stringify(
    await files.find({ bytes: { $gt: 0 }, state: 'bound' }, { sort: { bytes: -1 }, limit: 50 }).explain('queryPlanner'),
  );

describe('/api/overview', () => {
  const read = async () =>
    (await succeed(call('GET', '/api/overview', { token }))).body as { attention: string[] } & Record<string, number>;

  it('/api/overview counts what there is, for administrators alone', async () => {
    const byDay = ({ messages_by_day }: Awaited<ReturnType<typeof read>>) => messages_by_day as unknown as number[];
    let before = await read();
    // The days before are counted first, and a request counts for two seconds.
    while (byDay(before).at(-1) === null) before = await read();
    const one = await anAccount();
    const room = await aRoomOf([one, await anAccount()]);
    await aMessage(one, room);
    const after = await read();
    expect(after).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      started_at: anyDate,
      people: (before.people ?? 0) + 2,
      rooms: (before.rooms ?? 0) + 1,
      messages: (before.messages ?? 0) + 1,
      webhooks_off: before.webhooks_off,
      database_problem: null,
    });
    expect(after.today).toBe(new Date().toISOString().slice(0, 10));
    expect(byDay(after)).toHaveLength(30);
    if (before.today === after.today) expect(byDay(after).at(-1)).toBe((byDay(before).at(-1) ?? Number.NaN) + 1);
    expect(outcome(await call('GET', '/api/overview', { token: one.token }))).toEqual(refusals.denied());
  });

  it('/api/overview counts who used a session today, in the last 7 days and in the last 30, also after the session has ended', async () => {
    const day = 86_400_000;
    const people = await Promise.all(Array.from({ length: 4 }, () => anAccount()));
    const idsOf = (some: typeof people) => some.map(({ id }) => new ObjectId(id));
    const seen = () => activities.countDocuments({ _id: { $in: idsOf(people) } });
    const before = await read();
    for (const person of people) {
      // A named token belongs to a program, so its use does not count.
      await succeed(call('GET', '/api/users/me', { token: person.token }));
      const session = await aSession(call, person);
      await succeed(call('GET', '/api/users/me', { token: session }));
      await succeed(call('DELETE', '/api/sessions/current', { token: session }));
    }
    await expect.poll(seen).toBe(4);
    const [, thisWeek, thisMonth, earlier] = idsOf(people);
    const startOfToday = Math.floor(Date.now() / day) * day;
    await activities.updateOne({ _id: thisWeek as ObjectId }, { $set: { at: new Date(startOfToday - 1) } });
    await activities.updateOne({ _id: thisMonth as ObjectId }, { $set: { at: new Date(startOfToday - 29 * day) } });
    await activities.updateOne({ _id: earlier as ObjectId }, { $set: { at: new Date(startOfToday - 29 * day - 1) } });
    const after = await read();
    const more = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect([more('active_today'), more('active_7_days'), more('active_30_days')]).toEqual([1, 2, 3]);
    await deleteUser(thisMonth as ObjectId);
    expect(await seen()).toBe(3);
  });

  it('/api/overview counts who is active by an index', async () => {
    const [sent] = (await commandsOf(read)).filter(({ collection }) => collection === 'activities');
    expect(await planOf(sent as NonNullable<typeof sent>)).toContain('IXSCAN');
  });

  it('/api/overview does not take a named token for somebody who is there', async () => {
    const { id, token } = await anAccount();
    await succeed(call('GET', '/api/users/me', { token }));
    const lastUse = async () => (await tokens.findOne({ user: new ObjectId(id) }))?.last_used_at;
    await expect.poll(lastUse).toBeInstanceOf(Date);
    expect(await activities.countDocuments({ _id: new ObjectId(id) })).toBe(0);
  });

  it('/api/overview tells that webhooks are switched off', async () => {
    expect((await read()).attention).toContain('webhooks_off');
  });

  it('/api/overview tells that the last regular backup is too old, and when it was', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'backups-'));
    await withConfig({ BACKUP_DIR: directory, BACKUP_EVERY: '1h' }, async () => {
      await mkdir(join(directory, backupName(Date.parse('2026-01-02T03:04:05Z'))));
      const old = await read();
      expect(old).toMatchObject({ backup_at: { $date: '2026-01-02T03:04:05.000Z' } });
      expect(old.attention).toContain('backup_late');
      expect(old.attention).not.toContain('backup_missing');
      await mkdir(join(directory, backupName(Date.now() - 60_000)));
      expect((await read()).attention).not.toContain('backup_late');
    });
  });
});
