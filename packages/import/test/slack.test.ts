import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArchive, textsOf } from '../../../test/support/read-source.ts';
import { type SlackExport, slackEntries, slackMessage, slackUser, tsOf } from '../../../test/support/slack-export.ts';
import { tarGzOf } from '../../../test/support/tar.ts';
import { type ZipEntry, zipOf } from '../../../test/support/zip.ts';
import { openSlack } from '../src/slack/slack.ts';

const users = [slackUser('U1', 'ann'), slackUser('U2', 'bob')];

/** Reads an archive. `change` modifies its entries, like a tool that repacks it. */
const read = (exported: SlackExport, change = (entries: ZipEntry[]) => entries, options = {}) =>
  readArchive((path) => openSlack(path, options), zipOf(change(slackEntries({ users, ...exported }))));

/** The result of importing one message. */
async function readOne(message: object) {
  const day = { 'general/2020-01-01': [{ type: 'message', user: 'U1', text: '', ts: tsOf(1), ...message }] };
  const { rooms, leftOut } = await read({ channels: [{ id: 'C1', name: 'general' }], days: day });
  return { message: rooms[0]?.messages[0], leftOut: leftOut[0]?.leftOut };
}

const renamed = (rename: (name: string) => string | Uint8Array) => (entries: ZipEntry[]) =>
  entries.map((entry) => ({ ...entry, name: rename(String(entry.name)) }));

describe('the names of the folders in an archive of Slack', () => {
  const names = ['büro', 'общий', '日本語', 'general'];
  const exported = {
    channels: names.map((name, index) => ({ id: `C${index}`, name })),
    days: Object.fromEntries(names.map((name) => [`${name}/2020-01-01`, [slackMessage('U1', 1, `in ${name}`)]])),
  };
  const expected = Object.fromEntries(names.map((name) => [name, [`in ${name}`]]));

  it.each([
    ['with the flag of UTF-8', (name: string) => name],
    ['without the flag, as Slack writes them', (name: string) => Buffer.from(name)],
    ['in NFD, as macOS repacks them', (name: string) => name.normalize('NFD')],
    ['in NFD without the flag', (name: string) => Buffer.from(name.normalize('NFD'))],
    ['with backslashes, as Windows tools write them', (name: string) => name.replaceAll('/', '\\')],
    ['with backslashes and without the flag', (name: string) => Buffer.from(name.replaceAll('/', '\\'))],
    ['in a folder of their own', (name: string) => `export of 2020/${name}`],
    ['that begin with ./', (name: string) => `./${name}`],
  ])('an import from Slack finds the messages of channels by names %s', async (_how, rename) => {
    expect(textsOf(await read(exported, renamed(rename)))).toEqual(expected);
  });

  it.each([
    // The bytes of each name in its language's code page.
    ['CP437', 'büro', [0x62, 0x81, 0x72, 0x6f]],
    ['CP866', 'общий', [0xae, 0xa1, 0xe9, 0xa8, 0xa9]],
    ['Windows-1251', 'общий', [0xee, 0xe1, 0xf9, 0xe8, 0xe9]],
    ['Shift JIS', '表示', [0x95, 0x5c, 0x8e, 0xa6]],
    ['GBK', '中文', [0xd6, 0xd0, 0xce, 0xc4]],
    ['Latin-1', 'café', [0x63, 0x61, 0x66, 0xe9]],
  ])('an import from Slack finds the messages of a channel whose folder is named in %s', async (_page, name, bytes) => {
    const rename = (path: string) =>
      path.includes('/') ? Buffer.concat([Buffer.from(bytes), Buffer.from(path.slice(1))]) : path;
    const one = { channels: [{ id: 'C1', name }], days: { 'x/2020-01-01': [slackMessage('U1', 1, 'Hello')] } };
    expect(textsOf(await read(one, renamed(rename)))).toEqual({ [name]: ['Hello'] });
  });

  it('an import from Slack leaves out what desktops add to an archive', async () => {
    const added = ['__MACOSX/general/._2020-01-01.json', '__MACOSX/._users.json', '.DS_Store', 'general/.DS_Store', 'Thumbs.db'];
    const { rooms, unread, leftOut } = await read(exported, (all) => [...all, ...added.map((name) => ({ name, bytes: 'x' }))]);
    expect([rooms.length, unread, leftOut]).toEqual([names.length, [], []]);
  });

  const mismatched = {
    channels: [{ id: 'C1', name: 'büro' }],
    days: { 'burö/2020-01-01': [slackMessage('U1', 1, 'Hello')] },
  };

  it('an import from Slack refuses channels without folders beside folders without channels, and names both', async () => {
    await expect(read(mismatched)).rejects.toThrow(/channels without a folder \(büro\).*folders that no list names \(burö\)/);
    const { rooms } = await read(mismatched, undefined, { skipsUnlisted: true });
    expect(rooms.map(({ name, leftOut, messages }) => [name, leftOut, messages.length])).toEqual([
      ['büro', undefined, 0],
      ['burö', 'not listed in the archive', 1],
    ]);
  });

  it('an import from Slack accepts empty channels and folders of canvases', async () => {
    const { rooms } = await read({
      channels: [{ id: 'C1', name: 'empty' }],
      dms: [{ id: 'D1', members: ['U1', 'U2'] }],
      days: { 'FC:F012345:Notes/2020-01-01': [slackMessage('U1', 1, 'On a canvas')] },
    });
    expect(rooms.map(({ name, leftOut }) => [name, leftOut])).toEqual([
      ['empty', undefined],
      ['D1', undefined],
      ['FC:F012345:Notes', 'not listed in the archive'],
    ]);
  });
});

