import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openSlack } from 'chat-service-import/slack';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { users } from '../../lib/collections/accounts/users.ts';
import { files } from '../../lib/collections/rooms/files.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { imports } from '../../lib/collections/service/imports.ts';
import { findStore } from '../../lib/files/store.ts';
import { importFromSource } from '../../lib/imports/import.ts';
import { aName, logIn } from '../support/accounts.ts';
import { claim, directory, historyIn, historyOf, roomNamed } from '../support/imported.ts';
import { aWorkspace, exists } from '../support/imported-people.ts';
import { mailsTo } from '../support/mail.ts';
import { admin as command } from '../support/run-command.ts';
import { slackMessage, slackUser, writeSlackExport } from '../support/slack-export.ts';
import { inProcess as call } from '../support/transports.ts';

const importOf = async (workspace: string) => (await imports.findOne({ workspace }))?._id ?? new ObjectId();

describe('import undo', () => {
  it('import undo deletes what an import has brought, and the same archive brings it again', async () => {
    const { ann, bob, room, run, undo, workspace } = aWorkspace();
    const first = await run();
    const history = await historyOf(room);
    const id = await roomNamed(room);
    expect(await undo('--dry-run')).toMatchObject({ is_dry_run: true, messages: { deleted: 4 } });
    expect(await historyOf(room)).toEqual(history);
    expect(await undo()).toEqual({
      is_dry_run: false,
      rooms: { deleted: 2, kept: 0 },
      messages: { deleted: 4, kept: 0 },
      accounts: { deleted: 2, kept: 0 },
    });
    expect([await roomNamed(room), await exists(ann), await exists(bob)]).toEqual(['', false, false]);
    const import_ = await importOf(workspace);
    expect(await messages.unscoped.countDocuments({ import: import_ })).toBe(0);
    expect(await rooms.unscoped.countDocuments({ imports: import_ })).toBe(0);
    expect(await users.unscoped.countDocuments({ username: { $in: [ann, bob] } })).toBe(0);

    expect(await run()).toEqual(first);
    // Browsers may still keep the messages of the deleted room, at the same places.
    expect(await roomNamed(room)).not.toBe(id);
    expect((await historyOf(room)).map(({ text, username, seq }) => [text, username, seq])).toEqual(
      history.map(({ text, username, seq }) => [text, username, seq]),
    );
  });

  it('import undo keeps what people have written, the accounts that they use, and rooms that they have written in', async () => {
    const { ann, bob, room, run, undo } = aWorkspace();
    await run();
    const { token } = await claim(ann);
    const id = await roomNamed(room);
    const [root] = await historyIn(id);
    const written = { token, body: { room: id, text: 'Written here', thread: root?._id.$oid } };
    expect((await call('POST', '/api/messages', written)).status).toBe(201);
    expect(await undo()).toMatchObject({
      rooms: { deleted: 1, kept: 1 },
      messages: { deleted: 4, kept: 1 },
      accounts: { deleted: 1, kept: 1 },
    });
    expect((await historyIn(id, token)).filter(({ deleted_at }) => !deleted_at).map(({ text }) => text)).toEqual([
      'Written here',
    ]);
    expect([await exists(ann), await exists(bob)]).toEqual([true, false]);

    // With the same account and in the same room, after later messages.
    expect((await run()).counts).toMatchObject({
      people: { written: 1, present: 1 },
      rooms: { written: 1, present: 1 },
      messages: { read: 4, written: 4 },
    });
    const texts = (await historyIn(id, token)).filter(({ deleted_at }) => !deleted_at).map(({ text }) => text);
    expect(texts).toEqual(['Written here', 'One', 'Two', 'Three']);
    expect((await run()).counts.messages).toMatchObject({ written: 0, present: 4 });
  });

  it('import undo leaves other imports alone, and people whom another import was mapped onto', async () => {
    const [one, other] = [aWorkspace(), aWorkspace()];
    await one.run();
    const mapped = { ...other.exported, users: [one.person('U1', one.ann), other.person('U2', other.bob)] };
    await other.run(mapped, '--map-by-email');
    expect(await one.undo()).toMatchObject({ rooms: { deleted: 2 }, accounts: { deleted: 1, kept: 1 } });
    expect((await historyOf(other.room)).map(({ username }) => username)).toEqual([one.ann, other.bob, other.bob]);
    expect(await other.undo()).toMatchObject({ rooms: { deleted: 2 }, accounts: { deleted: 1 } });
  });

  it('import undo deletes the files of messages, with their bytes', async () => {
    const { room, exported, run, undo, workspace } = aWorkspace();
    const file = join(directory, `${aName()}.zip`);
    const days = { [`${room}/2020-01-01`]: [slackMessage('U1', 1, 'A file', { files: [{ id: 'F1', name: 'a.txt' }] })] };
    await writeSlackExport(file, { ...exported, days }, [{ name: '__uploads/F1/a.txt', bytes: 'Some bytes' }]);
    const source = await openSlack(file);
    const options = { workspace, isDryRun: false, mapsByEmail: false, leaveOut: () => {}, progress: () => {} };
    expect((await importFromSource(source, options).finally(source.close)).counts.files).toMatchObject({ written: 1 });
    const stored = await files.findOne({ name: 'a.txt', room: new ObjectId(await roomNamed(room)) });
    await undo();
    expect(await files.countDocuments({ _id: stored?._id ?? new ObjectId() })).toBe(0);
    expect(await findStore()?.beginning(stored?.key ?? '')).toBeUndefined();
    await run();
  });

  it('import undo takes back a run that was cut off before a room appeared, and refuses imports until a cut-off undo is done', async () => {
    const { room, run, undo, workspace } = aWorkspace();
    await run();
    const id = new ObjectId(await roomNamed(room));
    // As a run leaves it that was killed before the last step.
    await rooms.unscoped.deleteOne({ _id: id });
    await imports.updateOne({ workspace }, { $push: { unfinished: id }, $set: { undoing_since: new Date() } });
    await expect(run()).rejects.toThrow();
    await undo();
    expect(await messages.unscoped.countDocuments({ room: id })).toBe(0);
    expect((await run()).counts.messages).toMatchObject({ written: 4 });
  });

  it('import undo deletes nothing while a room, or an account with messages of the import, is on hold', async () => {
    const { ann, room, run, undo, workspace } = aWorkspace();
    await run();
    const id = await roomNamed(room);
    for (const [what, held, name] of [
      ['room', id, `the room ${room}`],
      ['user', ann, `the account ${ann}`],
    ] as const) {
      expect(await command([what, 'hold', held])).toMatchObject({ code: 0 });
      const ended = await command(['import', 'undo', workspace, '--yes']);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`On hold: ${name}.`) });
      expect(await historyIn(id)).toHaveLength(3);
      await command([what, 'release', held]);
    }
    expect(await command(['user', 'promote', ann])).toMatchObject({ code: 0 });
    expect(await undo()).toMatchObject({ rooms: { deleted: 2 }, accounts: { deleted: 1, kept: 1 } });
  });

  it('import undo names imports by their workspace, and asks which is meant', async () => {
    const { workspace, run } = aWorkspace();
    await run();
    expect(await command(['import', 'undo', aName(), '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Unknown import'),
    });
    expect(await command(['import', 'undo', workspace])).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
    await imports.insertOne({
      ...{ source: 'zulip', workspace, created_at: new Date(), last_at: new Date(), undone: 0, unfinished: [] },
      _id: new ObjectId(),
    });
    const ended = await command(['import', 'undo', workspace, '--yes']);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`slack/${workspace}, zulip/${workspace}`) });
    expect(await command(['import', 'undo', `zulip/${workspace}`, '--yes'])).toMatchObject({ code: 0 });
    const listed = JSON.parse((await command(['import', 'list', '--json'])).stdout) as { name: string; accounts: number }[];
    expect(
      listed
        .filter(({ name }) => name === workspace)
        .map(({ accounts }) => accounts)
        .sort(),
    ).toEqual([0, 2]);
  });
});

