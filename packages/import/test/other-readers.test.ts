import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importFromSource } from '../../../lib/imports/import.ts';
import { readArchive, textsOf } from '../../../test/support/read-source.ts';
import { bsonOf, rocketMessage, rocketUser } from '../../../test/support/rocketchat-dump.ts';
import { type TarEntry, tarGzOf, tarOf } from '../../../test/support/tar.ts';
import { type ZipEntry, zipOf } from '../../../test/support/zip.ts';
import { zulipArchive, zulipEntries, zulipMessage, zulipUser } from '../../../test/support/zulip-export.ts';
import { openMattermost } from '../src/mattermost/mattermost.ts';
import { openRocketChat } from '../src/rocketchat/rocketchat.ts';
import type { Source } from '../src/source.ts';
import { openZulip } from '../src/zulip/zulip.ts';

const linesOf = (...lines: unknown[]) => lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

/** Imports without writing, like the command's first pass. */
const tryImport = (open: (path: string) => Promise<Source>) => async (path: string) => {
  const source = await open(path);
  try {
    await importFromSource(source, {
      ...{ workspace: 'tried', isDryRun: true, mapsByEmail: false },
      leaveOut: () => {},
      progress: () => {},
    });
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
};

describe('an export of Mattermost as people repack it', () => {
  const version = { type: 'version', version: 1 };
  const channel = { type: 'channel', channel: { team: 't', name: 'town', display_name: 'Town', type: 'O' } };
  const user = (username: string, teams: unknown[] = [{ name: 't' }]) => ({ type: 'user', user: { username, teams } });
  const post = (message: string, more: object = {}) => ({
    type: 'post',
    post: { team: 't', channel: 'town', user: 'zoe', message, create_at: 1_577_836_800_000, ...more },
  });
  const lines = linesOf(version, channel, user('zoe'), post('Hello'));

  it.each([
    ['with a byte order mark', `\ufeff${lines}`],
    ['with the line ends of Windows', `${lines.replaceAll('\n', '\r\n')}\r\n`],
    ['with empty lines', `${lines}\n\n  \n`],
    ['in an archive', zipOf([{ name: 'import.jsonl', bytes: lines }])],
    ['under another name', zipOf([{ name: 'export of 2020.jsonl', bytes: lines }])],
    ['in a folder', zipOf([{ name: 'mm-export/import.jsonl', bytes: lines }])],
    ['in two folders', zipOf([{ name: 'a/b/import.jsonl', bytes: lines }])],
    ['with a byte order mark in a folder', zipOf([{ name: 'mm-export/import.jsonl', bytes: `\ufeff${lines}` }])],
    [
      'beside notes',
      zipOf([
        { name: 'a.jsonl', bytes: '{"note":1}\n' },
        { name: 'import.jsonl', bytes: lines },
      ]),
    ],
    [
      'by macOS',
      zipOf([
        { name: '__MACOSX/._import.jsonl', bytes: 'x' },
        { name: 'import.jsonl', bytes: lines },
      ]),
    ],
    ['packed by tar', tarGzOf([{ name: 'mm-export/import.jsonl', bytes: lines }])],
    ['as a plain tar archive', tarOf([{ name: './import.jsonl', bytes: lines }])],
  ])('an import from Mattermost reads an export %s', async (_how, archive) => {
    const read = await readArchive(openMattermost, archive);
    expect([textsOf(read), read.leftOut]).toEqual([{ Town: ['Hello'] }, []]);
  });

  it('an import from Mattermost refuses two exports in one archive, and names them', async () => {
    const two = ['one.jsonl', 'two.jsonl'].map((name) => ({ name, bytes: lines }));
    await expect(readArchive(openMattermost, zipOf(two))).rejects.toThrow(/more than one export: one.jsonl, two.jsonl/);
  });

  it.each([
    ['in NFC', 'büro.txt', (name: string) => name],
    ['in NFD', 'büro.txt', (name: string) => name.normalize('NFD')],
    ['without the flag of UTF-8', 'файл.txt', (name: string) => Buffer.from(name)],
    ['with backslashes', 'a.txt', (name: string) => name.replaceAll('/', '\\')],
    ['in a folder', 'a.txt', (name: string) => `mm-export/${name}`],
    ['in Latin-1', 'büro.txt', (name: string) => (name.includes('ü') ? Buffer.from(name, 'latin1') : name)],
  ])('an import from Mattermost finds files whose names are %s', async (_how, name, rename) => {
    const path = `20200101/teams/${name}`;
    const archive: ZipEntry[] = [
      { name: rename('import.jsonl'), bytes: linesOf(version, channel, user('zoe'), post('', { attachments: [{ path }] })) },
      { name: rename(`data/${path}`), bytes: 'Some bytes' },
    ];
    const { rooms, unread } = await readArchive(openMattermost, zipOf(archive));
    expect(rooms[0]?.messages[0]?.files).toMatchObject([{ name, size: 10 }]);
    expect(unread).toEqual([]);
  });

  it('an import from Mattermost refuses lines that were cut off, and counts those of kinds that it does not read', async () => {
    const cut = lines.slice(0, -20);
    await expect(readArchive(tryImport(openMattermost), cut)).rejects.toThrow(/is incomplete: it ends in the middle of a line/);
    const { leftOut, unread } = await readArchive(
      openMattermost,
      zipOf([
        {
          name: 'import.jsonl',
          bytes: linesOf(version, channel, user('zoe'), post('Hello'), { type: 'emoji', emoji: { name: 'owl' } }),
        },
        { name: 'data/emoji/owl.png', bytes: 'x' },
      ]),
    );
    expect([leftOut, unread]).toEqual([
      [{ kind: 'parts', leftOut: 'not read: lines of the type emoji' }],
      ['data/emoji/owl.png'],
    ]);
  });

  it('an import from Mattermost leaves out calls, and files without any data', async () => {
    const posts = [post('Call started', { type: 'custom_calls' }), post('See this', { attachments: [{ path: '' }] })];
    const { rooms, leftOut } = await readArchive(openMattermost, linesOf(version, channel, user('zoe'), ...posts));
    expect(rooms[0]?.messages.map(({ text, files }) => [text, files.map(({ gone }) => gone)])).toEqual([
      ['See this', ['without a name']],
    ]);
    expect(leftOut).toEqual([{ kind: 'messages', leftOut: 'a message of the system' }]);
  });

  it('an import from Mattermost closes the open channels of a team that not everybody could join', async () => {
    const kindOf = async (type: string, ...people: object[]) => {
      const team = { type: 'team', team: { name: 't', type } };
      const read = await readArchive(openMattermost, linesOf(version, team, channel, ...people, post('Hello')));
      return read.rooms[0]?.kind;
    };
    expect(await kindOf('I', user('zoe'), user('yan', []))).toBe('private');
    expect(await kindOf('O', user('zoe'), user('yan', []))).toBe('public');
    expect(await kindOf('I', user('zoe'), { type: 'user', user: { username: 'yan', delete_at: 5 } })).toBe('public');
  });

  it('an import refuses messages without people', async () => {
    const nobody = linesOf(version, channel, post('Hello'));
    await expect(readArchive(tryImport(openMattermost), nobody)).rejects.toThrow('contains messages but no people');
  });
});

describe('an export of Zulip as people repack it', () => {
  const exported = {
    people: [zulipUser(11, 'Ann')],
    streams: [{ id: 1, name: 'general' }],
    recipients: [{ id: 5, type: 2, type_id: 1 }],
    messages: [1, 2, 3, 4].map((second) => zulipMessage(11, 5, second, `Message ${second}`, { subject: '' })),
  };
  const file = 'uploads/2/ab/画像ü.png';
  const withFile = {
    ...exported,
    messages: [zulipMessage(11, 5, 1, `[Picture](/user_uploads/2/ab/${encodeURIComponent('画像ü.png')})`)],
  };
  const filesOf = async (archive: Uint8Array) => (await readArchive(openZulip, archive)).rooms[0]?.messages[0]?.files;

  it.each([
    ['in NFC', (name: string) => name],
    ['in NFD', (name: string) => name.normalize('NFD')],
  ])('an import from Zulip finds files whose names are %s', async (_how, rename) => {
    const entries = [...zulipEntries(withFile), { name: `zulip-export-abc/${file}`, bytes: 'Bytes' }];
    const renamed = entries.map((entry) => ({ ...entry, name: rename(entry.name) }));
    expect(await filesOf(tarGzOf(renamed))).toMatchObject([{ size: 5 }]);
    expect(
      await filesOf(zipOf(renamed.map((entry) => ({ name: Buffer.from(entry.name), bytes: entry.bytes ?? '' })))),
    ).toMatchObject([{ size: 5 }]);
  });

  it('an import from Zulip reads reactions that stand beside the messages', async () => {
    const entries = zulipEntries({ ...exported, messages: exported.messages.slice(0, 1) });
    const reaction = { message: 1_001, user_profile: 11, emoji_name: 'owl', emoji_code: '1f989' };
    const page = { zerver_message: exported.messages.slice(0, 1), zerver_usermessage: [{ id: 1 }], zerver_reaction: [reaction] };
    const changed = entries.map((entry) => (/messages-/.test(entry.name) ? { ...entry, bytes: JSON.stringify(page) } : entry));
    const { rooms } = await readArchive(openZulip, tarGzOf(changed));
    expect(rooms[0]?.messages[0]?.reactions).toEqual([{ emoji: '🦉', user: '11' }]);
  });

  it.each([
    ['lacks a file of messages', (all: TarEntry[]) => all.filter(({ name }) => !name.includes('messages-000001'))],
    ['has a file that was cut off', (all: TarEntry[]) => all.map((one) => (one.name.includes('000002') ? cut(one) : one))],
    [
      'has a realm.json that was cut off',
      (all: TarEntry[]) => all.map((one) => (one.name.includes('realm.json') ? cut(one) : one)),
    ],
    [
      'was not ended',
      (all: TarEntry[]) => all.map((one) => ({ ...one, name: one.name.replace('000002.json', '000002.json.partial') })),
    ],
  ])('an import from Zulip refuses an export that %s', async (_how, change) => {
    const entries = change(zulipEntries(exported));
    await expect(readArchive(tryImport(openZulip), tarGzOf(entries))).rejects.toThrow('The archive is incomplete');
  });

  const cut = ({ name, bytes = '' }: TarEntry): TarEntry => ({ name, bytes: bytes.slice(0, -30) });

  it.each([
    ['a packed archive', (whole: Buffer) => whole.subarray(0, whole.length - 60)],
    ['its middle', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
  ])('an import from Zulip refuses %s that was cut off', async (_what, change) => {
    await expect(readArchive(openZulip, change(zulipArchive(exported)))).rejects.toThrow();
  });

  it('an import from Zulip makes inactive accounts of people who stand in for those of another chat', async () => {
    const { people } = await readArchive(openZulip, zulipArchive({ ...exported, dummies: [zulipUser(12, 'Dan')] }));
    expect(people.map(({ name, isActive }) => [name, isActive])).toEqual([
      ['Ann', true],
      ['Dan', false],
    ]);
  });

  it('an import from Zulip names the files that no message has', async () => {
    const { unread } = await readArchive(
      openZulip,
      tarGzOf([...zulipEntries(exported), { name: `zulip-export-abc/${file}`, bytes: 'x' }]),
    );
    expect(unread.sort()).toEqual(['attachment.json', 'avatars/records.json', file.normalize('NFC')].sort());
  });
});

describe('a dump of Rocket.Chat as people repack it', () => {
  const ivan = rocketUser('a', 'иван');
  const dump = (change = (bytes: Buffer) => bytes): TarEntry[] =>
    Object.entries({
      users: [ivan],
      rocketchat_room: [{ _id: 'r', t: 'c', name: 'общий' }],
      rocketchat_message: [rocketMessage(ivan, 1, 'Hello @иван and @nobody', { rid: 'r' })],
    }).map(([name, documents]) => ({
      name: `dump/rocketchat/${name}.bson`,
      bytes: name === 'rocketchat_message' ? change(bsonOf(documents)) : bsonOf(documents),
    }));

  it('an import from Rocket.Chat mentions people whose usernames are in any script', async () => {
    const { rooms } = await readArchive(openRocketChat, tarGzOf(dump()));
    expect(rooms.map(({ name, messages }) => [name, messages[0]?.text])).toEqual([['общий', 'Hello @name-a and @nobody']]);
  });

  it('an import from Rocket.Chat refuses a collection that was cut off', async () => {
    const cut = tarGzOf(dump((bytes) => bytes.subarray(0, -5)));
    await expect(readArchive(tryImport(openRocketChat), cut)).rejects.toThrow('rocketchat_message is cut off');
    const packed = dump().map(({ name, bytes = '' }) => ({ name: `${name}.gz`, bytes: gzipSync(bytes).subarray(0, -12) }));
    await expect(readArchive(tryImport(openRocketChat), tarGzOf(packed))).rejects.toThrow('is cut off');
  });

  it('an import from Rocket.Chat leaves out a document that is not BSON, and reads the others', async () => {
    const notBson = Buffer.from([10, 0, 0, 0, 0x7e, 1, 2, 3, 4, 0]);
    const read = await readArchive(openRocketChat, tarGzOf(dump((bytes) => Buffer.concat([notBson, bytes]))));
    expect([Object.values(textsOf(read)).flat().length, read.leftOut]).toEqual([
      1,
      [{ kind: 'pages', leftOut: 'not BSON, cut off, or too long' }],
    ]);
  });

  it('an import from Rocket.Chat names the collections that it does not read', async () => {
    const more = { name: 'dump/rocketchat/rocketchat_avatars.bson', bytes: 'x' };
    expect((await readArchive(openRocketChat, tarGzOf([...dump(), more]))).unread).toEqual(['rocketchat_avatars.bson']);
  });
});
