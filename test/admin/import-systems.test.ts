import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { tooOld } from '../../lib/imports/import.ts';
import { sweepMessages } from '../../lib/messages/retention.ts';
import { aName } from '../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../support/config.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { directory, historyIn, historyOf, roomNamed } from '../support/imported.ts';
import { signInBy, userOf } from '../support/oidc-browser.ts';
import { rocketMessage, rocketTime, rocketUser, writeDump } from '../support/rocketchat-dump.ts';
import { admin as command } from '../support/run-command.ts';
import { slackMessage, slackUser, writeSlackExport } from '../support/slack-export.ts';
import { zulipArchive, zulipMessage, zulipUser } from '../support/zulip-export.ts';

const provider = await startIdentityProvider({ callback: 'https://chat.example.org/oidc' });
useConfig({ ...provider.settings, SIGN_IN: 'oidc', OIDC_SIGN_UP: 'invited', RETENTION_DAYS: '30' });
useOwnDatabase();

afterAll(provider.close);

/** A text, and when it was sent, in seconds after the beginning of 2020. Ann writes it. */
type SourceMessage = { text: string; second: number };
type Team = { ann: string; bob: string; room: string; said: SourceMessage[] };

const addressOf = (name: string) => `${name}@example.com`;

const systems: Record<string, (path: string, team: Team) => Promise<void>> = {
  slack: (path, { ann, bob, room, said }) =>
    writeSlackExport(path, {
      users: [ann, bob].map((name, at) => slackUser(`U${at}`, name, { profile: { real_name: name, email: addressOf(name) } })),
      channels: [{ id: 'C1', name: room, members: ['U0', 'U1'], creator: 'U0' }],
      days: { [`${room}/2020-01-01`]: said.map(({ text, second }) => slackMessage('U0', second, text)) },
    }),
  mattermost: (path, { ann, bob, room, said }) =>
    writeFile(
      path,
      [
        { type: 'version', version: 1 },
        { type: 'channel', channel: { team: 't', name: room, display_name: room, type: 'O' } },
        ...[ann, bob].map((username) => ({
          type: 'user',
          user: { username, email: addressOf(username), teams: [{ name: 't', channels: [{ name: room }] }] },
        })),
        ...said.map(({ text, second }) => ({
          type: 'post',
          post: { team: 't', channel: room, user: ann, message: text, create_at: (1_577_836_800 + second) * 1_000 },
        })),
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    ),
  zulip: (path, { ann, bob, room, said }) =>
    writeFile(
      path,
      zulipArchive({
        people: [zulipUser(11, ann), zulipUser(12, bob)],
        streams: [{ id: 1, name: room }],
        recipients: [{ id: 5, type: 2, type_id: 1 }],
        subscriptions: [11, 12].map((user_profile) => ({ recipient: 5, user_profile, active: true })),
        messages: said.map(({ text, second }) => zulipMessage(11, 5, second, text, { subject: '' })),
      }),
    ),
  rocketchat: (path, { ann, bob, room, said }) =>
    writeDump(path, {
      users: [rocketUser('a', ann), rocketUser('b', bob)],
      rocketchat_room: [{ _id: 'GENERAL', t: 'c', name: room, ts: rocketTime(0), u: { _id: 'a' } }],
      rocketchat_subscription: ['a', 'b'].map((_id) => ({ _id: `s${_id}`, rid: 'GENERAL', t: 'c', u: { _id } })),
      rocketchat_message: said.map(({ text, second }) => rocketMessage({ _id: 'a', username: ann }, second, text)),
    }),
};

type Counts = Record<string, { read: number; written: number; present: number; leftOut: Record<string, number> }>;

it.each(Object.entries(systems))(
  'a team that moves from %s to a service with single sign-on and retention comes over once, goes on, and can be taken back',
  async (system, write) => {
    const [workspace, ann, bob, room] = [aName(), aName(), aName(), aName()];
    const now = Math.floor(Date.now() / 1_000) - 1_577_836_800;
    const said = [
      { text: 'Old', second: 1 },
      { text: 'First', second: now - 300 },
      { text: 'Second', second: now - 200 },
    ];
    const later = [...said, { text: 'Later', second: now - 100 }];
    const run = async (texts: SourceMessage[], ...words: string[]): Promise<Counts> => {
      const path = join(directory, aName());
      await write(path, { ann, bob, room, said: texts });
      const ended = await command(['import', system, path, '--workspace', workspace, '--json', '--yes', ...words]);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(ended.stdout).counts;
    };
    const counts = {
      people: { read: 2, written: 2 },
      rooms: { read: 1, written: 1 },
      members: { read: 2, written: 2 },
      messages: { read: 3, written: 2, leftOut: { [tooOld]: 1 } },
    };
    expect(await run(said, '--dry-run')).toMatchObject(counts);
    expect(await roomNamed(room)).toBe('');
    expect(await run(said)).toMatchObject(counts);
    expect(await sweepMessages()).toBe(0);
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['First', 'Second']);
    for (const { written } of Object.values(await run(said))) expect(written).toBe(0);

    provider.people.set(ann, { preferred_username: ann, email: addressOf(ann), email_verified: true });
    const { browser, ...signedIn } = await signInBy(provider, ann);
    expect(userOf(signedIn).username).toBe(ann);
    const id = await roomNamed(room);
    expect((await historyIn(id, browser.session)).map(({ username }) => username)).toEqual([ann, ann]);

    expect(await run(later)).toMatchObject({ messages: { read: 4, written: 1, present: 2 }, people: { present: 2 } });
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['First', 'Second', 'Later']);

    const undone = await command(['import', 'undo', workspace, '--yes', '--json']);
    expect(JSON.parse(undone.stdout)).toEqual({
      is_dry_run: false,
      rooms: { deleted: 1, kept: 0 },
      messages: { deleted: 3, kept: 0 },
      accounts: { deleted: 1, kept: 1 },
    });
    expect(await roomNamed(room)).toBe('');
    expect(userOf(await signInBy(provider, ann))._id).toEqual(userOf(signedIn)._id);
    expect(await run(later)).toMatchObject({ messages: { written: 3 }, people: { written: 1, present: 1 } });
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['First', 'Second', 'Later']);
  },
);