describe('a later import', () => {
  it('a later import deactivates and reactivates people as the source did, as long as nobody uses their accounts', async () => {
    const { ann, bob, exported, person, run } = aWorkspace();
    await run();
    await claim(bob);
    const isActive = async (username: string) =>
      JSON.parse((await command(['user', 'show', username, '--json'])).stdout).is_active;
    const gone = { ...exported, users: [person('U1', ann, { deleted: true }), person('U2', bob, { deleted: true })] };
    expect((await run(gone, '--dry-run')).notes).toMatchObject({ 'people deactivated in the source since the last import': 1 });
    expect(await isActive(ann)).toBe(true);
    expect((await run(gone)).notes).toEqual({
      'people deactivated in the source since the last import': 1,
      'people deactivated in the source who use their accounts here, which stay active': 1,
    });
    expect([await isActive(ann), await isActive(bob)]).toEqual([false, true]);
    await run();
    expect(await isActive(ann)).toBe(true);
    // An administrator's decision stays, as long as the source has not changed.
    await command(['user', 'deactivate', ann]);
    await run();
    expect(await isActive(ann)).toBe(false);
  });

  it('a later import gives people their names who were not listed before, and addresses that were missing', async () => {
    const { ann, bob, room, exported, person, run } = aWorkspace();
    const withoutAddress = slackUser('U2', bob);
    await run({ ...exported, users: [withoutAddress], channels: exported.channels ?? [] });
    expect(await exists(ann)).toBe(false);
    expect((await run()).notes).toMatchObject({ 'people whom an earlier archive had named and not listed': 1 });
    const shown = JSON.parse((await command(['user', 'show', ann, '--json'])).stdout);
    expect(shown).toMatchObject({ name: ann, email: `${ann}@example.org`, is_active: true });
    expect(JSON.parse((await command(['user', 'show', bob, '--json'])).stdout)).toMatchObject({ email: `${bob}@example.org` });
    expect((await historyOf(room)).map(({ username }) => username)).toEqual([ann, bob, bob]);
    expect(person('U1', ann)).toMatchObject({ id: 'U1' });
  });
});

