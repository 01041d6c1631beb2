import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { create } from 'tar';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../lib/messages/messages.ts';
import { aName } from '../support/accounts.ts';
import { anyCharacter } from '../support/characters.ts';
import { admin, claim, directory, historyOf, read, roomNamed } from '../support/imported.ts';
import { bsonOf, chunksOf, type Dump, rocketMessage, rocketTime, rocketUser, writeDump } from '../support/rocketchat-dump.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

/** A server with two people and a room, whose names no other test has. */
function aServer() {
  const workspace = aName();
  const [ann, bob] = [rocketUser('a', aName()), rocketUser('b', aName())];
  const room = aName();
  const base = {
    users: [ann, bob],
    rocketchat_room: [
      { _id: 'GENERAL', t: 'c', name: room, topic: 'All of it', ts: rocketTime(0), u: { _id: 'a' }, usersCount: 2 },
    ] as object[],
    rocketchat_subscription: [
      { _id: 's1', rid: 'GENERAL', t: 'c', u: { _id: 'a', username: ann.username }, roles: ['owner'] },
      { _id: 's2', rid: 'GENERAL', t: 'c', u: { _id: 'b', username: bob.username } },
    ] as object[],
  };
  const runFile = async (path: string, ...words: string[]) => {
    const ended = await command(['import', 'rocketchat', path, '--workspace', workspace, '--json', ...words]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout);
  };
  const run = async (dump: Dump, ...words: string[]) => {
    const path = join(directory, aName());
    await writeDump(path, { ...base, ...dump });
    return runFile(path, ...words);
  };
  return { ann, bob, room, base, run, runFile };
}

