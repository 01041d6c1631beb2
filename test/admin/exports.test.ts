import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { aName, anAccount } from '../support/accounts.ts';
import { claim, directory, historyIn, historyOf, roomNamed } from '../support/imported.ts';
import { aWorkspace, exists } from '../support/imported-people.ts';
import { aQuestion, aRoomWithBot, press } from '../support/questions.ts';
import { aRoom, succeed } from '../support/rooms.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

describe('the data of a person', () => {
  it('user export writes the account, its rooms, messages, files and reactions to a new directory', async () => {
    const { ann, run } = aWorkspace();
    await run();
    const { token, id } = await claim(ann);
    const path = join(directory, aName());
    const ended = await command(['user', 'export', ann, path, '--json']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const { counts } = JSON.parse(ended.stdout);
    expect(counts).toMatchObject({ messages: 2, rooms: 2, 'sessions and tokens': 1, 'followed threads': 1 });
    const read = (name: string) => readFileSync(join(path, name), 'utf8');
    expect(JSON.parse(read('account.json'))).toMatchObject({ _id: { $oid: id }, username: ann, came_by_import: true });
    const written = read('messages.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(written.map(({ text, username }) => [text, username])).toEqual(
      expect.arrayContaining([
        ['One', ann],
        ['For two', ann],
      ]),
    );
    for (const secret of ['password_hash', 'hash"', token])
      expect(read('account.json') + read('sessions and tokens.ndjson')).not.toContain(secret);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(await command(['user', 'export', ann, path])).toMatchObject({ code: 1, stderr: expect.stringMatching(/EEXIST/) });
  });

  it('user export has the invitations and webhooks of a person without secrets, and who reacted to or added the person', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann });
    const theirs = await aRoom({ owner: bob });
    const by = (who: typeof ann, path: string, body: object) => succeed(call('POST', path, { token: who.token, body }));
    const { body: invited } = await by(ann, `${room.path}/invitations`, {});
    const { body: incoming } = await by(ann, `${room.path}/webhooks`, {});
    await by(ann, `${room.path}/webhooks`, { url: 'https://hooks.example.org/secret' });
    await by(bob, '/api/members', { room: theirs.id, user: ann.id });
    const { body: message } = await by(ann, '/api/messages', { room: theirs.id, text: 'Hello' });
    const { _id } = message as { _id: { $oid: string } };
    await succeed(call('PUT', `/api/messages/${_id.$oid}/reactions/%F0%9F%91%8D`, { token: bob.token, body: {} }));
    const path = join(directory, aName());
    expect(await command(['user', 'export', ann.username, path])).toMatchObject({ code: 0, stderr: '' });
    const read = (name: string) => readFileSync(join(path, `${name}.ndjson`), 'utf8');
    const rows = (name: string) =>
      read(name)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(rows('invitations')).toMatchObject([{ room: room.id, uses_left: null }]);
    expect(rows('webhooks')).toMatchObject([{ sends_to: null }, { room: room.id, sends_to: 'hooks.example.org' }]);
    expect(rows('notifications')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'added', room: theirs.id, message: null, by: bob.id }),
        expect.objectContaining({ kind: 'reaction', message: _id.$oid, by: bob.id }),
      ]),
    );
    const secrets = [(invited as { code: string }).code, (incoming as { secret: string }).secret, '/secret'];
    for (const secret of secrets) expect(read('invitations') + read('webhooks')).not.toContain(secret);
  });

  it('exports have the buttons that a person pressed, and the answers to a message', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const asked = await aQuestion(bot, room, { is_approval: true });
    await succeed(press(ann, asked, 'yes', { version: 1 }));
    const read = async (...words: string[]) => {
      const path = join(directory, aName());
      expect(await command([...words, path])).toMatchObject({ code: 0, stderr: '' });
      return (name: string): object[] =>
        readFileSync(join(path, `${name}.ndjson`), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
    };
    const ofAnn = await read('user', 'export', ann.username);
    const pressed = { room: room.id, message: asked._id.$oid, action: 'yes', label: 'Approve', at: expect.anything() };
    expect(ofAnn('pressed actions')).toMatchObject([pressed]);
    const recorded = { action: 'action.pressed', details: expect.objectContaining({ text: 'Deploy?' }) };
    expect(ofAnn('audit')).toContainEqual(expect.objectContaining(recorded));
    const ofRoom = await read('room', 'export', room.id);
    expect(ofRoom('messages')).toMatchObject([
      {
        actions: [{ id: 'yes', label: 'Approve' }, { id: 'no' }],
        is_approval: true,
        presses: [{ action: 'yes', username: ann.username, at: expect.anything() }],
      },
    ]);
  });

  it('user delete --with-messages deletes an account and all that it has written, and keeps the rest', async () => {
    const { ann, bob, room, run } = aWorkspace();
    await run();
    const { token } = await claim(bob);
    const ended = await command(['user', 'delete', ann, '--with-messages', '--yes', '--json']);
    expect(JSON.parse(ended.stdout)).toEqual({ username: ann, messages: 2, held: 0 });
    expect(await exists(ann)).toBe(false);
    const history = await historyIn(await roomNamed(room), token);
    expect(history.map(({ text, username, deleted_at }) => [text, username, deleted_at !== null])).toEqual([
      ['', '(deleted)', true],
      ['Two', bob, false],
      ['Three', bob, false],
    ]);
  });

  it('user delete --with-messages deletes the messages of an account that was deleted before, by its id', async () => {
    const { ann, run } = aWorkspace();
    await run();
    const { id } = await claim(ann);
    await command(['user', 'delete', ann, '--yes']);
    const ended = await command(['user', 'delete', id, '--with-messages', '--yes', '--json']);
    expect(JSON.parse(ended.stdout)).toMatchObject({ messages: 2 });
    expect(await command(['user', 'delete', 'f'.repeat(24), '--with-messages', '--yes'])).toMatchObject({ code: 1 });
  });

  it('user delete --with-messages refuses an account on hold, and keeps messages in rooms on hold', async () => {
    const { ann, bob, room, run } = aWorkspace();
    await run();
    await command(['user', 'hold', ann]);
    expect(await command(['user', 'delete', ann, '--with-messages', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/on hold/),
    });
    expect(await exists(ann)).toBe(true);
    await command(['room', 'hold', await roomNamed(room)]);
    const ended = await command(['user', 'delete', bob, '--with-messages', '--yes', '--json']);
    expect(JSON.parse(ended.stdout)).toMatchObject({ messages: 0, held: 2 });
    expect((await historyOf(room)).map(({ text }) => text)).toEqual(['One', 'Two', 'Three']);
  });
});