describe('an archive of Enterprise Grid', () => {
  const json = (name: string, value: unknown): ZipEntry => ({ name, bytes: JSON.stringify(value) });
  const day = (folder: string, second: number, text: string) =>
    json(`${folder}/2020-01-01.json`, [slackMessage('U1', second, text)]);
  const grid = [
    json('org_users.json', [...users, slackUser('U3', 'cal', { deleted: true })]),
    json('channels.json', [{ id: 'C0', name: 'all' }]),
    json('dms.json', [{ id: 'D1', members: ['U1', 'U2'] }]),
    json('teams/acme/users.json', [users[0], slackUser('U4', 'dan')]),
    json('teams/acme/channels.json', [
      { id: 'C1', name: 'general' },
      { id: 'C2', name: 'shared' },
    ]),
    json('teams/acme/groups.json', [{ id: 'G1', name: 'plans' }]),
    json('teams/beta/channels.json', [
      { id: 'C9', name: 'general' },
      { id: 'C2', name: 'shared' },
      { id: 'C8', name: 'moved' },
    ]),
    day('all', 1, 'For all'),
    day('D1', 2, 'For two'),
    day('teams/acme/general', 3, 'In acme'),
    day('teams/acme/plans', 4, 'Secret'),
    day('teams/acme/shared', 6, 'Second'),
    day('teams/beta/shared', 5, 'First'),
    day('teams/beta/general', 7, 'In beta'),
    day('moved', 8, 'In the root'),
  ];

  it('an import from Slack reads the people and rooms of all workspaces of Enterprise Grid', async () => {
    const found = await readArchive(openSlack, zipOf(grid));
    expect(found.people.map(({ id, username, isActive }) => [id, username, isActive])).toEqual([
      ['U1', 'ann', true],
      ['U2', 'bob', true],
      ['U3', 'cal', false],
      ['U4', 'dan', true],
    ]);
    expect(found.rooms.map(({ id, kind, name, messages }) => [id, kind, name, messages.map(({ text }) => text)])).toEqual([
      ['C0', 'public', 'all', ['For all']],
      ['D1', 'direct', 'D1', ['For two']],
      ['C1', 'public', 'general (acme)', ['In acme']],
      ['C2', 'public', 'shared', ['First', 'Second']],
      ['G1', 'private', 'plans', ['Secret']],
      ['C9', 'public', 'general (beta)', ['In beta']],
      ['C8', 'public', 'moved', ['In the root']],
    ]);
    expect([found.leftOut, found.unread]).toEqual([[], []]);
  });

  it('an import from Slack reads an archive that has the folders of workspaces alone', async () => {
    const teams = grid.filter(({ name }) => String(name).startsWith('teams/'));
    const { people, rooms } = await readArchive(openSlack, zipOf(teams));
    expect(people.map(({ id }) => id)).toEqual(['U1', 'U4']);
    expect(rooms.flatMap(({ messages }) => messages)).toHaveLength(5);
  });
});

