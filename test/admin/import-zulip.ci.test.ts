import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { create } from 'tar';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../lib/messages/messages.ts';
import { aName } from '../support/accounts.ts';
import { anyCharacter } from '../support/characters.ts';
import { admin, claim, directory, historyOf, read, roomNamed } from '../support/imported.ts';
import { admin as command } from '../support/run-command.ts';
import { type TarEntry, tarGzOf, tarOf } from '../support/tar.ts';
import { inProcess as call } from '../support/transports.ts';
import { zipOf } from '../support/zip.ts';
import { type ZulipExport, zulipArchive, zulipEntries, zulipMessage, zulipUser } from '../support/zulip-export.ts';

/** An organisation with two people and a channel, whose names no other test has. */
function anOrganisation() {
  const [workspace, ann, bob, room] = [aName(), aName(), aName(), aName()];
  const base = {
    people: [zulipUser(11, ann), zulipUser(12, bob)],
    streams: [{ id: 5, name: room, description: 'All of it', invite_only: false, date_created: 1_577_836_800, creator: 11 }],
    recipients: [
      { id: 1, type: 1, type_id: 11 },
      { id: 2, type: 1, type_id: 12 },
      { id: 3, type: 2, type_id: 5 },
    ],
    subscriptions: [11, 12].flatMap((user_profile) => [
      { user_profile, recipient: 3, active: true },
      { user_profile, recipient: user_profile - 10, active: true },
    ]),
  };
  const runFile = async (file: string, ...words: string[]) => {
    const ended = await command(['import', 'zulip', file, '--workspace', workspace, '--json', ...words]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout);
  };
  const run = async (exported: ZulipExport, ...words: string[]) => {
    const file = join(directory, `${aName()}.tar.gz`);
    await writeFile(file, zulipArchive({ ...base, ...exported }));
    return runFile(file, ...words);
  };
  return { workspace, ann, bob, room, base, run, runFile };
}

/** The rooms and conversations of somebody, each with its people and texts. */
async function roomsOf(token: string) {
  const mine = (await read('/api/members?user=me&limit=200', token)) as {
    room: { $oid: string };
    room_name: string;
    others?: { username: string }[];
  }[];
  return Promise.all(
    mine.map(async ({ room, room_name, others = [] }) => {
      const shown = (await read(`/api/rooms/${room.$oid}`, token)) as { is_open: boolean };
      const history = (await read(`/api/messages?room=${room.$oid}&limit=200`, token)) as Message[];
      const name = room_name || others.map(({ username }) => username).sort();
      return { name, isOpen: shown.is_open, texts: history.map(({ text }) => text) };
    }),
  );
}