describe('room export', () => {
  it('room export writes the members of a room, and the messages of a time with their files, to a new directory', async () => {
    const account = await anAccount();
    const { id } = await aRoom({ owner: account, name: 'Exported' });
    for (const text of ['One', 'Two']) await call('POST', '/api/messages', { token: account.token, body: { room: id, text } });
    await messages.updateOne({ room: new ObjectId(id), seq: 1 }, { $set: { created_at: new Date('2020-01-01T12:00:00Z') } });
    const textsIn = async (...words: string[]) => {
      const path = join(directory, aName());
      expect(await command(['room', 'export', id, path, ...words])).toMatchObject({ code: 0, stderr: '' });
      const lines = readFileSync(join(path, 'messages.ndjson'), 'utf8').split('\n').filter(Boolean);
      expect(JSON.parse(readFileSync(join(path, 'room.json'), 'utf8'))).toMatchObject({
        name: 'Exported',
        members: [{ username: account.username, role: 'owner' }],
      });
      return lines.map((line) => JSON.parse(line).text);
    };
    expect(await textsIn()).toEqual(['One', 'Two']);
    expect(await textsIn('--before', '2020-01-02')).toEqual(['One']);
    expect(await textsIn('--since', '2020-01-01T12:00:01Z')).toEqual(['Two']);
    expect(await textsIn('--since', '2020-01-01', '--before', '2020-01-01T12:00:00Z')).toEqual([]);
    const path = join(directory, aName());
    const ended = await command(['room', 'export', 'all', path, '--before', '2020-01-02', '--json']);
    expect(JSON.parse(ended.stdout).counts.rooms).toBeGreaterThan(0);
    expect(readFileSync(join(path, id, 'messages.ndjson'), 'utf8')).toContain('"One"');
    for (const words of [
      ['--since', 'yesterday'],
      ['--before', '2020-13-01'],
    ])
      expect((await command(['room', 'export', id, join(directory, aName()), ...words])).code).toBe(2);
    expect((await command(['room', 'export', 'f'.repeat(24), join(directory, aName())])).code).toBe(1);
  });
});