describe('the people of several lists in an archive of Slack', () => {
  const json = (name: string, value: unknown) => ({ name: `${name}.json`, bytes: JSON.stringify(value) });
  const peopleOf = async (one: object[], other: object[], organisation?: object[]) => {
    const lists = [json('teams/a/users', one), json('teams/b/users', other)];
    const all = organisation ? [json('org_users', organisation), ...lists] : lists;
    const { people } = await readArchive(openSlack, zipOf([json('channels', []), ...all]));
    return people.map(({ id, isActive, isGuest, email }) => [id, isActive, isGuest === true, email]);
  };
  const gone = slackUser('U1', 'ann', { deleted: true, profile: { email: 'ann@example.org' } });

  it('an import from Slack takes somebody as active whom one of the workspaces lists as active', async () => {
    const active = slackUser('U1', 'ann');
    const guest = slackUser('U1', 'ann', { is_restricted: true });
    expect(await peopleOf([gone], [active])).toEqual([['U1', true, false, 'ann@example.org']]);
    expect(await peopleOf([active], [gone])).toEqual([['U1', true, false, 'ann@example.org']]);
    expect(await peopleOf([guest], [active])).toEqual([['U1', true, false, undefined]]);
    expect(await peopleOf([guest], [guest])).toEqual([['U1', true, true, undefined]]);
    expect(await peopleOf([gone], [gone])).toEqual([['U1', false, false, 'ann@example.org']]);
  });

  it('an import from Slack believes the list of the organisation', async () => {
    expect(await peopleOf([slackUser('U1', 'ann')], [], [gone])).toEqual([['U1', false, false, 'ann@example.org']]);
  });

  it('an import from Slack has the other person of a conversation that names one alone', async () => {
    const { rooms } = await read({ dms: [{ id: 'D1', user: 'U2', members: ['U1'] }] });
    expect(rooms[0]?.members).toEqual(['U1', 'U2']);
  });
});