describe('import zulip', () => {
  it('import zulip brings a channel over with each topic as a thread, in the order of times, with reactions and edits', async () => {
    const { ann, bob, room, run } = anOrganisation();
    const exported = {
      messages: [
        zulipMessage(11, 3, 1, 'First'),
        zulipMessage(12, 3, 2, 'Of another topic', { subject: 'other *things*' }),
        zulipMessage(12, 3, 3, 'A reply', {
          subject: 'Greetings',
          last_edit_time: 1_577_836_807,
          edit_history: '[{"prev_content":"A"}]',
        }),
        zulipMessage(11, 3, 4, 'Of none', { subject: '' }),
        zulipMessage(11, 3, 5, 'Moved', { last_edit_time: 1_577_836_808, edit_history: '[{"prev_topic":"x"}]' }),
      ].reverse(),
      reactions: [
        { message: 1_001, user_profile: 12, emoji_name: 'thumbs_up', emoji_code: '1f44d', reaction_type: 'unicode_emoji' },
        { message: 1_001, user_profile: 11, emoji_name: 'party-parrot', emoji_code: '3', reaction_type: 'realm_emoji' },
        { message: 1_003, user_profile: 11, emoji_name: 'germany', emoji_code: '1f1e9-1f1ea', reaction_type: 'unicode_emoji' },
      ],
    };
    const report = await run(exported);
    expect(report.counts).toMatchObject({
      people: { read: 2, written: 2 },
      rooms: { read: 1, written: 1 },
      members: { read: 2, written: 2 },
      messages: { read: 5, written: 5 },
      reactions: { read: 3, written: 3 },
    });
    const history = await historyOf(room);
    expect(history.map(({ seq, username, text }) => [seq, username, text])).toEqual([
      [1, ann, '**greetings**\n\nFirst'],
      [2, bob, '**other things**\n\nOf another topic'],
      [3, bob, 'A reply'],
      [4, ann, 'Of none'],
      [5, ann, 'Moved'],
    ]);
    const [first, , reply] = history;
    expect(history.map(({ thread }) => thread)).toEqual([null, null, first?._id, null, first?._id]);
    expect(first).toMatchObject({
      created_at: { $date: '2020-01-01T00:00:01.250Z' },
      edited_at: null,
      reply_count: 2,
      reactions: [
        { emoji: '👍', users: [reply?.user] },
        { emoji: 'party-parrot', users: [first?.user] },
      ],
    });
    expect(reply).toMatchObject({
      is_in_room: false,
      edited_at: { $date: '2020-01-01T00:00:07.000Z' },
      reactions: [{ emoji: '🇩🇪', users: [first?.user] }],
    });
    expect(history[4]).toMatchObject({ edited_at: null });
    expect(await read(`/api/rooms/${await roomNamed(room)}/details`)).toMatchObject({
      topic: 'All of it',
      message_count: 3,
      created_at: { $date: '2020-01-01T00:00:00.000Z' },
    });

    expect((await run(exported)).counts).toMatchObject({
      people: { present: 2, written: 0 },
      messages: { present: 5, written: 0 },
      reactions: { present: 3, written: 0 },
    });
    expect(await historyOf(room)).toEqual(history);
  });

  it('import zulip adds new topics, and new replies to existing topics, of a later export', async () => {
    const { room, run } = anOrganisation();
    const before = [zulipMessage(11, 3, 1, 'First')];
    await run({ messages: before });
    const report = await run({
      messages: [...before, zulipMessage(12, 3, 2, 'Reply'), zulipMessage(12, 3, 3, 'New', { subject: 'later' })],
    });
    expect(report.counts.messages).toMatchObject({ read: 3, present: 1, written: 2 });
    const history = await historyOf(room);
    expect(history.map(({ text, thread }) => [text, thread])).toEqual([
      ['**greetings**\n\nFirst', null],
      ['Reply', history[0]?._id],
      ['**later**\n\nNew', null],
    ]);
    expect(history[0]).toMatchObject({ reply_count: 1 });
  });

  it.each([
    ['moved to another topic', (first: object) => [first], { subject: 'later' }],
    ['left without the one that began their topic', () => [], {}],
  ])(
    'import zulip adds replies to messages that were %s between two exports to their present thread',
    async (_what, kept, changed) => {
      const { ann, room, run } = anOrganisation();
      const first = zulipMessage(11, 3, 1, 'First');
      const moved = (more: object) => [zulipMessage(12, 3, 2, 'Second', more), zulipMessage(12, 3, 3, 'Third', more)];
      await run({ messages: [first, ...moved({})] });
      const later = { messages: [...kept(first), ...moved(changed), zulipMessage(11, 3, 4, 'Fourth', changed)] };
      expect((await run(later)).counts.messages).toMatchObject({ present: later.messages.length - 1, written: 1 });
      const history = await historyOf(room);
      const [root, second] = history;
      expect(history.map(({ text, thread }) => [text, thread])).toEqual([
        ['**greetings**\n\nFirst', null],
        ['Second', root?._id],
        ['Third', root?._id],
        ['Fourth', root?._id],
      ]);
      expect(root).toMatchObject({ username: ann, reply_count: 3, repliers: [second?.user, root?.user] });
      expect(root?.replied_at).toEqual(history[3]?.created_at);
      expect(second).toMatchObject({ reply_count: 0 });
      expect((await run(later)).counts.messages).toMatchObject({ written: 0 });
    },
  );

  it.each([
    ['a mention by name and id', (ann: string) => [`Hello @**${ann}|11**!`, `Hello @${ann}!`]],
    ['a mention by name', (ann: string) => [`@**${ann}**: yes`, `@${ann}: yes`]],
    ['a mention of somebody who is nowhere', () => ['@**Nobody Here|99**', '@Nobody Here']],
    ['a silent mention, as a name', (ann: string) => [`@_**${ann}|11** said`, `${ann} said`]],
    ['a mention of everybody and of a group', () => ['@**all** @**topic** @*mobile team*', '@all @topic @mobile team']],
    ['a link to a channel', () => ['See #**general** now', 'See #general now']],
    ['a link to a topic', () => ['See #**general>a topic** now', 'See #general > a topic now']],
    ['a link to a message', () => ['See #**general>a topic@123** now', 'See #general > a topic now']],
    [
      'an emoji of which somebody has made a reaction',
      () => ['So :working_on_it: and :tada: and :unheard_of:', 'So 🛠️ and 🎉 and :unheard_of:'],
    ],
    ['a quote', () => ['```quote\nOne\nTwo\n```\nYes', '> One\n> Two\nYes']],
    ['a quote of code', () => ['````quote\n```py\nx = "@**all**"\n```\n````\nYes', '> ```py\n> x = "@**all**"\n> ```\nYes']],
    ['a spoiler', () => ['```spoiler The end\nHe wins.\n```', '> The end\n> He wins.']],
    [
      'code, as it is',
      (ann: string) => [
        `\`@**${ann}|11**\` and\n\`\`\`py\n#**a** :tada:\n\`\`\``,
        `\`@**${ann}|11**\` and\n\`\`\`py\n#**a** :tada:\n\`\`\``,
      ],
    ],
    ['a time', () => ['At <time:2020-05-28T13:30:00+05:30>', 'At 2020-05-28T13:30:00+05:30']],
    ['what somebody does', () => ['/me waves', '_waves_']],
    [
      'a link within the server, as its text',
      () => ['[this](/#narrow/channel/5) and [that](https://example.org/a)', 'this and [that](https://example.org/a)'],
    ],
  ] as [string, (ann: string) => [string, string]][])('import zulip writes %s as here', async (_what, textsOf) => {
    const { ann, room, run } = anOrganisation();
    const [content, text] = textsOf(ann);
    const reactions = [
      { message: 1, user_profile: 11, emoji_name: 'working_on_it', emoji_code: '1f6e0', reaction_type: 'unicode_emoji' },
    ];
    await run({ messages: [zulipMessage(11, 3, 1, content, { subject: '' })], reactions });
    expect((await historyOf(room)).map((message) => message.text)).toEqual([text]);
  });

  it('import zulip brings conversations over by who is in them, private channels as private, and archived ones as archived', async () => {
    const { ann, bob, base, room, run } = anOrganisation();
    const [cal, secret, old] = [aName(), aName(), aName()];
    const report = await run({
      people: [...base.people, zulipUser(13, cal, { is_active: false })],
      systemBots: [
        { id: 90, email: 'notification-bot@zulip.com' },
        { id: 91, email: 'welcome-bot@zulip.com' },
      ],
      streams: [
        ...base.streams,
        { id: 6, name: secret, description: '', invite_only: true, history_public_to_subscribers: false },
        { id: 7, name: old, description: '', invite_only: false, deactivated: true },
      ],
      recipients: [
        ...base.recipients,
        { id: 4, type: 2, type_id: 6 },
        { id: 6, type: 3, type_id: 1 },
        { id: 7, type: 3, type_id: 2 },
      ],
      subscriptions: [
        ...base.subscriptions,
        { user_profile: 11, recipient: 4, active: true },
        { user_profile: 12, recipient: 4, active: false },
        ...[11, 12, 13].map((user_profile) => ({ user_profile, recipient: 6, active: true })),
        ...[11, 12].map((user_profile) => ({ user_profile, recipient: 7, active: true })),
      ],
      messages: [
        zulipMessage(11, 2, 1, 'From one'),
        zulipMessage(12, 1, 2, 'From the other'),
        zulipMessage(12, 7, 3, 'By a group of two'),
        zulipMessage(11, 1, 4, 'To myself'),
        zulipMessage(13, 6, 5, 'For three'),
        zulipMessage(11, 4, 6, 'Secret', { subject: '' }),
        zulipMessage(91, 1, 7, 'Welcome'),
        zulipMessage(90, 3, 8, 'A channel was made'),
        zulipMessage(11, 3, 9, 'Resolved', { type: 2 }),
        zulipMessage(11, 77, 10, 'For nobody knows whom'),
      ],
    });
    expect(report.counts.messages).toEqual({
      read: 10,
      written: 6,
      present: 0,
      leftOut: {
        'a message of the system': 3,
        'of a room that is left out: not listed in the archive': 1,
      },
    });
    expect(report.counts.rooms).toMatchObject({ read: 8, written: 6 });
    expect(report.notes).toMatchObject({ 'private rooms in which new members could not read what was older, and can here': 1 });
    const rooms = await roomsOf((await claim(ann)).token);
    const expected = [
      { name: room, isOpen: true, texts: [] },
      { name: secret, isOpen: false, texts: ['Secret'] },
      { name: [bob], isOpen: false, texts: ['From one', 'From the other', 'By a group of two'] },
      { name: ann, isOpen: false, texts: ['To myself'] },
      { name: [bob, cal].sort(), isOpen: false, texts: ['For three'] },
    ];
    expect(rooms).toHaveLength(expected.length);
    expect(rooms).toEqual(expect.arrayContaining(expected));
    expect(await read(`/api/rooms/${await roomNamed(old)}/details`)).toMatchObject({ archived_at: expect.anything() });
  });

  it('import zulip derives usernames from full names, marks bots, keeps deactivations, and drops placeholder addresses', async () => {
    const { room, run } = anOrganisation();
    const mark = aName();
    const bot = aName();
    const people = [
      zulipUser(11, `Zoë ${mark}`),
      zulipUser(12, mark, { delivery_email: null }),
      zulipUser(13, 'Builds', { is_bot: true, email: `${bot}-bot@zulip.example.com`, delivery_email: undefined }),
      zulipUser(14, '山田', { is_active: false }),
      zulipUser(17, `${mark}-guest`, { role: 600 }),
      zulipUser(18, `${mark}-gone`, { role: 600, is_active: false }),
      zulipUser(19, `${mark}-member`, { role: 400 }),
    ];
    const report = await run({
      people,
      dummies: [zulipUser(15, `${mark}-dummy`, { is_mirror_dummy: true })],
      messages: [11, 12, 13, 14, 15, 16].map((sender, second) => zulipMessage(sender, 3, second + 1, 'Hello')),
    });
    expect(report.notes).toMatchObject({
      'people whom the archive names and does not list': 1,
      'guests, who are inactive until an administrator lets them in': 1,
    });
    const history = await historyOf(room);
    expect(history.map(({ username, name, is_bot }) => [username, name, is_bot ?? false])).toEqual([
      [`zoe.${mark}`, `Zoë ${mark}`, false],
      [mark, mark, false],
      [`${bot}-bot`, 'Builds', true],
      [expect.stringMatching(/^shantian\d*$/), '山田', false],
      [`${mark}-dummy`, `${mark}-dummy`, false],
      [expect.stringMatching(/^16|^zulip-16/), undefined, false],
    ]);
    const shown = async (username: string) => JSON.parse((await command(['user', 'show', username, '--json'])).stdout);
    expect(await shown(`zoe.${mark}`)).toMatchObject({
      email: `zoë ${mark}@example.com`.includes(' ') ? expect.any(String) : '',
    });
    expect((await shown(mark)).email).toMatch(/@zulip\.invalid$/);
    expect(await shown(`${mark}-dummy`)).toMatchObject({ is_active: false });
    expect(await shown(`${mark}-guest`)).toMatchObject({ is_active: false });
    expect(await shown(`${mark}-member`)).toMatchObject({ is_active: true });
  });

  it('import zulip stores the files of messages with them, and names those that the archive lacks', async () => {
    const { room, run } = anOrganisation();
    const exported = {
      messages: [
        zulipMessage(
          11,
          3,
          1,
          '[notes.txt](/user_uploads/2/ab/no%20tes.txt)\n\nPlease read [plan](https://zulip.example.com/user_uploads/2/cd/plan.md).',
          {
            subject: '',
          },
        ),
        zulipMessage(11, 3, 2, '![](/user_uploads/2/ab/missing.png)', { subject: '' }),
        zulipMessage(11, 3, 3, '[theirs](https://other.example.org/user_uploads/2/ef/theirs.txt)', { subject: '' }),
      ],
      files: { '2/ab/no tes.txt': 'Notes', '2/cd/plan.md': '# Plan', '2/unused.bin': 'x' },
    };
    const report = await run(exported);
    expect(report.counts.files).toEqual({ read: 3, written: 2, present: 0, leftOut: { 'not in the archive': 1 } });
    const history = await historyOf(room);
    expect(history.map(({ text, files }) => [text, files.map(({ name, size }) => [name, size])])).toEqual([
      [
        'Please read plan.',
        [
          ['notes.txt', 5],
          ['plan', 6],
        ],
      ],
      ['missing.png', []],
      ['[theirs](https://other.example.org/user_uploads/2/ef/theirs.txt)', []],
    ]);
    const content = await call('GET', `/api/files/${history[0]?.files[0]?._id.$oid}/content`, { token: admin.token });
    expect(String(content.body)).toContain('Notes');
    expect((await run(exported)).counts.files).toMatchObject({ read: 3, present: 2, written: 0 });
  });

  it('import zulip reads a directory, and archives that tar and zip pack, as the same export', async () => {
    const { base, room, runFile } = anOrganisation();
    const exported = {
      ...base,
      messages: [zulipMessage(11, 3, 1, `[a](/user_uploads/${'long/'.repeat(40)}a.txt) One`), zulipMessage(12, 3, 2, 'Two')],
      files: { [`${'long/'.repeat(40)}a.txt`]: 'A' },
    };
    const entries = zulipEntries(exported);
    const parent = join(directory, aName());
    for (const { name, bytes = '' } of entries) {
      await mkdir(dirname(join(parent, name)), { recursive: true });
      await writeFile(join(parent, name), bytes);
    }
    const root = join(parent, 'zulip-export-abc');
    await symlink('/etc/hostname', join(root, 'messages-000009.json'));
    const [gz, tar, zip] = ['tar.gz', 'tar', 'zip'].map((ending) => join(directory, `${aName()}.${ending}`)) as [
      string,
      string,
      string,
    ];
    await create({ gzip: true, cwd: parent, file: gz }, ['zulip-export-abc']);
    await create({ cwd: parent, file: tar }, ['./zulip-export-abc']);
    await writeFile(zip, zipOf(entries.map(({ name, bytes = '' }) => ({ name, bytes }))));
    expect((await runFile(root)).counts).toMatchObject({ messages: { written: 2 }, files: { written: 1 } });
    const history = await historyOf(room);
    for (const file of [parent, gz, tar, zip])
      expect((await runFile(file)).counts).toMatchObject({
        messages: { read: 2, present: 2 },
        files: { read: 1, present: 1 },
        pages: { read: 0 },
      });
    expect(await historyOf(room)).toEqual(history);
  });

  it('import zulip leaves out records that are not as they should be, and goes on', async () => {
    const { ann, room, base, run, runFile } = anOrganisation();
    const report = await run({
      people: [...base.people, null, {}, { id: 'x', full_name: 7 }],
      streams: [...base.streams, {}, { id: null }],
      subscriptions: [...base.subscriptions, {}, { user_profile: 404, recipient: 3 }],
      reactions: [{}, { message: 1_009, user_profile: 405, emoji_name: 'owl' }],
      messages: [
        {},
        zulipMessage(11, 3, 2, 'No time', { date_sent: null }),
        zulipMessage(11, 3, 3, 'No author', { sender: null, subject: '' }),
        zulipMessage(11, 3, 4, ''),
        zulipMessage(11, 3, 5, '\0', { subject: '' }),
        zulipMessage(11, 3, 9, 'Kept', { subject: { a: 1 }, edit_history: 7, last_edit_time: 'x' }),
      ],
    });
    expect(report.counts.messages).toMatchObject({
      read: 6,
      written: 2,
      leftOut: {
        'without a time': 1,
        'without an author': 1,
        'without a text': 1,
        'without an id': 1,
      },
    });
    expect(report.counts.reactions).toMatchObject({ read: 1, leftOut: { 'of somebody who is not in the archive': 1 } });
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['**greetings**', 'Kept']);

    const entries = zulipEntries({ ...base, messages: [zulipMessage(11, 3, 20, 'Whole')] });
    const file = join(directory, `${aName()}.tar.gz`);
    const page = (number: number, bytes: string): TarEntry => ({ name: `zulip-export-abc/messages-00001${number}.json`, bytes });
    const deep = (depth: number) => `{"zerver_message": [{"id": 1, "x": ${'['.repeat(depth)}${']'.repeat(depth)}}]}`;
    await writeFile(
      file,
      tarGzOf([
        ...entries,
        page(1, 'words'),
        page(2, '{"zerver_message": [{"id": 1, '),
        page(3, deep(100_000)),
        page(4, '[]'),
        page(5, '{}'),
        page(6, '{"zerver_message": {"a": {"b": 1}}}'),
        page(7, '{"zerver_message": [{"id": 1e}]}'),
      ]),
    );
    const other = await runFile(file, '--incomplete');
    expect(other.counts.messages).toMatchObject({ read: 1, written: 1 });
    expect(other.counts.pages).toEqual({ read: 5, written: 0, present: 0, leftOut: { 'not JSON, cut off, or too long': 5 } });
    expect((await historyOf(room)).at(-1)).toMatchObject({ username: ann, text: '**greetings**\n\nWhole' });
  });

  it('import zulip takes any messages, and each text stands in the service once', async () => {
    const oneMessage = fc.record({
      sender: fc.constantFrom(11, 12, 13, 90),
      recipient: fc.constantFrom(1, 2, 3, 4),
      subject: fc.oneof(fc.constantFrom('', 'a', 'A', 'b'), fc.string({ unit: anyCharacter, maxLength: 10 })),
      words: fc.string({ unit: anyCharacter, maxLength: 30 }),
      markup: fc.constantFrom('', '@**', '```quote\n', '[a](/user_uploads/b)', '@_**x|11**', ':tada:'),
      more: fc.dictionary(fc.constantFrom('type', 'last_edit_time', 'edit_history', 'date_sent'), fc.jsonValue({ maxDepth: 2 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneMessage, { maxLength: 20 }), async (list) => {
        const { base, run } = anOrganisation();
        const messages = list.map(({ sender, recipient, subject, words, markup, more }, at) =>
          zulipMessage(sender, recipient, at, `(${at}) ${words}${markup}${words}`, { subject, ...more }),
        );
        const exported = { recipients: [...base.recipients, { id: 4, type: 2, type_id: 404 }], messages };
        const promised = (await run(exported, '--dry-run')).counts;
        const { counts } = await run(exported);
        expect(counts).toEqual(promised);
        expect(counts.messages.read).toBe(list.length);
        expect((await run(exported)).counts.messages).toMatchObject({ written: 0, present: counts.messages.written });
      }),
      { numRuns: 10 },
    );
  });

  const realm = { name: 'realm.json', bytes: '{"zerver_userprofile": [{"id": 1, "full_name": "A"}]}' };
  it.each([
    ['is not an archive', Buffer.from('words'), 'is neither a directory nor a tar or zip archive'],
    ['is empty', Buffer.alloc(0), 'is neither a directory nor a tar or zip archive'],
    ['is gzip of something else', gzipSync('words'), "can't be read as a tar archive"],
    ['is cut off', tarGzOf([realm]).subarray(0, 60), "can't be read as a tar archive"],
    ['is cut off within a file', tarOf([{ ...realm, size: 100_000 }]), "can't be read as a tar archive"],
    ['is another archive', tarGzOf([{ name: 'users.json', bytes: '[]' }]), 'it has no realm.json'],
    ['has no tables', tarGzOf([{ ...realm, bytes: '{"a": 1}' }]), 'its realm.json has no tables'],
    ['has a realm.json of something else', tarGzOf([{ ...realm, bytes: '[1]' }]), 'its realm.json has no tables'],
    ['has a path that leaves it', tarGzOf([{ name: '../realm.json', bytes: '{}' }]), 'has a path that leaves it'],
    ['has such a path within', tarGzOf([realm, { name: 'uploads/../../a', bytes: '{}' }]), 'has a path that leaves it'],
    ['has an absolute path', tarGzOf([{ name: '/realm.json', bytes: '{}' }]), 'has a path that leaves it'],
    ['has a path with backslashes', tarGzOf([{ name: 'uploads\\..\\a', bytes: '{}' }]), 'has a path that leaves it'],
    ['has a name twice', tarGzOf([realm, realm]), 'has realm.json twice'],
    ['has its tables behind a link', tarGzOf([{ name: 'realm.json', type: '2', link: '/etc/passwd' }]), 'it has no realm.json'],
    ['unpacks to too much', tarGzOf([realm, { name: 'a', bytes: Buffer.alloc(80 * 1024 * 1024) }]), 'unpacks to too much'],
    ['has a header that is damaged', tarOf([realm]).fill('x', 10, 20), "can't be read as a tar archive"],
    ['has a name of gigabytes', tarOf([{ name: 'x', type: 'L', size: 0o77777777777 }]), "can't be read as a tar archive"],
  ])('import zulip refuses an export that %s', async (_what, bytes, sentence) => {
    const file = join(directory, `${aName()}.tar.gz`);
    await writeFile(file, bytes);
    const ended = await command(['import', 'zulip', file]);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(sentence);
  });
});
