import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { storeNotes } from '../../lib/rooms/notes.ts';
import { aName, anAccount, anAddress, logIn } from '../support/accounts.ts';
import { anyCharacter } from '../support/characters.ts';
import { claim, directory, historyIn, historyOf, read, roomNamed } from '../support/imported.ts';
import { mailsTo } from '../support/mail.ts';
import { admin as command } from '../support/run-command.ts';
import { type SlackExport, slackMessage, slackUser, tsOf, writeSlackExport } from '../support/slack-export.ts';
import { inProcess as call } from '../support/transports.ts';
import { zipOf } from '../support/zip.ts';

/** A workspace of its own, whose archives can be imported one after the other. */
function aWorkspace() {
  const workspace = aName();
  return {
    workspace,
    /** Imports what a workspace has exported, and returns the report. */
    run: async (exported: SlackExport, ...words: string[]) => {
      const file = join(directory, `${aName()}.zip`);
      await writeSlackExport(file, exported);
      const ended = await command(['import', 'slack', file, '--workspace', workspace, '--json', ...words]);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(ended.stdout);
    },
  };
}

/** A workspace with two people and a room, whose names no other test has. */
function aTeam() {
  const [ann, bob, room] = [aName(), aName(), aName()];
  const users = [slackUser('U1', ann), slackUser('U2', bob)];
  const channel = { id: 'C1', name: room, creator: 'U1', created: 1_577_836_800, members: ['U1', 'U2'] };
  return { ann, bob, room, users, channel, ...aWorkspace() };
}

const isActive = async (username: string): Promise<boolean> =>
  JSON.parse((await command(['user', 'show', username, '--json'])).stdout).is_active;

