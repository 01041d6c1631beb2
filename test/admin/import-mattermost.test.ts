import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { dayCounts } from '../../lib/collections/rooms/day-counts.ts';
import { fileQuotas } from '../../lib/collections/rooms/file-quotas.ts';
import { files } from '../../lib/collections/rooms/files.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { aName } from '../support/accounts.ts';
import { anyCharacter } from '../support/characters.ts';
import { admin, directory, historyOf, read, roomNamed } from '../support/imported.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';
import { zipOf } from '../support/zip.ts';

/** An export, as its lines, with names that no other test has. */
function anExport() {
  const [workspace, ann, bob, room] = [aName(), aName(), aName(), aName()];
  const channels = [{ name: room, roles: 'channel_user' }];
  const beginning = [
    { type: 'version', version: 1 },
    { type: 'team', team: { name: 'team', display_name: 'Team', type: 'O' } },
    { type: 'channel', channel: { team: 'team', name: room, display_name: room, type: 'O', header: 'All of it' } },
    ...[ann, bob].map((username, index) => ({
      type: 'user',
      user: {
        username,
        email: `${username}@example.com`,
        roles: 'system_user',
        first_name: 'Person',
        last_name: String(index),
        teams: [{ name: 'team', channels: index === 0 ? [{ name: room, roles: 'channel_user channel_admin' }] : channels }],
      },
    })),
  ];
  const post = (user: string, second: number, message: string, more: object = {}) => ({
    type: 'post',
    post: { team: 'team', channel: room, ...said(user, second, message, more) },
  });
  const run = async (lines: unknown[] | Buffer, ...words: string[]) => {
    const file = join(directory, aName());
    const text = () => (lines as unknown[]).map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    await writeFile(file, Buffer.isBuffer(lines) ? lines : text());
    const ended = await command(['import', 'mattermost', file, '--workspace', workspace, '--json', ...words]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout);
  };
  return { ann, bob, room, beginning, post, run };
}

/** Common fields of a post and a reply; `second` counts from the beginning of 2020. */
const said = (user: string, second: number, message: string, more: object = {}) => ({
  user,
  message,
  create_at: 1_577_836_800_000 + second * 1_000,
  ...more,
});