describe('import rocketchat', () => {
  it('import rocketchat brings a room over as the API shows it: order, authors, times, threads, reactions, edits and pins', async () => {
    const { ann, bob, room, run } = aServer();
    const dump = {
      rocketchat_message: [
        rocketMessage(bob, 4, 'Shown reply', { tmid: 'm1', tshow: true }),
        rocketMessage(ann, 5, 'Last', { pinned: true, pinnedAt: rocketTime(8), editedAt: rocketTime(7), editedBy: { _id: 'a' } }),
        rocketMessage(bob, 3, 'Hidden reply', { tmid: 'm1' }),
        rocketMessage(ann, 1, `Hello @${bob.username}, *see* :tada:`, {
          tcount: 2,
          reactions: { ':+1:': { usernames: [bob.username, ann.username] }, ':party_parrot:': { usernames: [ann.username] } },
        }),
        rocketMessage(bob, 2, 'bob', { t: 'uj' }),
      ],
    };
    const report = await run(dump);
    expect(report.counts).toMatchObject({
      people: { read: 2, written: 2 },
      rooms: { read: 1, written: 1 },
      members: { read: 2, written: 2 },
      messages: { read: 5, written: 4, leftOut: { 'a message of the system': 1 } },
      reactions: { read: 3, written: 3 },
    });
    const history = await historyOf(room);
    expect(history.map(({ seq, username, text }) => [seq, username, text])).toEqual([
      [1, ann.username, `Hello @${bob.username}, **see** 🎉`],
      [2, bob.username, 'Hidden reply'],
      [3, bob.username, 'Shown reply'],
      [4, ann.username, 'Last'],
    ]);
    const [first, hidden, shown, last] = history as [Message, Message, Message, Message];
    expect(first).toMatchObject({
      name: 'Person a',
      created_at: { $date: '2020-01-01T00:00:01.000Z' },
      mentions: [hidden.user],
      reply_count: 2,
      reactions: [
        { emoji: '👍', users: [hidden.user, first.user] },
        { emoji: 'party_parrot', users: [first.user] },
      ],
    });
    expect([hidden, shown].map(({ thread, is_in_room }) => ({ thread, is_in_room }))).toEqual([
      { thread: first._id, is_in_room: false },
      { thread: first._id, is_in_room: true },
    ]);
    expect(last).toMatchObject({
      edited_at: { $date: '2020-01-01T00:00:07.000Z' },
      pinned_at: { $date: '2020-01-01T00:00:08.000Z' },
    });
    expect(await read(`/api/rooms/${await roomNamed(room)}/details`)).toMatchObject({ topic: 'All of it', message_count: 3 });

    expect((await run(dump)).counts).toMatchObject({
      messages: { present: 4, written: 0 },
      reactions: { present: 3, written: 0 },
    });
    expect(await historyOf(room)).toEqual(history);
    const later = { rocketchat_message: [...dump.rocketchat_message, rocketMessage(bob, 9, 'Later', { tmid: 'm1' })] };
    expect((await run(later)).counts.messages).toMatchObject({ present: 4, written: 1 });
    expect((await historyOf(room)).at(-1)).toMatchObject({ text: 'Later', thread: first._id });
  });

  it('import rocketchat writes quotes, links, discussions and what programs have sent as Markdown, and mentions by the names of here', async () => {
    const { ann, bob, room, base, run } = aServer();
    const odd = rocketUser('o', `${aName()}.Ö`);
    await run({
      users: [...base.users, odd],
      rocketchat_message: [
        rocketMessage(ann, 1, '[ ](https://chat.example.com/channel/general?msg=m0) I agree', {
          attachments: [
            { message_link: 'https://chat.example.com/channel/general?msg=m0', author_name: 'bob', text: 'So *be* it' },
          ],
        }),
        rocketMessage(bob, 2, `\`*a* @${bob.username}\` <https://example.org/a|this> ~no~ * one\n* two`),
        rocketMessage(ann, 3, 'A plan', { t: 'discussion-created', drid: 'D' }),
        rocketMessage(ann, 4, '', { bot: { i: '1' }, alias: 'Builds', attachments: [{ title: 'Build 7', text: 'failed' }] }),
        rocketMessage(ann, 5, 'Bad', { attachments: [null, 7, { title: { a: 1 } }, { fields: 'x' }], bot: {}, alias: {} }),
        rocketMessage({ _id: 'gone', username: `${ann.username}-gone` }, 6, 'By somebody who is not listed'),
      ],
    });
    expect((await historyOf(room)).map(({ is_bot, name, text }) => [is_bot ?? false, name, text])).toEqual([
      [false, 'Person a', '> **bob**\n> So **be** it\n\nI agree'],
      [false, 'Person b', `\`*a* @${bob.username}\` [this](https://example.org/a) ~~no~~ * one\n* two`],
      [false, 'Person a', 'Discussion: **A plan**'],
      [true, 'Builds', '**Build 7**\nfailed'],
      [false, 'Person a', 'Bad'],
      [false, 'Person gone', 'By somebody who is not listed'],
    ]);
  });

  it('import rocketchat imports private rooms, discussions and conversations, and skips those with customers', async () => {
    const { ann, bob, room, base, run } = aServer();
    const [secret, plan, old] = [aName(), aName(), aName()];
    const member = (rid: string, id: string) => ({ _id: `${rid}${id}`, rid, u: { _id: id } });
    const at = (rid: string, second: number, msg: string, more: object = {}) => rocketMessage(ann, second, msg, { rid, ...more });
    const report = await run({
      users: [...base.users, rocketUser('c', aName(), { active: false })],
      rocketchat_room: [
        ...base.rocketchat_room,
        { _id: 'P', t: 'p', name: secret, u: { _id: 'a' } },
        { _id: 'D', t: 'p', name: 'x7d', fname: plan, prid: 'GENERAL' },
        { _id: 'O', t: 'c', name: old, archived: true },
        { _id: 'ab', t: 'd', uids: ['a', 'b'], usernames: [ann.username, bob.username] },
        { _id: 'abc', t: 'd', uids: ['a', 'b', 'c'] },
        { _id: 'old', t: 'd', usernames: [ann.username] },
        { _id: 'L', t: 'l', fname: 'Visitor' },
      ],
      rocketchat_subscription: [...base.rocketchat_subscription, member('P', 'a'), member('D', 'a'), member('404', 'a')],
      rocketchat_message: [
        at('P', 1, 'Secret'),
        at('D', 2, 'In the discussion'),
        at('ab', 3, 'For two'),
        at('abc', 4, 'For three'),
        at('old', 5, 'To myself'),
        at('L', 6, 'To a customer'),
        at('nowhere', 7, 'Of no room'),
        at('P', 8, 'Reply to another room', { tmid: 'm3' }),
      ],
    });
    expect(report.counts.rooms).toMatchObject({
      read: 9,
      written: 7,
      leftOut: { 'a conversation with customers': 1, 'not listed in the archive': 1 },
    });
    const { token } = await claim(ann.username);
    const mine = (await read('/api/members?user=me&limit=200', token)) as { room: { $oid: string }; room_name: string }[];
    const told = await Promise.all(
      mine.map(async ({ room: { $oid }, room_name }) => {
        const shown = (await read(`/api/rooms/${$oid}`, token)) as { is_open: boolean };
        const history = (await read(`/api/messages?room=${$oid}&limit=200`, token)) as Message[];
        return [room_name, shown.is_open, history.map(({ text, thread }) => [text, thread])];
      }),
    );
    const expected = [
      [room, true, []],
      [
        secret,
        false,
        [
          ['Secret', null],
          ['Reply to another room', null],
        ],
      ],
      [plan, false, [['In the discussion', null]]],
      ['', false, [['For two', null]]],
      ['', false, [['For three', null]]],
      [ann.username, false, [['To myself', null]]],
    ];
    expect(told).toHaveLength(expected.length);
    expect(told).toEqual(expect.arrayContaining(expected));
    expect(await read(`/api/rooms/${await roomNamed(old)}/details`)).toMatchObject({ archived_at: expect.anything() });
  });

  it('import rocketchat brings the open channels of a team over as open only if the team is', async () => {
    const { ann, room, base, run } = aServer();
    const [open, shut, ofOpen, ofShut, ofNone] = [aName(), aName(), aName(), aName(), aName()];
    // The main rooms come last: a channel may be older than the team that it was added to.
    const added = [
      { _id: 'T1', t: 'c', name: ofOpen, teamId: 'open' },
      { _id: 'T2', t: 'c', name: ofShut, teamId: 'shut' },
      { _id: 'T3', t: 'c', name: ofNone, teamId: 'nowhere' },
      { _id: 'M1', t: 'c', name: open, teamId: 'open', teamMain: true },
      { _id: 'M2', t: 'p', name: shut, teamId: 'shut', teamMain: true },
    ];
    await run({
      rocketchat_room: [...base.rocketchat_room, ...added],
      rocketchat_subscription: [
        ...base.rocketchat_subscription,
        ...added.map(({ _id }) => ({ _id: `s${_id}`, rid: _id, u: { _id: 'a' } })),
      ],
      rocketchat_message: added.map(({ _id, name }, at) => rocketMessage(ann, at + 1, name, { rid: _id })),
    });
    const { token } = await claim(ann.username);
    const mine = (await read('/api/members?user=me&limit=200', token)) as { room: { $oid: string }; room_name: string }[];
    const isOpen = await Promise.all(
      mine.map(async ({ room: { $oid }, room_name }) => {
        const shown = (await read(`/api/rooms/${$oid}`, token)) as { is_open: boolean };
        return [room_name, shown.is_open];
      }),
    );
    const expected = [room, ofOpen, open, ofShut, ofNone, shut].map((name, at) => [name, at < 3]);
    expect(isOpen).toHaveLength(expected.length);
    expect(isOpen).toEqual(expect.arrayContaining(expected));
  });

  it('import rocketchat imports guests as inactive accounts, except guests who are also users', async () => {
    const { ann, base, run } = aServer();
    const [guest, both] = [aName(), aName()];
    const report = await run({
      users: [...base.users, rocketUser('g', guest, { roles: ['guest'] }), rocketUser('h', both, { roles: ['guest', 'user'] })],
      rocketchat_message: [],
    });
    expect(report.notes).toMatchObject({ 'guests, who are inactive until an administrator lets them in': 1 });
    const shown = async (username: string) => JSON.parse((await command(['user', 'show', username, '--json'])).stdout);
    expect(await shown(guest)).toMatchObject({ is_active: false });
    expect(await shown(both)).toMatchObject({ is_active: true });
    expect(await shown(ann.username)).toMatchObject({ is_active: true });
  });

  it('import rocketchat stores the files that the database has, without small pictures, and names those that are elsewhere or damaged', async () => {
    const { ann, room, run } = aServer();
    const file = (id: string, name: string) => ({ _id: id, name, type: 'text/plain' });
    const described = (description: string) => [{ type: 'file', title: 'x', title_link: '/file-upload/f1/x', description }];
    const dump = {
      rocketchat_uploads: [
        { _id: 'f1', name: 'notes.txt', size: 10, type: 'text/plain', store: 'GridFS:Uploads' },
        { _id: 'f2', name: 'elsewhere.txt', size: 5, store: 'FileSystem:Uploads' },
        { _id: 'f3', name: 'hole.txt', size: 2, store: 'GridFS:Uploads' },
        { _id: 'f4', name: 'short.txt', size: 100, store: 'GridFS:Uploads' },
      ],
      'rocketchat_uploads.chunks': [
        ...chunksOf('f1', 'Notes', ' here').reverse(),
        ...chunksOf('f3', 'a', '', 'c').filter(({ n }) => n !== 1),
        ...chunksOf('f4', 'abc'),
        { files_id: 'f1' },
      ],
      rocketchat_message: [
        rocketMessage(ann, 1, '', {
          files: [file('f1', 'notes.txt'), file('f0', 'thumb-notes.txt')],
          attachments: described('Read *it*'),
        }),
        rocketMessage(ann, 2, 'Two', { files: [file('f2', 'elsewhere.txt')], file: file('f2', 'elsewhere.txt') }),
        rocketMessage(ann, 3, 'Three', { file: file('f3', 'hole.txt') }),
        rocketMessage(ann, 4, 'Four', { file: file('f4', 'short.txt') }),
        rocketMessage(ann, 5, 'Five', { files: [null, {}, 'x'] }),
      ],
    };
    const report = await run(dump);
    expect(report.counts.files).toEqual({
      read: 4,
      written: 1,
      present: 0,
      leftOut: { 'not in the archive': 2, 'damaged in the archive': 1 },
    });
    const history = await historyOf(room);
    expect(history.map(({ text, files }) => [text, files.map(({ name, size }) => [name, size])])).toEqual([
      ['Read **it**', [['notes.txt', 10]]],
      ['Two\n\nelsewhere.txt', []],
      ['Three\n\nhole.txt', []],
      ['Four\n\nshort.txt', []],
      ['Five', []],
    ]);
    const content = await call('GET', `/api/files/${history[0]?.files[0]?._id.$oid}/content`, { token: admin.token });
    expect(String(content.body)).toContain('Notes here');
    expect((await run(dump)).counts.files).toMatchObject({ present: 2, written: 0 });
  });

  it('import rocketchat reads what mongodump --gzip has written, and a dump that was packed afterwards, as the same dump', async () => {
    const { ann, room, base, runFile } = aServer();
    const dump = { ...base, rocketchat_message: [rocketMessage(ann, 1, 'One'), rocketMessage(ann, 2, 'Two')] };
    const [plain, packed] = [join(directory, aName()), join(directory, aName())];
    await writeDump(plain, dump);
    await writeDump(packed, dump, true);
    const tar = join(directory, `${aName()}.tar.gz`);
    await create({ gzip: true, cwd: packed, file: tar }, ['.']);
    expect((await runFile(packed)).counts.messages).toMatchObject({ written: 2 });
    for (const path of [plain, join(plain, 'rocketchat'), tar])
      expect((await runFile(path)).counts.messages).toMatchObject({ read: 2, present: 2 });
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['One', 'Two']);
  });

  it('import rocketchat skips deleted, hidden, encrypted and invalid records', async () => {
    const { ann, room, base, run, runFile } = aServer();
    const deep = (depth: number): object => Array.from({ length: depth }).reduce<object>((within) => ({ a: within }), {});
    const report = await run({
      users: [...base.users, {}, { _id: 7, emails: 'x' }, { _id: 'e', emails: [null, {}] }],
      rocketchat_room: [...base.rocketchat_room, {}, { _id: null }],
      rocketchat_subscription: [
        ...base.rocketchat_subscription,
        {},
        { rid: 'GENERAL', u: 'x' },
        { rid: 'GENERAL', u: { _id: 'd' } },
      ],
      rocketchat_message: [
        rocketMessage(ann, 1, '', { t: 'rm' }),
        rocketMessage(ann, 2, 'Older', { _hidden: true }),
        rocketMessage(ann, 3, 'x', { t: 'e2e' }),
        rocketMessage(ann, 4, 'Called', { t: 'videoconf' }),
        rocketMessage(ann, 5, 'No time', { ts: '2020' }),
        rocketMessage(ann, 6, 'Nobody', { u: null }),
        rocketMessage(ann, 7, ' '),
        { rid: 'GENERAL', msg: 'No id', ts: rocketTime(8), u: ann },
        rocketMessage(ann, 9, 'Kept', {
          reactions: { ':owl:': { usernames: ['nobody', 8, null] }, ':x:': null, 'a b': { usernames: [ann.username] } },
          editedAt: 7,
          tmid: 'm404',
          pinned: 'x',
          files: 'x',
          attachments: { a: deep(200) },
        }),
      ],
    });
    expect(report.counts.messages).toEqual({
      read: 9,
      written: 1,
      present: 0,
      leftOut: {
        'deleted in the source': 1,
        'hidden in the source: deleted, or an older text of an edited one': 1,
        'encrypted in the source': 1,
        'a message of the system': 1,
        'without a time': 1,
        'without an author': 1,
        'without a text': 1,
        'without an id': 1,
      },
    });
    expect(report.counts.reactions).toMatchObject({
      read: 3,
      leftOut: { 'of somebody who is not in the archive': 2, 'not an emoji or a word': 1 },
    });
    expect((await historyOf(room)).map(({ text, thread }) => [text, thread])).toEqual([['Kept', null]]);

    const whole = bsonOf([rocketMessage(ann, 20, 'Whole')]);
    const broken = Buffer.from(bsonOf([{ a: 'text' }]));
    broken[4] = 0x7e;
    for (const [bytes, pages] of [
      [Buffer.concat([whole, whole.subarray(0, 50)]), 1],
      [Buffer.concat([broken, whole]), 1],
      [Buffer.concat([whole, Buffer.from([2, 0, 0, 0]), whole]), 1],
      [Buffer.concat([whole, Buffer.from([0xff, 0xff, 0xff, 0x7f]), whole]), 1],
      [Buffer.concat([bsonOf([{ a: deep(50_000) }]), whole]), 0],
      [gzipSync(whole), 1],
      [Buffer.alloc(0), 0],
    ] as const) {
      const path = join(directory, aName());
      await writeDump(path, { ...base, rocketchat_message: bytes });
      const { counts } = await runFile(path, '--incomplete', '--left-out', join(path, 'left-out.ndjson'));
      expect(counts.pages.read).toBe(pages);
    }
    const cut = join(directory, aName());
    await writeDump(cut, base);
    await writeFile(join(cut, 'rocketchat', 'rocketchat_message.bson.gz'), gzipSync(whole).subarray(0, 40));
    expect((await runFile(cut, '--incomplete')).counts.pages).toMatchObject({ leftOut: { 'not BSON, cut off, or too long': 1 } });
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['Kept', 'Whole']);
  });

  it('import rocketchat takes any messages, and each text stands in the service once', async () => {
    const oneMessage = fc.record({
      user: fc.nat(1),
      thread: fc.option(fc.nat(20), { nil: undefined }),
      words: fc.string({ unit: anyCharacter, maxLength: 30 }),
      more: fc.dictionary(
        fc.constantFrom('t', 'tshow', 'files', 'attachments', 'reactions', 'alias', 'bot', 'editedAt', 'pinned', 'u', 'tcount'),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneMessage, { maxLength: 20 }), async (list) => {
        const { ann, bob, run } = aServer();
        const dump = {
          rocketchat_message: list.map(({ user, thread, words, more }, at) =>
            rocketMessage(user === 0 ? ann : bob, at, `(${at}) ${words}`, {
              ...(thread !== undefined && { tmid: `m${thread}` }),
              ...more,
            }),
          ),
        };
        const promised = (await run(dump, '--dry-run')).counts;
        const { counts } = await run(dump);
        expect(counts).toEqual(promised);
        expect(counts.messages.read).toBe(list.length);
        expect((await run(dump)).counts.messages).toMatchObject({ written: 0, present: counts.messages.written });
      }),
      { numRuns: 10 },
    );
  });

  it('import rocketchat names the problem if its input is not a dump of Rocket.Chat', async () => {
    const [empty, archive, words, missing] = ['a', 'b', 'c', 'd'].map(() => join(directory, aName())) as [
      string,
      string,
      string,
      string,
    ];
    await writeDump(empty, { users: [] });
    await writeFile(archive, Buffer.from([0x6d, 0xe2, 0x99, 0x81, 0, 0]));
    await writeFile(words, 'words');
    for (const [path, sentence] of [
      [empty, 'it has no rocketchat_message.bson'],
      [archive, 'mongodump --archive'],
      [words, 'is neither a directory nor a tar or zip archive'],
      [missing, 'ENOENT'],
    ] as const) {
      const ended = await command(['import', 'rocketchat', path]);
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toContain(sentence);
    }
  });

  it('import rocketchat refuses a collection that unpacks to too much', async () => {
    const path = join(directory, aName());
    const chunks = chunksOf('f', ...Array.from({ length: 5 }, () => Buffer.alloc(15 * 1024 * 1024)));
    await writeDump(path, { rocketchat_message: [], 'rocketchat_uploads.chunks': chunks }, true);
    const ended = await command(['import', 'rocketchat', path]);
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('unpacks to too much') });
  });
});