describe('the usernames of an import', () => {
  const usernamesOf = async (room: string) => (await historyOf(room)).map(({ username }) => username);

  it.each([
    ['Anna in Cyrillic', 'Анна', 'anna'],
    ['Giorgos in Greek', 'Γιώργος', 'giorgos'],
    ['a name in Arabic', 'محمد', 'mhmd'],
    ['a name in Korean', '김철수', 'gimcheolsu'],
  ])('an import transliterates a username: %s', async (_which, username, expected) => {
    const { room, exported, run } = aWorkspace();
    await run({ ...exported, users: [slackUser('U1', username), slackUser('U2', aName())] });
    expect((await usernamesOf(room))[0]).toMatch(new RegExp(`^${expected}\\d*$`));
  });

  it('an import takes the name of the address for a username in Chinese characters', async () => {
    const { ann, room, exported, person, run } = aWorkspace();
    const [, bob] = exported.users ?? [];
    await run({ ...exported, users: [{ ...person('U1', ann), name: '田中' }, bob] });
    expect((await usernamesOf(room))[0]).toBe(ann);
  });

  it('an import gives the usernames that a file chooses, by the id, the username or the address of people', async () => {
    const { ann, bob, room, exported, run } = aWorkspace();
    const [one, two] = [aName(), aName()];
    const file = join(directory, `${aName()}.csv`);
    const { writeFile } = await import('node:fs/promises');
    await writeFile(file, `\ufeffsource;username\r\nU1;${one}\r\n"${bob}@EXAMPLE.org";"${two}"\r\nnobody;x${one}\r\n`);
    const report = await run(exported, '--usernames', file);
    expect(report.notes).toMatchObject({ 'lines of the file with usernames that name nobody': 1 });
    expect(await usernamesOf(room)).toEqual([one, two, two]);
    // Also for accounts that exist and that nobody uses.
    await writeFile(file, `${ann},${ann}\n`);
    await run(exported, '--usernames', file);
    expect(await usernamesOf(room)).toEqual([ann, two, two]);
  });

  it.each([
    ['with a name that no account can have', 'U1,иван', 'has a username that no account can have (иван) in line 1'],
    ['with one column', 'U1', 'does not have two columns in line 1'],
    ['that names somebody twice', 'U1,a1\nu1,a2', 'names u1 a second time in line 2'],
    ['that gives a username twice', 'U1,a1\nU2,a1', 'has the username a1 a second time in line 2'],
  ])('an import refuses a file of usernames %s', async (_which, text, sentence) => {
    const { exported } = aWorkspace();
    const [archive, file] = [join(directory, `${aName()}.zip`), join(directory, `${aName()}.csv`)];
    const { writeFile } = await import('node:fs/promises');
    await writeFile(file, text);
    await writeSlackExport(archive, exported);
    const ended = await command(['import', 'slack', archive, '--workspace', aName(), '--usernames', file]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
  });
});

describe('import invite', () => {
  it('import invite writes a link for everybody who has not used the account, and each of them opens it', async () => {
    const { ann, bob, exported, person, run, workspace } = aWorkspace();
    const [cal, dan, bot] = [aName(), aName(), aName()];
    const more = [person('U3', cal, { deleted: true }), { ...slackUser('U4', dan), profile: { real_name: '=1+1' } }];
    await run({ ...exported, users: [...(exported.users ?? []), ...more, slackUser('U5', bot, { is_bot: true })] });
    await claim(bob);
    const file = join(directory, `${aName()}.csv`);
    const ended = await command(['import', 'invite', workspace, '--to', file, '--json', '--days', '3']);
    expect(JSON.parse(ended.stdout)).toEqual({ invited: 2, leftOut: { bots: 1, 'deactivated people and guests': 1 } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, 'utf8').trim().split('\r\n');
    expect(lines[0]).toBe('"username","name","email","link","expires"');
    const people = lines.slice(1).map((line) => line.slice(1, -1).split('","'));
    expect(people.map(([username, name, email]) => [username, name, email]).sort()).toEqual(
      [
        [ann, ann, `${ann}@example.org`],
        [dan, "'=1+1", ''],
      ].sort(),
    );
    for (const [username = '', , , link = '', expires = ''] of people) {
      expect(link).toMatch(/^https:\/\/chat\.example\.org\/password#[a-z0-9]{32}$/);
      expect(Date.parse(expires) - Date.now()).toBeGreaterThan(2.9 * 86_400_000);
      const body = { code: link.replace(/.*#/, ''), password: 'a horse, a battery' };
      expect((await call('PUT', '/api/password', { body })).status).toBe(204);
      expect((await logIn(call, username, 'a horse, a battery')).status).toBe(201);
      expect((await call('PUT', '/api/password', { body })).status).toBe(404);
    }
    expect(await command(['import', 'invite', workspace, '--to', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/EEXIST/),
    });
  });

  it('import invite sends a link to everybody with an address, and not again while it is valid', async () => {
    const { ann, bob, exported, person, run, workspace } = aWorkspace();
    await run({ ...exported, users: [person('U1', ann), slackUser('U2', bob)] });
    const invite = async (...words: string[]) =>
      JSON.parse((await command(['import', 'invite', workspace, '--mail', '--json', ...words])).stdout);
    expect(await invite()).toEqual({ invited: 1, leftOut: { 'people without an e-mail address': 1 } });
    expect(await invite()).toMatchObject({ invited: 0, leftOut: { 'people who have a valid link': 1 } });
    expect(await invite('--again')).toMatchObject({ invited: 1 });
    const [mail, again] = mailsTo(`${ann}@example.org`);
    expect(mail?.text).toContain(`your account is waiting for you: ${ann}`);
    expect(again).toBeDefined();
    const body = { code: mail?.code, password: 'a horse, a battery' };
    expect((await call('PUT', '/api/password', { body })).status).toBe(204);
    // The others are void then.
    expect((await call('PUT', '/api/password', { body: { ...body, code: again?.code } })).status).toBe(404);
    expect(await invite()).toMatchObject({ invited: 0 });
  });

  it.each([['--days', '0'], ['--days', '31'], ['--days', 'x'], ['--to', 'x'], []])(
    'import invite refuses --mail with %s %s',
    async (...words) => {
      const { workspace, run } = aWorkspace();
      await run();
      const base = words.length === 0 ? [] : ['--mail'];
      expect((await command(['import', 'invite', workspace, ...base, ...words])).code).toBe(2);
    },
  );
});
