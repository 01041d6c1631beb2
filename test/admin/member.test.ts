import { describe, expect, it } from 'vitest';
import { aName, anAccount, logIn } from '../support/accounts.ts';
import { aRoom } from '../support/rooms.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const membersOf = async (room: string) => (await command(['member', 'list', room])).stdout.split('\n').slice(1, -1);
const done = (text: string) => ({ code: 0, stdout: `${text}\n`, stderr: '' });

describe('the members of a room', () => {
  it('the members of a room are listed, added, given roles, removed, banned and let in again, without an actor in the feed', async () => {
    const room = await aRoom({ is_open: true });
    const { username, token } = await anAccount();
    const name = username.toUpperCase();
    expect(await command(['member', 'add', room.id, name])).toEqual(done(`${username} is a member of the room now, as member.`));
    expect(await command(['member', 'role', room.id, name, '--role', 'moderator'])).toEqual(
      done(`${username} is moderator of the room now.`),
    );
    const list = await command(['member', 'list', room.id]);
    expect(list.stdout).toMatch(/^USERNAME +ROLE +JOINED\n/);
    expect(list.stdout).toMatch(new RegExp(`^${username} +moderator +\\S+Z$`, 'm'));

    expect(await command(['member', 'remove', room.id, username, '--ban'])).toEqual(done(`Removed ${username}, for good.`));
    expect(await membersOf(room.id)).toHaveLength(1);
    const join = () => call('POST', '/api/members', { token, body: { room: room.id } });
    expect((await join()).status).toBe(403);
    const { stdout } = await command(['ban', 'list', room.id, '--json']);
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ username })]);
    expect((await command(['ban', 'list', room.id])).stdout).toMatch(new RegExp(`^USERNAME +ID\n${username} +[0-9a-f]{24}\n$`));
    expect(await command(['ban', 'lift', room.id, username])).toEqual(done(`${username} can join the room again.`));
    expect((await join()).status).toBe(201);

    const { body } = await call('GET', `/api/events?room=${room.id}&after=0`, { token: room.owner.token });
    const made = (body as { type: string; actor: unknown }[]).filter(({ type }) => /added|joined|changed|banned/.test(type));
    expect(made.map(({ type, actor }) => [type, actor === null])).toEqual(
      expect.arrayContaining([
        ['member.joined', true],
        ['member.changed', true],
        ['member.banned', true],
      ]),
    );
  });

  it('the members of a room always include an owner', async () => {
    const room = await aRoom();
    const { username } = await anAccount();
    await command(['member', 'add', room.id, username]);
    expect(await command(['member', 'remove', room.id, room.owner.username])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The last owner must stay while others remain.\n',
    });
  });

  it.each([
    ['of an unknown room', ['list', '0'.repeat(24)], 1, 'No such room.'],
    ['of an unknown user', ['add', 'ROOM', aName()], 1, 'No such user.'],
    ['who are not there', ['remove', 'ROOM', 'USER'], 1, 'No such member.'],
    ['with an unknown role', ['add', 'ROOM', 'USER', '--role', 'king'], 1, "The 'role' parameter must"],
    ['without a role', ['role', 'ROOM', 'USER'], 2, 'The option --role is required.'],
  ])('the members %s are refused', async (_what, words, code, sentence) => {
    const room = await aRoom();
    const { username } = await anAccount();
    const filled = words.map((word) => ({ ROOM: room.id, USER: username })[word] ?? word);
    const ended = await command(['member', ...filled]);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
    expect(ended.stderr).toContain(sentence);
  });
});

describe('the sessions of an account', () => {
  it('the sessions of an account are listed and ended', async () => {
    const { username, password } = await anAccount();
    const { token } = (await logIn(call, username, password)).body as { token: string };
    const listed = JSON.parse((await command(['session', 'list', username, '--json'])).stdout) as {
      _id: { $oid: string };
      hint: string;
    }[];
    const id = listed.find(({ hint }) => token.endsWith(hint))?._id.$oid ?? '';
    expect((await command(['session', 'list', username])).stdout).toMatch(
      new RegExp(`^ID +KIND +NAME +TOKEN[^]+^${id} +session`, 'm'),
    );
    expect(await command(['session', 'end', id])).toEqual(done(`Ended the session ${id}.`));
    expect((await call('GET', '/api/users/me', { token })).status).toBe(401);
    expect(await command(['session', 'end', id])).toEqual({ code: 1, stdout: '', stderr: 'No such session.\n' });
  });
});