describe('import mattermost', () => {
  it('import mattermost makes the overview count its days again', async () => {
    const { bob, beginning, post, run } = anExport();
    await dayCounts.updateOne({ _id: '2020-01-01' }, { $set: { messages: 0 } }, { upsert: true });
    await run([...beginning, post(bob, 1, 'Hello')]);
    expect(await dayCounts.countDocuments({ _id: '2020-01-01' })).toBe(0);
  });

  it('import mattermost imports posts in the order of their times, with threads, reactions, edits and pins', async () => {
    const { ann, bob, room, beginning, post, run } = anExport();
    const lines = [
      ...beginning,
      post(bob, 9, 'Last :owl:'),
      post(ann, 1, `Hello @${bob}. **See** [this](https://example.org)`, {
        is_pinned: true,
        edit_at: 1_577_836_807_000,
        reactions: [{ user: bob, emoji_name: '+1', create_at: 1 }],
        replies: [said(bob, 5, 'Second reply'), said(ann, 3, 'First reply', { reactions: [{ user: ann, emoji_name: 'owl' }] })],
      }),
      post(ann, 4, 'Between'),
      post(ann, 2, `${bob} joined`, { type: 'system_join_channel' }),
    ];
    const report = await run(lines);
    expect(report.counts).toMatchObject({
      people: { read: 2, written: 2 },
      rooms: { read: 1, written: 1 },
      members: { read: 2, written: 2 },
      messages: { read: 6, written: 5, leftOut: { 'a message of the system': 1 } },
      reactions: { read: 2, written: 2 },
    });
    const history = await historyOf(room);
    expect(history.map(({ seq, username, text }) => [seq, username, text])).toEqual([
      [1, ann, `Hello @${bob}. **See** [this](https://example.org)`],
      [2, ann, 'First reply'],
      [3, ann, 'Between'],
      [4, bob, 'Second reply'],
      [5, bob, 'Last 🦉'],
    ]);
    const at = (second: number) => ({ $date: `2020-01-01T00:00:0${second}.000Z` });
    expect(history[0]).toMatchObject({
      name: 'Person 0',
      created_at: at(1),
      edited_at: at(7),
      pinned_at: at(1),
      mentions: [history[4]?.user],
      reactions: [{ emoji: '👍', users: [history[4]?.user] }],
      reply_count: 2,
      replied_at: at(5),
    });
    expect(history[1]).toMatchObject({ thread: history[0]?._id, is_in_room: false, reactions: [{ emoji: '🦉' }] });
    expect(await read(`/api/rooms/${await roomNamed(room)}/details`)).toMatchObject({ topic: 'All of it', message_count: 3 });

    const again = await run(lines);
    expect(again.counts).toMatchObject({
      people: { present: 2, written: 0 },
      messages: { present: 5, written: 0 },
      reactions: { present: 2, written: 0 },
    });
    expect(await historyOf(room)).toEqual(history);
  });

  it('import mattermost distinguishes posts of one person at the same time, and their threads', async () => {
    const { ann, room, beginning, post, run } = anExport();
    const lines = [
      ...beginning,
      post(ann, 1, 'One'),
      post(ann, 1, 'Two', { replies: [said(ann, 1, 'Reply to two')] }),
      post(ann, 1, 'One'),
    ];
    expect((await run(lines)).counts.messages).toMatchObject({ read: 4, written: 4 });
    const history = await historyOf(room);
    expect(history.map(({ text }) => text)).toEqual(['One', 'Two', 'Reply to two', 'One']);
    expect(history[2]?.thread).toEqual(history[1]?._id);
    expect((await run(lines)).counts.messages).toMatchObject({ read: 4, present: 4, written: 0 });
  });

  it('import mattermost distinguishes a reply that is older than its post from another post of its author at that time', async () => {
    const { ann, room, beginning, post, run } = anExport();
    const lines = [...beginning, post(ann, 1, 'One'), post(ann, 2, 'Two', { replies: [said(ann, 1, 'Reply to two')] })];
    expect((await run(lines)).counts.messages).toMatchObject({ read: 3, written: 3 });
    const history = await historyOf(room);
    expect(history.map(({ text }) => text)).toEqual(['One', 'Two', 'Reply to two']);
    expect(history[2]?.thread).toEqual(history[1]?._id);
    expect((await run(lines)).counts.messages).toMatchObject({ read: 3, present: 3, written: 0 });
  });

  it('import mattermost brings direct posts, webhooks and bots over, and mentions those whose names changed by the new ones', async () => {
    const { ann, bob, room, beginning, post, run } = anExport();
    const bot = aName();
    const odd = `${aName()}.`;
    const report = await run([
      ...beginning,
      { type: 'bot', bot: { username: bot, display_name: 'Bot', owner: ann } },
      { type: 'user', user: { username: odd, email: `${ann}@example.com`, delete_at: 5 } },
      post(bot, 1, 'From a bot'),
      post(ann, 2, '', {
        props: { from_webhook: 'true', override_username: 'Builds', attachments: [{ title: 'Build 7', text: 'failed' }] },
      }),
      post(bob, 3, `@${odd} and \`@${odd}\``),
      post(`${bob}-gone`, 4, 'By somebody who is not listed'),
      { type: 'direct_channel', direct_channel: { members: [ann, bob] } },
      { type: 'direct_post', direct_post: { channel_members: [bob, ann], ...said(ann, 5, 'For two') } },
    ]);
    expect(report.counts.rooms).toMatchObject({ read: 2, written: 2 });
    expect(report.notes).toMatchObject({ 'people without an e-mail address of their own': 4 });
    const history = await historyOf(room);
    expect(history.map(({ is_bot, name, text }) => [is_bot ?? false, name, text])).toEqual([
      [true, 'Bot', 'From a bot'],
      [true, 'Builds', '**Build 7**\nfailed'],
      [false, 'Person 1', `@${odd.slice(0, -1)} and \`@${odd}\``],
      [false, undefined, 'By somebody who is not listed'],
    ]);
  });

  it('import mattermost leaves guests inactive until an administrator lets them in', async () => {
    const { ann, beginning, run } = anExport();
    const guest = aName();
    const report = await run([
      ...beginning,
      { type: 'user', user: { username: guest, email: `${guest}@example.com`, roles: 'system_guest' } },
    ]);
    expect(report.notes).toMatchObject({ 'guests, who are inactive until an administrator lets them in': 1 });
    const shown = async (username: string) => JSON.parse((await command(['user', 'show', username, '--json'])).stdout);
    expect(await shown(guest)).toMatchObject({ is_active: false });
    expect(await shown(ann)).toMatchObject({ is_active: true });
  });

  it('import mattermost stores the files of an archive with their messages, by the quotas of the service, and names those that it lacks', async () => {
    const { ann, room, beginning, post, run } = anExport();
    const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(1_000, 7)]);
    const archive = zipOf([
      {
        name: 'import.jsonl',
        bytes: [
          ...beginning,
          post(ann, 1, '', { attachments: [{ path: 'one/owl.png' }, { path: 'one/notes.txt' }] }),
          post(ann, 2, 'With one that is missing', { attachments: [{ path: 'two/missing.pdf' }] }),
          post(ann, 3, 'With one that is damaged', { attachments: [{ path: 'two/damaged.bin' }] }),
        ]
          .map((line) => JSON.stringify(line))
          .join('\n'),
      },
      { name: 'data/one/owl.png', bytes: picture },
      { name: 'data/one/notes.txt', bytes: 'Notes' },
      { name: 'data/two/damaged.bin', bytes: 'Some bytes', size: 3 },
    ]);
    const report = await run(archive);
    expect(report.counts.files).toEqual({
      read: 4,
      written: 2,
      present: 0,
      leftOut: { 'not in the archive': 1, 'damaged in the archive': 1 },
    });
    const history = await historyOf(room);
    expect(history.map(({ text, files }) => [text, files.map(({ name, type, size }) => [name, type, size])])).toEqual([
      [
        '',
        [
          ['owl.png', 'image/png', 1_008],
          ['notes.txt', 'text/plain', 5],
        ],
      ],
      ['With one that is missing\n\nmissing.pdf', []],
      ['With one that is damaged\n\ndamaged.bin', []],
    ]);
    const [owl, notes] = history[0]?.files ?? [];
    const content = await call('GET', `/api/files/${notes?._id.$oid}/content`, { token: admin.token });
    expect(content.status).toBe(200);
    expect(String(content.body)).toContain('Notes');
    expect((await call('GET', `/api/files/${owl?._id.$oid}/content`, { token: admin.token })).status).toBe(200);
    expect(await fileQuotas.findOne({ _id: history[0]?.user.$oid ?? '' })).toMatchObject({ bytes: 1_013 });

    expect((await run(archive)).counts).toMatchObject({
      files: { read: 4, present: 3, written: 0, leftOut: { 'not in the archive': 1 } },
      messages: { present: 3, written: 0 },
    });
    expect(await fileQuotas.findOne({ _id: history[0]?.user.$oid ?? '' })).toMatchObject({ bytes: 1_013 });
    expect(await historyOf(room)).toEqual(history);

    // As a run leaves it that was killed when the files were there, and their message was not.
    const { deletedCount } = await messages.deleteMany({ _id: new ObjectId(history[0]?._id.$oid) });
    expect(deletedCount).toBe(1);
    expect((await run(archive)).counts).toMatchObject({
      files: { written: 2, present: 1 },
      messages: { present: 2, written: 1 },
    });
    expect((await historyOf(room)).at(-1)).toMatchObject({ created_at: history[0]?.created_at, files: history[0]?.files });
    expect(await fileQuotas.findOne({ _id: history[0]?.user.$oid ?? '' })).toMatchObject({ bytes: 1_013 });
    expect(await files.find({ message: new ObjectId(history[0]?._id.$oid), due: { $exists: true } }).toArray()).toEqual([]);
  });

  it('import mattermost takes any posts in any order of their lines, and each text stands in the service once, in the order of its time', async () => {
    const onePost = fc.record({
      user: fc.nat(1),
      second: fc.integer({ min: 1, max: 1_000 }),
      text: fc.string({ unit: anyCharacter, maxLength: 20 }),
      replies: fc.array(fc.record({ user: fc.nat(1), after: fc.integer({ min: -5, max: 500 }) }), { maxLength: 4 }),
      props: fc.jsonValue({ maxDepth: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(onePost, { maxLength: 20 }), async (posts) => {
        const { ann, bob, room, beginning, post, run } = anExport();
        const people = [ann, bob];
        const lines = posts.map(({ user, second, text, replies, props }, at) =>
          post(people[user] ?? ann, second, `(${at}) ${text}`, {
            props,
            replies: replies.map((reply, of) =>
              said(people[reply.user] ?? ann, Math.max(1, second + reply.after), `(${at}.${of})`),
            ),
          }),
        );
        const count = posts.reduce((sum, { replies }) => sum + 1 + replies.length, 0);
        expect((await run([...beginning, ...lines])).counts.messages).toMatchObject({ read: count, written: count });
        const history = await historyOf(room);
        const names = history.map(({ text }) => /\(([\d.]+)\)/.exec(text)?.[1]);
        const expected = posts.flatMap(({ replies }, at) => [`${at}`, ...replies.map((_, of) => `${at}.${of}`)]);
        expect(names.toSorted()).toEqual(expected.toSorted());
        const idOf = new Map(history.map(({ _id }, at) => [names[at], _id]));
        expect(history.map(({ thread }) => thread)).toEqual(
          names.map((name) => (name?.includes('.') ? idOf.get(name.replace(/\..*/, '')) : null)),
        );
        const roots = history.filter(({ thread }) => thread === null).map(({ created_at }) => created_at.$date);
        expect(roots).toEqual(roots.toSorted());
        expect((await run([...beginning, ...lines])).counts.messages).toMatchObject({ written: 0, present: count });
      }),
      { numRuns: 8 },
    );
  });

  it('import mattermost leaves out lines that are not JSON and fields that are not as they should be, and goes on', async () => {
    const { ann, room, beginning, post, run } = anExport();
    const { counts } = await run([
      ...beginning,
      '{"type":"post",',
      'null',
      { type: 'unknown', unknown: { a: 1 } },
      { type: 'post' },
      { type: 'post', post: { team: 'team', channel: room, user: ann, message: 'No time' } },
      { type: 'post', post: { team: 'team', channel: room, message: 'Nobody', create_at: 1 } },
      post(ann, 1, 'Kept', {
        replies: 'none',
        reactions: [null, { user: 7 }],
        attachments: {},
        props: { from_webhook: { toString: 1 } },
        edit_at: 'x',
      }),
    ]);
    expect(counts.pages).toMatchObject({ read: 2, leftOut: { 'not JSON, or too long': 2 } });
    expect(counts.messages).toMatchObject({ read: 4, written: 1, leftOut: { 'without a time': 2, 'without an author': 1 } });
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['Kept']);
  });

  it.each([
    ['is empty', ''],
    ['is something else', '{"type":"post"}\n'],
    ['is an archive without its lines', zipOf([{ name: 'users.json', bytes: '[]' }])],
    ['is an archive with something else', zipOf([{ name: 'import.jsonl', bytes: 'words' }])],
  ])('import mattermost refuses a file that %s', async (_what, content) => {
    const file = join(directory, aName());
    await writeFile(file, content);
    expect(await command(['import', 'mattermost', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`${file} is not an export of Mattermost`),
    });
  });
});