describe('import slack', () => {
  it('import slack brings a room over as the API shows it: order, authors, times, threads, reactions, edits and pins', async () => {
    const { ann, bob, room, users, channel, run } = aTeam();
    const days = {
      [`${room}/2020-01-02`]: [slackMessage('U2', 90_000, 'Last')],
      [`${room}/2020-01-01`]: [
        slackMessage('U1', 1, `Hello <@U2>, *see* <https://example.org/a_b|this> &amp; <#C1> :tada:`, {
          thread_ts: tsOf(1),
          reactions: [{ name: '+1', users: ['U2', 'U1'], count: 2 }],
        }),
        slackMessage('U1', 5, 'Third', { edited: { user: 'U1', ts: tsOf(6) } }),
        slackMessage('U2', 3, 'Hidden reply', { thread_ts: tsOf(1) }),
        slackMessage('U2', 4, 'Shown reply', { thread_ts: tsOf(1), subtype: 'thread_broadcast' }),
      ],
    };
    const report = await run({
      users,
      channels: [{ ...channel, topic: { value: 'All of it' }, pins: [{ id: tsOf(5), created: 1_577_900_000 }] }],
      days,
    });
    expect(report.counts).toMatchObject({
      people: { read: 2, written: 2 },
      rooms: { read: 1, written: 1 },
      members: { read: 2, written: 2 },
      messages: { read: 5, written: 5 },
      reactions: { read: 2, written: 2 },
    });

    const id = await roomNamed(room);
    const history = await historyIn(id);
    expect(history.map(({ username, text, seq }) => [seq, username, text])).toEqual([
      [1, ann, `Hello @${bob}, **see** [this](https://example.org/a_b) & #${room} 🎉`],
      [2, bob, 'Hidden reply'],
      [3, bob, 'Shown reply'],
      [4, ann, 'Third'],
      [5, bob, 'Last'],
    ]);
    const [first, hidden, shown, third] = history as [Message, Message, Message, Message];
    expect(first).toMatchObject({
      created_at: { $date: '2020-01-01T00:00:01.000Z' },
      mentions: [hidden.user],
      reactions: [{ emoji: '👍', users: [hidden.user, first.user] }],
      reply_count: 2,
      repliers: [hidden.user],
      replied_at: shown.created_at,
    });
    expect([hidden, shown].map(({ thread, is_in_room }) => ({ thread, is_in_room }))).toEqual([
      { thread: first._id, is_in_room: false },
      { thread: first._id, is_in_room: true },
    ]);
    expect(third).toMatchObject({
      edited_at: { $date: '2020-01-01T00:00:06.000Z' },
      pinned_at: { $date: '2020-01-01T17:33:20.000Z' },
    });
    expect(await read(`/api/rooms/${id}/details`)).toMatchObject({
      topic: 'All of it',
      message_count: 4,
      created_at: { $date: '2020-01-01T00:00:00.000Z' },
      last_message_at: { $date: '2020-01-02T01:00:00.000Z' },
      archived_at: null,
    });
    expect(((await read(`/api/messages?room=${id}&q=${'Third'}`)) as Message[]).map(({ text }) => text)).toContain('Third');
  });

  it('import slack makes accounts that an administrator lets people claim, who find everything read and no unread mentions', async () => {
    const { ann, bob, room, users, channel, run } = aTeam();
    await run({
      users,
      channels: [channel],
      days: {
        [`${room}/2020-01-01`]: [
          slackMessage('U1', 1, 'Hello <@U2> <!channel>'),
          slackMessage('U2', 2, 'Reply', { thread_ts: tsOf(1) }),
        ],
      },
    });
    expect((await logIn(call, ann, '')).status).toBeGreaterThanOrEqual(400);
    const claimed = await claim(bob);
    const rooms = (await read('/api/members?user=me&limit=200', claimed.token)) as Record<string, unknown>[];
    expect(
      rooms.map(({ room_name, unread, unread_mentions, unread_threads, role }) => [
        room_name,
        unread,
        unread_mentions,
        unread_threads,
        role,
      ]),
    ).toEqual([[room, 0, 0, 0, 'member']]);
    const id = await roomNamed(room);
    const sent = await call('POST', '/api/messages', { token: claimed.token, body: { room: id, text: 'Now here' } });
    expect(sent.body).toMatchObject({ seq: 3 });
    const owner = await claim(ann);
    expect(((await read('/api/members?user=me&limit=200', owner.token)) as { unread: number; role: string }[])[0]).toMatchObject({
      unread: 1,
      role: 'owner',
    });
  });

  it('import slack lets people claim their accounts by the e-mail addresses that they had, and nobody without a code', async () => {
    const [ann, email] = [aName(), `${aName()}@example.org`];
    await aWorkspace().run({ users: [slackUser('U1', ann, { profile: { real_name: 'Ann', email } })] });
    expect((await logIn(call, ann, 'a horse, a battery')).status).toBe(401);
    const source = anAddress();
    expect((await call('POST', '/api/codes', { body: { email, purpose: 'password' }, source })).status).toBe(204);
    const body = { code: mailsTo(email).at(-1)?.code, password: 'a horse, a battery' };
    expect((await call('PUT', '/api/password', { body })).status).toBe(204);
    expect((await logIn(call, ann, 'a horse, a battery')).status).toBe(201);
  });

  it('import slack changes nothing when it runs again, and a later archive appends its new messages', async () => {
    const { ann, bob, room, users, channel, run } = aTeam();
    const first = [slackMessage('U1', 1, 'One', { reactions: [{ name: 'owl', users: ['U2'] }] }), slackMessage('U2', 2, 'Two')];
    const exported = { users, channels: [channel], days: { [`${room}/2020-01-01`]: first } };
    await run(exported);
    const id = await roomNamed(room);
    const before = await historyIn(id);
    expect((await run(exported)).counts).toMatchObject({
      people: { read: 2, written: 0, present: 2 },
      rooms: { read: 1, written: 0, present: 1 },
      members: { read: 2, written: 0, present: 2 },
      messages: { read: 2, written: 0, present: 2 },
      reactions: { read: 1, written: 0, present: 1 },
    });
    expect(await historyIn(id)).toEqual(before);

    const claimed = await claim(ann);
    await call('POST', '/api/messages', { token: claimed.token, body: { room: id, text: 'Written here' } });
    // The sender's read marker is stored a moment later.
    await storeNotes();
    const cal = aName();
    const later = {
      users: [...users, slackUser('U3', cal)],
      channels: [{ ...channel, members: ['U1', 'U2', 'U3'] }],
      days: {
        [`${room}/2020-01-01`]: [
          ...first,
          slackMessage('U3', 3, 'A reply', { thread_ts: tsOf(1) }),
          slackMessage('U3', 4, 'Three'),
        ],
      },
    };
    expect((await run(later)).counts).toMatchObject({
      people: { read: 3, written: 1, present: 2 },
      members: { read: 3, written: 1, present: 2 },
      messages: { read: 4, written: 2, present: 2 },
    });
    const after = await historyIn(id);
    expect(after.map(({ seq, username, text }) => [seq, username, text])).toEqual([
      [1, ann, 'One'],
      [2, bob, 'Two'],
      [3, ann, 'Written here'],
      [4, cal, 'A reply'],
      [5, cal, 'Three'],
    ]);
    expect(after[0]).toMatchObject({ reply_count: 1 });
    // Users who had read everything have also read the imported messages; others have not.
    expect(((await read('/api/members?user=me&limit=200', claimed.token)) as { unread: number }[])[0]).toMatchObject({
      unread: 0,
    });
    expect(((await read('/api/members?user=me&limit=200', (await claim(bob)).token)) as { unread: number }[])[0]).toMatchObject({
      unread: 2,
    });
    expect((await run(later)).counts.messages).toMatchObject({ read: 4, written: 0, present: 4 });
  });

  it('import slack does not bring back who has left a room here', async () => {
    const { bob, room, users, channel, run } = aTeam();
    const exported = { users, channels: [channel] };
    await run(exported);
    await command(['member', 'remove', await roomNamed(room), bob]);
    expect((await run(exported)).counts.members).toEqual({
      read: 2,
      written: 0,
      present: 1,
      leftOut: { 'who has left the room here': 1 },
    });
  });

  it('import slack brings conversations over as conversations, private rooms as private, and archived ones as archived', async () => {
    const { ann, bob, users, run } = aTeam();
    const cal = aName();
    const [secret, old] = [aName(), aName()];
    const report = await run({
      users: [...users, slackUser('U3', cal)],
      channels: [{ id: 'C1', name: old, members: ['U1'], is_archived: true, creator: 'U1' }],
      groups: [{ id: 'G1', name: secret, members: ['U1', 'U2'], creator: 'U2' }],
      dms: [
        { id: 'D1', members: ['U1', 'U2'] },
        { id: 'D2', members: ['U1'] },
        { id: 'D3', members: ['U2', 'U3'] },
      ],
      mpims: [{ id: 'G2', name: 'mpdm-a--b--c-1', members: ['U1', 'U2', 'U3'] }],
      days: {
        'D1/2020-01-01': [slackMessage('U1', 1, 'For two')],
        'D2/2020-01-01': [slackMessage('U1', 2, 'To myself')],
        'mpdm-a--b--c-1/2020-01-01': [slackMessage('U3', 3, 'For three')],
        [`${secret}/2020-01-01`]: [slackMessage('U2', 4, 'Secret')],
      },
    });
    expect(report.counts.rooms).toMatchObject({ read: 6, written: 5, leftOut: { 'a conversation without messages': 1 } });
    const { token } = await claim(ann);
    const mine = (await read('/api/members?user=me&limit=200', token)) as {
      room: { $oid: string };
      room_name: string;
      others?: { username: string }[];
      unread: number;
    }[];
    const told = await Promise.all(
      mine.map(async ({ room, room_name, others, unread }) => {
        const details = (await read(`/api/rooms/${room.$oid}/details`, token)) as {
          archived_at: unknown;
          last_message_at: { $date: string } | null;
        };
        const shown = (await read(`/api/rooms/${room.$oid}`, token)) as { is_open: boolean; is_visible: boolean };
        return {
          name:
            room_name ||
            (others ?? [])
              .map(({ username }) => username)
              .sort()
              .join(' '),
          isPublic: shown.is_open && shown.is_visible,
          isArchived: details.archived_at !== null,
          last: details.last_message_at?.$date ?? null,
          texts: (await historyIn(room.$oid, token)).map(({ text }) => text),
          unread,
        };
      }),
    );
    const at = (second: number) => `2020-01-01T00:00:0${second}.000Z`;
    const expected = [
      { name: old, isPublic: true, isArchived: true, last: null, texts: [] },
      { name: secret, isPublic: false, isArchived: false, last: at(4), texts: ['Secret'] },
      { name: bob, isPublic: false, isArchived: false, last: at(1), texts: ['For two'] },
      { name: ann, isPublic: false, isArchived: false, last: at(2), texts: ['To myself'] },
      { name: [bob, cal].sort().join(' '), isPublic: false, isArchived: false, last: at(3), texts: ['For three'] },
    ].map((room) => ({ ...room, unread: 0 }));
    expect(told).toHaveLength(expected.length);
    expect(told).toEqual(expect.arrayContaining(expected));
  });

  it('import slack continues in the conversation that people have begun here, also if an earlier run stopped before there was one', async () => {
    const { ann, bob, users, run } = aTeam();
    const exported = {
      users,
      dms: [{ id: 'D1', members: ['U1', 'U2'] }],
      days: {
        'D1/2020-01-01': [
          slackMessage('U1', 1, 'One'),
          slackMessage('U2', 2, 'Two'),
          slackMessage('U1', 3, 'Reply', { thread_ts: tsOf(1) }),
        ],
      },
    };
    await run(exported);
    const { token } = await claim(ann);
    const conversations = async () =>
      (await read('/api/members?user=me&limit=200', token)) as { room: { $oid: string }; unread: number }[];
    const [first] = await conversations();
    // As a run leaves it that was killed before the last step.
    await rooms.unscoped.deleteOne({ _id: new ObjectId(first?.room.$oid) });
    expect(await conversations()).toEqual([]);
    const opened = await call('POST', '/api/conversations', { token, body: { users: [bob] } });
    const id = (opened.body as { _id: { $oid: string } })._id.$oid;
    await call('POST', '/api/messages', { token, body: { room: id, text: 'Written here' } });
    await storeNotes();

    expect((await run(exported)).counts).toMatchObject({
      rooms: { read: 1, written: 0, present: 1 },
      messages: { read: 3, written: 3, present: 0 },
    });
    const history = await historyIn(id, token);
    expect(history.map(({ seq, text }) => [seq, text])).toEqual([
      [1, 'Written here'],
      [2, 'One'],
      [3, 'Two'],
      [4, 'Reply'],
    ]);
    expect(history[1]).toMatchObject({ reply_count: 1 });
    expect(await conversations()).toMatchObject([{ room: { $oid: id }, unread: 0 }]);
    expect((await run(exported)).counts.messages).toMatchObject({ written: 0, present: 3 });
    expect(await messages.unscoped.countDocuments({ room: new ObjectId(first?.room.$oid) })).toBe(0);
  });

  it('import slack leaves nothing unread in an empty conversation that was started here', async () => {
    const { ann, bob, users, run } = aTeam();
    const dms = [{ id: 'D1', members: ['U1', 'U2'] }];
    await run({ users, dms });
    const tokens = [(await claim(ann)).token, (await claim(bob)).token];
    expect((await call('POST', '/api/conversations', { token: tokens[0], body: { users: [bob] } })).status).toBe(201);
    await run({ users, dms, days: { 'D1/2020-01-01': [slackMessage('U1', 1, 'One'), slackMessage('U2', 2, 'Two <@U1>')] } });
    for (const token of tokens)
      expect(await read('/api/members?user=me', token)).toMatchObject([{ seq: 2, unread: 0, unread_mentions: 0 }]);
  });

  it('import slack derives usernames by the rules, marks bots, and imports deleted people as inactive accounts', async () => {
    const [taken, gone, bot] = [await anAccount(), aName(), aName()];
    const { room, channel, run } = aTeam();
    const report = await run({
      users: [
        slackUser('U1', taken.username, { profile: { real_name: 'Ann\u0007 Other', email: `${aName()}@example.org` } }),
        slackUser('U2', gone, { deleted: true }),
        slackUser('U3', bot, { is_bot: true, profile: { bot_id: 'B3' } }),
        slackUser('U4', 'Äöü Ünder.Score.', {}),
        { id: 'U5', name: 12_345_678_901, unknown: { deep: [] } },
        slackUser('U6', 'admin', { is_admin: true, is_owner: true }),
      ],
      channels: [channel],
      days: {
        [`${room}/2020-01-01`]: [
          slackMessage('U1', 1, 'Other'),
          slackMessage('U2', 2, 'Gone'),
          { type: 'message', subtype: 'bot_message', bot_id: 'B3', text: 'Known bot', ts: tsOf(3) },
          { type: 'message', subtype: 'bot_message', bot_id: 'B9', username: 'Build Bot', text: 'Unknown bot', ts: tsOf(4) },
          slackMessage('U4', 5, 'Umlauts'),
          slackMessage('U404', 6, 'Missing', { user_profile: { name: 'missing-one', real_name: 'Missing One' } }),
          slackMessage('U6', 7, 'Reserved'),
        ],
      },
    });
    expect(report.counts.people).toMatchObject({ read: 8, written: 8 });
    expect(report.notes).toMatchObject({ 'people whom the archive names and does not list': 2 });
    const history = await historyOf(room);
    expect(history.map(({ username, is_bot, name }) => [username, is_bot ?? false, name])).toEqual(
      [
        [`${taken.username}2`, false, 'Ann Other'],
        [gone, false, gone],
        [bot, true, undefined],
        [expect.stringMatching(/^aou-under\.score\d*$/), false, 'Äöü Ünder.Score.'],
        [expect.stringMatching(/^missing-one\d*$/), false, 'Missing One'],
        [expect.stringMatching(/^admin\d+$/), false, 'admin'],
      ].flatMap((row, at) => (at === 3 ? [[expect.stringMatching(/^build-bot\d*$/), true, 'Build Bot'], row] : [row])),
    );
    expect(JSON.parse((await command(['user', 'show', gone, '--json'])).stdout)).toMatchObject({ is_active: false });
    const owner = history.at(-1)?.username ?? '';
    expect(JSON.parse((await command(['user', 'show', owner, '--json'])).stdout)).toMatchObject({ is_admin: false });
  });

  it.each(['is_restricted', 'is_ultra_restricted'])(
    'import slack leaves guests (%s) inactive until an administrator lets them in',
    async (field) => {
      const [member, guest] = [aName(), aName()];
      const { run } = aWorkspace();
      const exported = { users: [slackUser('U1', member, { [field]: false }), slackUser('U2', guest, { [field]: true })] };
      const counted = { 'guests, who are inactive until an administrator lets them in': 1 };
      expect((await run(exported, '--dry-run')).notes).toMatchObject(counted);
      expect((await run(exported)).notes).toMatchObject(counted);
      expect(await isActive(member)).toBe(true);
      expect(await isActive(guest)).toBe(false);
      expect(await command(['user', 'activate', guest])).toMatchObject({ code: 0 });
      await run(exported);
      expect(await isActive(guest)).toBe(true);
    },
  );

  it('import slack maps people onto accounts by their e-mail addresses only when asked to, and says how many there are', async () => {
    const known = await anAccount();
    const person = slackUser('U1', aName(), { profile: { real_name: 'Known', email: known.email.toUpperCase() } });
    const reported = await aWorkspace().run({ users: [person] });
    expect(reported.counts.people).toMatchObject({ written: 1, present: 0 });
    expect(reported.notes).toMatchObject({
      'people whose e-mail address an account has already, which they were not mapped to': 1,
      'people without an e-mail address of their own': 1,
    });
    const { room, channel, run } = aTeam();
    const mapped = await run(
      {
        users: [person],
        channels: [{ ...channel, members: ['U1'] }],
        days: { [`${room}/2020-01-01`]: [slackMessage('U1', 1, 'Mine')] },
      },
      '--map-by-email',
    );
    expect(mapped.counts.people).toMatchObject({ written: 0, present: 1 });
    expect((await historyIn(await roomNamed(room), known.token)).map(({ username }) => username)).toEqual([known.username]);
  });

  it('import slack writes each skipped record with its reason to a file, and its sums add up', async () => {
    const { room, users, channel, run } = aTeam();
    const leftOut = join(directory, `${aName()}.ndjson`);
    const report = await run(
      {
        users,
        channels: [channel],
        days: {
          [`${room}/2020-01-01`]: [
            slackMessage('U1', 1, 'Kept', {
              unknown_field: { a: 1 },
              files: [{ id: 'F1', name: 'plan.pdf', url_private: 'https://files.example.org/plan.pdf' }],
            }),
            slackMessage('U1', 2, '<@U1> has joined the channel', { subtype: 'channel_join' }),
            slackMessage('U1', 3, 'This message was deleted.', { subtype: 'tombstone', user: 'USLACKBOT' }),
            slackMessage('U1', 4, ''),
            slackMessage('U1', 5, 'Hidden', { is_hidden_by_limit: 1 }),
            slackMessage('U1', 6, 'No time', { ts: 'yesterday' }),
            { type: 'message', text: 'Nobody', ts: tsOf(7) },
            null,
            'text',
            slackMessage('U2', 8, 'Reply to what is deleted', { thread_ts: tsOf(3) }),
            slackMessage('U1', 9, 'And another', {
              thread_ts: tsOf(3),
              reactions: [
                { name: 'a b', users: ['U1'] },
                { name: 'owl', users: ['U404', 'U1', 'U1'] },
              ],
            }),
            slackMessage('U1', 1, 'Kept'),
          ],
          [`${room}/2020-01-02`]: 'not JSON',
          'nowhere/2020-01-01': [slackMessage('U1', 1, 'Of no room')],
        },
      },
      '--left-out',
      leftOut,
    );
    expect(report.counts.messages).toEqual({
      read: 13,
      written: 3,
      present: 1,
      leftOut: {
        'a message of the system': 1,
        'deleted in the source': 1,
        'without a text': 1,
        "hidden by the limit of the source's plan": 1,
        'without a time': 3,
        'without an author': 1,
        'of a room that is left out: not listed in the archive': 1,
      },
    });
    expect(report.counts.reactions).toMatchObject({
      read: 4,
      written: 1,
      leftOut: { 'not an emoji or a word': 1, 'of somebody who is not in the archive': 1, 'twice by one person': 1 },
    });
    expect(report.counts.files).toMatchObject({
      read: 1,
      leftOut: { 'not in the archive: a link to it stands in the message': 1 },
    });
    expect(report.counts.pages).toMatchObject({ read: 1, leftOut: { 'not JSON, or too long': 1 } });
    const lines = (await readFile(leftOut, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const all = Object.values(report.counts as Record<string, { leftOut: Record<string, number> }>).flatMap((one) =>
      Object.values(one.leftOut),
    );
    expect(lines).toHaveLength(all.reduce((one, other) => one + other, 0));
    expect(lines).toContainEqual({
      kind: 'messages',
      reason: 'a message of the system',
      record: expect.objectContaining({ subtype: 'channel_join' }),
    });
    expect((await stat(leftOut)).mode & 0o777).toBe(0o600);

    const history = await historyOf(room);
    expect(history.map(({ text }) => text)).toEqual([
      'Kept\n\n[plan.pdf](https://files.example.org/plan.pdf)',
      'Reply to what is deleted',
      'And another',
    ]);
    expect(history[1]).toMatchObject({ thread: null, reply_count: 1 });
    expect(history[2]).toMatchObject({ thread: history[1]?._id, reactions: [{ emoji: '🦉' }] });
  });

  it('import slack counts with --dry-run what would come over, and writes nothing', async () => {
    const { ann, room, users, channel, run } = aTeam();
    const exported = {
      users,
      channels: [channel],
      days: { [`${room}/2020-01-01`]: [slackMessage('U1', 1, 'One'), slackMessage('U2', 2, 'Two')] },
    };
    const report = await run(exported, '--dry-run');
    expect(report).toMatchObject({
      is_dry_run: true,
      counts: { people: { written: 2 }, rooms: { written: 1 }, members: { written: 2 }, messages: { written: 2 } },
    });
    expect(await command(['user', 'show', ann])).toMatchObject({ code: 1, stderr: 'No such user.\n' });
    expect(await roomNamed(room)).toBe('');
    const { is_dry_run: _, ...counted } = await run(exported);
    const { is_dry_run: __, ...promised } = report;
    expect(counted).toEqual(promised);
  });

  it('import slack divides a text that is too long into several messages, with each word once, and takes out what no text may have', async () => {
    const { room, users, channel, run } = aTeam();
    const words = Array.from({ length: 4_000 }, (_, number) => `word${number}`);
    const report = await run({
      users,
      channels: [channel],
      days: {
        [`${room}/2020-01-01`]: [slackMessage('U1', 1, words.join(' ')), slackMessage('U1', 2, 'a\u0000b\u001b[31mc\ud800')],
      },
    });
    expect(report.notes).toMatchObject({ 'messages that were too long, and became several': 1 });
    const history = await historyOf(room);
    expect(history.length).toBe(5);
    expect(
      history
        .slice(0, -1)
        .map(({ text }) => text)
        .join('')
        .split(/\s+/),
    ).toEqual(words);
    expect(history.at(-1)?.text).toBe('abc\ufffd');
  });

  it('import slack takes any workspace, and each text of it stands in the service once', async () => {
    const person = fc.constantFrom('U1', 'U2', 'U3');
    const oneMessage = fc.record({
      user: person,
      thread: fc.option(fc.nat(30), { nil: undefined }),
      words: fc.string({ unit: anyCharacter, maxLength: 20 }),
      reactions: fc.array(
        fc.record({ name: fc.constantFrom('+1', 'owl', 'party-parrot'), users: fc.array(person, { maxLength: 3 }) }),
        { maxLength: 3 },
      ),
      subtype: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        'bot_message',
        'me_message',
        'channel_join',
        'tombstone',
        'thread_broadcast',
      ),
      more: fc.dictionary(
        fc.constantFrom('files', 'blocks', 'attachments', 'edited', 'pinned_to', 'bot_profile'),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(oneMessage, { maxLength: 12 }), { minLength: 1, maxLength: 3 }), async (folders) => {
        const { run } = aWorkspace();
        const mark = aName();
        const rooms = folders.map((_, index) => ({ id: `C${index}`, name: `${mark}-${index}`, members: ['U1', 'U2'] }));
        const days = Object.fromEntries(
          folders.map((list, index) => [
            `${mark}-${index}/2020-01-01`,
            list.map(({ user, thread, words, subtype, more, reactions }, at) => ({
              ...slackMessage(user, at, `${mark} (${at}) ${words}`, { reactions, ...more }),
              ...(subtype !== undefined && { subtype }),
              ...(thread !== undefined && { thread_ts: tsOf(thread) }),
            })),
          ]),
        );
        const exported = { users: ['U1', 'U2'].map((id) => slackUser(id, `${mark}${id}`)), channels: rooms, days };
        const { counts } = await run(exported);
        const all = folders.flat();
        const kept = all.filter(({ subtype }) => subtype !== 'channel_join' && subtype !== 'tombstone');
        expect(counts.messages).toMatchObject({ read: all.length, written: kept.length });
        for (const [index, list] of folders.entries()) {
          const history = await historyOf(`${mark}-${index}`);
          const found = history.map(({ text }) => Number(/\((\d+)\)/.exec(text)?.[1]));
          expect(found).toEqual(
            list.flatMap(({ subtype }, at) => (subtype === 'channel_join' || subtype === 'tombstone' ? [] : [at])),
          );
        }
        expect((await run(exported)).counts.messages).toMatchObject({ written: 0, present: kept.length });
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['is no archive', 'words', 'is neither a directory nor a tar or zip archive'],
    ['is not a whole zip archive', 'PK\x03\x04 words', 'is not a zip archive, or was cut off'],
    ['has neither people nor rooms', [{ name: 'other.json', bytes: '[]' }], 'is not an export of Slack'],
    ['has a path that leaves it', [{ name: '../users.json', bytes: '[]' }], 'invalid relative path'],
    ['has an absolute path', [{ name: '/users.json', bytes: '[]' }], 'absolute path'],
    ['has a path with backslashes that leaves it', [{ name: '..\\users.json', bytes: '[]' }], 'invalid relative path'],
    [
      'has a name twice',
      [
        { name: 'users.json', bytes: '[]' },
        { name: 'users.json', bytes: '[]' },
      ],
      'has users.json twice',
    ],
    ['unpacks to too much', [{ name: 'users.json', bytes: Buffer.alloc(80 * 1024 * 1024, ' ') }], 'unpacks to too much'],
    [
      'has more bytes than it says',
      [{ name: 'users.json', bytes: '[{"id":"U1"}]', size: 2 }],
      'has other bytes than it says in users.json',
    ],
    ['has entries that overlap', [{ name: 'users.json', bytes: '[]', packedSize: 500 }], 'overlap'],
    ['has a list that is none', [{ name: 'users.json', bytes: '{"a":1}' }], 'has no list in users.json'],
  ])('import slack refuses an archive that %s', async (_what, content, sentence) => {
    const file = join(directory, `${aName()}.zip`);
    await writeFile(file, typeof content === 'string' ? content : zipOf(content));
    const ended = await command(['import', 'slack', file]);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(sentence);
  });

  it('import slack names a missing file, and does not overwrite a file with the list of skipped records', async () => {
    const missing = join(directory, 'missing.zip');
    expect(await command(['import', 'slack', missing])).toMatchObject({ code: 1, stderr: expect.stringContaining(missing) });
    const file = join(directory, `${aName()}.zip`);
    await writeSlackExport(file, {});
    const ended = await command(['import', 'slack', file, '--left-out', file]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') });
  });
});