describe('an archive of Slack that is not whole, or packed in another way', () => {
  const exported = {
    channels: [{ id: 'C1', name: 'general' }],
    days: { 'general/2020-01-01': [slackMessage('U1', 1, 'Hello')] },
  };
  const expected = { general: ['Hello'] };

  it('an import from Slack reads an archive that was packed by tar', async () => {
    const entries = slackEntries({ users, ...exported }).map(({ name, bytes }) => ({ name: `export/${name}`, bytes }));
    expect(textsOf(await readArchive(openSlack, tarGzOf(entries)))).toEqual(expected);
  });

  it('an import from Slack reads an export that was unpacked into a directory', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-slack-'));
    try {
      await mkdir(join(directory, 'general'));
      for (const { name, bytes } of slackEntries({ users, ...exported })) await writeFile(join(directory, String(name)), bytes);
      const source = await openSlack(directory);
      const texts: string[] = [];
      for await (const room of source.rooms())
        for await (const item of room.messages(() => undefined)) if ('text' in item) texts.push(item.text);
      await source.close();
      expect(texts).toEqual(['Hello']);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('an import from Slack refuses two exports in one archive, and names them', async () => {
    const entries = slackEntries({ users, ...exported });
    const two = ['one/', 'two/'].flatMap((root) => entries.map((entry) => ({ ...entry, name: root + String(entry.name) })));
    await expect(readArchive(openSlack, zipOf(two))).rejects.toThrow('has more than one export: one/, two/');
  });

  it.each([
    ['of a day', '[{"type":"message","te', true],
    ['that is not a list', '{"error":"internal"}', false],
    ['that is empty', '', false],
  ])('an import from Slack knows a file %s that was cut off', async (_what, bytes, isCut) => {
    const opened = await withArchive(zipOf([...slackEntries(exported), { name: 'general/2020-01-02.json', bytes }]));
    expect(opened.cutOff).toBe(isCut ? 'general/2020-01-02.json is cut off' : undefined);
  });

  it('an import from Slack refuses a file whose bytes have changed', async () => {
    const changed = slackEntries({ users, ...exported }).map((entry) =>
      entry.name === 'general/2020-01-01.json' ? { ...entry, checksum: 1 } : entry,
    );
    await expect(readArchive(openSlack, zipOf(changed))).rejects.toThrow(
      'has other bytes than it says in general/2020-01-01.json',
    );
  });

  async function withArchive(archive: Uint8Array) {
    const directory = await mkdtemp(join(tmpdir(), 'chat-slack-'));
    const path = join(directory, 'archive');
    await writeFile(path, archive);
    const source = await openSlack(path);
    await source.close();
    await rm(directory, { recursive: true });
    return source;
  }
});

describe('what an archive of Slack has besides', () => {
  const channels = [{ id: 'C1', name: 'general' }];

  it('an import from Slack names the files of an archive that it does not read', async () => {
    const more = ['integration_logs.json', 'canvases.json', 'general/2020-01-02.json.partial', '__uploads/F9/lost.pdf'];
    const days = { 'general/2020-01-01': [slackMessage('U1', 1, 'Hello')] };
    const { unread } = await read({ channels, days }, (all) => [...all, ...more.map((name) => ({ name, bytes: '[]' }))]);
    expect(unread).toEqual(more);
  });

  it('an import from Slack takes the files that tools have added to the archive', async () => {
    const files = [
      { id: 'F1', name: 'plan.pdf', url_private: 'https://files.example.org/plan.pdf' },
      { id: 'F2', name: 'cat.png' },
    ];
    const days = { 'general/2020-01-01': [slackMessage('U1', 1, 'Two files', { files })] };
    const added = [
      { name: '__uploads/F1/plan.pdf', bytes: 'A plan' },
      { name: 'general/attachments/F2-cat.png', bytes: 'A cat' },
    ];
    const { rooms, unread } = await read({ channels, days }, (all) => [...all, ...added]);
    expect(rooms[0]?.messages[0]?.files.map(({ name, size }) => [name, size])).toEqual([
      ['plan.pdf', 6],
      ['cat.png', 5],
    ]);
    expect(unread).toEqual([]);
  });

  it('an import from Slack names people and channels that have no id', async () => {
    const { leftOut } = await read({ users: [...users, { name: 'nobody' }], channels: [...channels, { topic: {} }] });
    expect(leftOut).toEqual([
      { kind: 'rooms', leftOut: 'without an id and a name' },
      { kind: 'people', leftOut: 'without an id' },
    ]);
  });

  it.each([
    ['is_private', { is_private: true }, 'private'],
    ['is_group', { is_group: true }, 'private'],
    ['the letter of its id', { id: 'G1' }, 'private'],
    ['is_mpim', { is_mpim: true, is_private: true }, 'direct'],
    ['is_im', { is_im: true }, 'direct'],
    ['is_private as a text', { is_private: 'true' }, 'private'],
    ['nothing', { is_private: false, is_channel: true }, 'public'],
  ])(
    'an import from Slack closes a room among the open channels of which %s says that it is private',
    async (_field, says, kind) => {
      const { rooms } = await read({ channels: [{ id: 'C1', name: 'general', ...says }] });
      expect(rooms[0]?.kind).toBe(kind);
    },
  );
});

describe('the messages in an archive of Slack', () => {
  it.each([
    ['app_conversation_join', 'channel_convert_to_public', 'channel_posting_permissions', 'tabbed_canvas_updated'],
    ['bot_add', 'bot_remove', 'sh_room_created', 'huddle_thread', 'reminder_add', 'pinned_item', 'assistant_app_thread'],
    ['group_topic', 'mpim_join', 'channel_something_new', 'document_mention', 'joiner_notification_for_inviter'],
  ])('an import from Slack leaves out messages of the system: %s, %s, …', async (...subtypes) => {
    for (const subtype of subtypes)
      expect([subtype, (await readOne({ subtype, text: '<@U2> did it' })).leftOut]).toEqual([subtype, 'a message of the system']);
  });

  it.each(['me_message', 'file_share', 'thread_broadcast', 'slackbot_response', 'bot_message', 'file_mention', 'something_new'])(
    'an import from Slack keeps what people and programs have said: %s',
    async (subtype) => {
      expect((await readOne({ subtype, text: 'Words' })).message?.text).toContain('Words');
    },
  );

  const rich = (...elements: unknown[]) => [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];

  it('an import from Slack reads a text that is in blocks alone, with the names of people and channels', async () => {
    const blocks = rich(
      { type: 'text', text: 'Ask ' },
      { type: 'user', user_id: 'U2', style: { bold: true } },
      { type: 'text', text: ' in ' },
      { type: 'channel', channel_id: 'C1' },
      { type: 'emoji', name: 'tada', unicode: '1f389' },
    );
    expect((await readOne({ blocks })).message?.text).toBe('Ask **@name-U2** in #general🎉');
    expect((await readOne({ blocks, text: 'The *same* words' })).message?.text).toBe('The **same** words');
  });

  it('an import from Slack keeps the author and the text of an old comment on a file', async () => {
    const { message } = await readOne({
      user: undefined,
      subtype: 'file_comment',
      text: '<@U2> commented on <@U1>’s file: nice',
      file: { id: 'F9', name: 'a.txt' },
      comment: { user: 'U2', comment: 'nice' },
    });
    expect(message).toMatchObject({ author: { id: 'U2', isBot: false }, text: '> a.txt\nnice', files: [] });
  });

  it('an import from Slack takes the words of an old upload without the sentence of Slack', async () => {
    const file = { id: 'F1', name: 'a.txt', permalink: 'https://files.example.org/a' };
    const text = '<@U1|ann> uploaded a file: <https://files.example.org/a|a.txt>';
    const said = async (more: string) => (await readOne({ subtype: 'file_share', file, text: text + more })).message;
    expect(await said('')).toMatchObject({ text: '', files: [{ name: 'a.txt' }] });
    expect(await said(' and commented: See *this*')).toMatchObject({ text: 'See **this**' });
  });

  it.each([
    ['is deleted', { mode: 'tombstone' }, 'deleted in the source'],
    ['is not found', { file_access: 'file_not_found' }, 'deleted in the source'],
    ['is hidden', { mode: 'hidden_by_limit' }, "hidden by the limit of the source's plan"],
    ['has an id alone', {}, 'without a name and an address'],
  ])('an import from Slack names no file that %s', async (_how, fields, gone) => {
    const { message } = await readOne({ text: 'With a file', files: [{ id: 'F1', ...fields }] });
    expect(message).toMatchObject({ text: 'With a file', files: [{ id: 'F1', gone }] });
  });

  it('an import from Slack leaves out the previews of links, and keeps messages that somebody has shared', async () => {
    const preview = { from_url: 'https://example.org', title: 'Example', text: 'A site', service_name: 'Example' };
    const shared = { is_share: true, from_url: 'https://x.slack.com/1', author_name: 'Bob', text: 'What *Bob* said' };
    const { message } = await readOne({ text: 'See <https://example.org>', attachments: [preview, shared] });
    expect(message?.text).toBe('See https://example.org\n\n> **Bob**\n> What **Bob** said');
    expect((await readOne({ attachments: [{ text: 'A program’s own' }] })).message?.text).toBe('A program’s own');
  });

  it('an import from Slack shows that a group was named, and times as times', async () => {
    expect((await readOne({ text: 'ping <!subteam^S123> and <!subteam^S9|@devs>' })).message?.text).toBe('ping @S123 and @devs');
    expect((await readOne({ text: 'at <!date^1577836800^{date}>' })).message?.text).toBe('at 2020-01-01 00:00 UTC');
  });

  it.each([
    [':thinking_face: :flag-de: :woman-shrugging:', '🤔 🇩🇪 🤷\u200d♀'],
    [':male-technologist: :face_with_raised_eyebrow: :large_yellow_circle:', '👨‍💻 🤨 🟡'],
    [':first_place_medal::skin-tone-2: `:tada:` :party-parrot:', '🥇 `:tada:` :party-parrot:'],
  ])('an import from Slack shows standard emoji for their codes: %s', async (text, expected) => {
    expect((await readOne({ text })).message?.text.replaceAll('\ufe0f', '')).toBe(expected);
  });
});
