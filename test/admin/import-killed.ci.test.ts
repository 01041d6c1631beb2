import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { withConfig } from '../support/config.ts';
import { dataDirectories } from '../support/data-directories.ts';
import { rocketMessage, rocketUser, writeDump } from '../support/rocketchat-dump.ts';
import { admin, asProcess } from '../support/run-command.ts';
import { slackMessage, slackUser, tsOf, writeSlackExport } from '../support/slack-export.ts';
import { startDatabase } from '../support/worker.ts';
import { zulipArchive, zulipMessage, zulipUser } from '../support/zulip-export.ts';

const { directory } = dataDirectories('chat-import-killed');

/** A database of its own on the server of the tests. */
async function aDatabase() {
  await startDatabase();
  const name = `chat_import_${randomBytes(6).toString('hex')}`;
  const client = new MongoClient(process.env.MONGODB_URI ?? '');
  return {
    name,
    database: client.db(name),
    close: async () => {
      await client.db(name).dropDatabase();
      await client.close();
    },
  };
}

const rooms = ['one', 'two', 'three'];
const perRoom = 700;

/** Numbers of as many messages as a room has, each as something that a source calls a message. */
const inRoom = <T>(made: (at: number) => T): T[] => Array.from({ length: perRoom }, (_, at) => made(at));

async function slackFile(): Promise<string> {
  const file = join(directory, 'export.zip');
  const users = ['U1', 'U2', 'U3'].map((id) => slackUser(id, id.toLowerCase()));
  const list = (room: number) =>
    inRoom((at) =>
      slackMessage(`U${1 + (at % 3)}`, at, `${room} ${at} for <@U1>`, {
        ...(at % 5 === 3 && { thread_ts: tsOf(at - (at % 10)) }),
        ...(at % 7 === 0 && { reactions: [{ name: '+1', users: ['U1', 'U2'] }] }),
      }),
    );
  await writeSlackExport(file, {
    users,
    channels: rooms.slice(1).map((name, index) => ({ id: `C${index}`, name, creator: 'U1', members: ['U1', 'U2', 'U3'] })),
    mpims: [{ id: 'G1', name: rooms[0], members: ['U1', 'U2', 'U3'] }],
    days: Object.fromEntries(rooms.map((name, index) => [`${name}/2020-01-01`, list(index)])),
  });
  return file;
}

async function zulipFile(): Promise<string> {
  const file = join(directory, 'export.tar.gz');
  const people = [11, 12, 13];
  const archive = zulipArchive({
    people: people.map((id) => zulipUser(id, `u${id}`)),
    streams: rooms.slice(1).map((name, index) => ({ id: index, name, creator: 11 })),
    recipients: rooms.map((_, index) =>
      index === 0 ? { id: 0, type: 3, type_id: 9 } : { id: index, type: 2, type_id: index - 1 },
    ),
    subscriptions: rooms.flatMap((_, recipient) => people.map((user_profile) => ({ user_profile, recipient, active: true }))),
    reactions: inRoom((at) => ({ message: at, user_profile: 11, emoji_name: 'owl' })),
    messages: rooms.flatMap((_, room) =>
      inRoom((at) => ({
        ...zulipMessage(people[at % 3] ?? 11, room, at + 1, `${room} ${at} for @**u11|11**`, { subject: `topic ${at % 20}` }),
        id: room * perRoom + at,
      })),
    ),
  });
  await writeFile(file, archive);
  return file;
}

async function rocketFile(): Promise<string> {
  const path = join(directory, 'dump');
  const users = ['a', 'b', 'c'].map((id) => rocketUser(id, `u${id}`));
  await writeDump(path, {
    users,
    rocketchat_room: rooms.map((name, index) =>
      index === 0 ? { _id: name, t: 'd', uids: ['a', 'b', 'c'] } : { _id: name, t: 'c', name },
    ),
    rocketchat_subscription: rooms.flatMap((rid) =>
      users.map(({ _id }) => ({ rid, u: { _id }, roles: _id === 'a' ? ['owner'] : [] })),
    ),
    rocketchat_message: rooms.flatMap((rid) =>
      inRoom((at) =>
        rocketMessage(users[at % 3] ?? { _id: 'a', username: 'ua' }, at, `${rid} ${at} for @ua`, {
          ...{ _id: `${rid}${at}`, rid },
          ...(at % 10 === 0 && { tcount: 1 }),
          ...(at % 5 === 3 && { tmid: `${rid}${at - (at % 10)}` }),
        }),
      ),
    ),
  });
  return path;
}

it.each([
  ['slack', slackFile],
  ['zulip', zulipFile],
  ['rocketchat', rocketFile],
])('an import from %s that is killed twice on its way ends as one that was not', async (source, writeFiles) => {
  const file = await writeFiles();
  const [whole, killed] = await Promise.all([aDatabase(), aDatabase()]);
  try {
    const words = ['import', source, file, '--json'];
    const environmentOf = (name: string) => ({ MONGODB_DATABASE: name });
    expect(await withConfig(environmentOf(whole.name), () => admin(words))).toMatchObject({ code: 0, stderr: '' });

    const stored = () => killed.database.collection('messages').countDocuments();
    for (const after of [1, 1_000]) {
      const child = spawn('node', ['admin/main.ts', ...words], {
        env: { ...process.env, ...environmentOf(killed.name) },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      while ((await stored()) < after && child.exitCode === null) await sleep(2);
      child.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
    }
    const atDeath = await stored();
    expect(atDeath).toBeLessThan(2_100);
    const last = await asProcess(words, { environment: environmentOf(killed.name) });
    const { counts } = JSON.parse(last.stdout);
    expect(counts.messages).toEqual({ read: 2_100, written: 2_100 - atDeath, present: atDeath, leftOut: {} });

    const contentOf = async ({ database }: typeof whole) => ({
      messages: await database.collection('messages').find().sort({ room: 1, seq: 1 }).toArray(),
      rooms: (await database.collection('rooms').find().sort({ _id: 1 }).toArray()).map(
        ({ changed_at: _, created_at: __, members, ...room }) => ({
          ...room,
          members: members.map(({ joined_at: ___, ...member }: { joined_at: Date }) => member),
        }),
      ),
      reads: await database.collection('reads').find().sort({ _id: 1 }).toArray(),
      threads: await database.collection('threads').find().sort({ _id: 1 }).toArray(),
      users: await database.collection('users').find().project({ username: 1 }).sort({ _id: 1 }).toArray(),
    });
    const expected = await contentOf(whole);
    expect(await contentOf(killed)).toEqual(expected);
    for (const { _id, seq, message_count } of expected.rooms as unknown as {
      _id: unknown;
      seq: number;
      message_count: number;
    }[]) {
      const of = expected.messages.filter((message) => String(message.room) === String(_id));
      expect(of.map((message) => message.seq)).toEqual(Array.from({ length: 700 }, (_, index) => index + 1));
      expect({ seq, message_count }).toEqual({ seq: 700, message_count: of.filter((message) => !message.is_folded).length });
    }
  } finally {
    await Promise.all([whole.close(), killed.close()]);
  }
});
