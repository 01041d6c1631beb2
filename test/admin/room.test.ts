import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { aRoom } from '../support/rooms.ts';
import { admin as command } from '../support/run-command.ts';
import { adminAtTerminal } from '../support/terminal.ts';
import { inProcess as call } from '../support/transports.ts';

const admin = await anAdmin();
const owner = await anAccount();
const nowhere = new ObjectId().toHexString();
const statusOf = async (path: string) => (await call('GET', path, { token: admin.token })).status;

describe('room create', () => {
  it('room create creates a room that is owned by the named user', async () => {
    const name = randomUUID();
    const { code, stdout, stderr } = await command(['room', 'create', name, '--owner', owner.username.toUpperCase()]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Created the room [0-9a-f]{24}\.\n$/),
      stderr: '',
    });
    const id = stdout.match(/[0-9a-f]{24}/)?.[0];
    expect((await call('GET', `/api/rooms/${id}`, { token: owner.token })).body).toEqual({
      _id: { $oid: id },
      name,
      members: [{ $oid: owner.id }],
      is_open: true,
      is_visible: true,
    });
    expect((await call('PATCH', `/api/rooms/${id}`, { token: owner.token, body: { is_open: false } })).status).toBe(200);
  });

  it.each([
    ['an unknown owner', ['room', 'create', 'General', '--owner', 'nobody-at-all'], 1, 'No such user.\n'],
    ['a blank name', ['room', 'create', ' ', '--owner', owner.username], 1, "The 'name' parameter must have 1 to 100"],
    ['no owner', ['room', 'create', 'General'], 2, 'The option --owner is required.'],
  ])('room create refuses %s', async (_what, words, code, sentence) => {
    const ended = await command(words);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
    expect(ended.stderr).toContain(sentence);
  });
});

describe('room list', () => {
  it('room list prints every room as a row, or all as JSON', async () => {
    const room = await aRoom({ name: 'Listed, with a space', is_open: false });
    const { code, stdout } = await command(['room', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID +MEMBERS +OPEN +VISIBLE +NAME\n/);
    expect(stdout).toMatch(new RegExp(`^${room.id} +1 +no +yes +Listed, with a space$`, 'm'));
    const json = await command(['room', 'list', '--json']);
    expect(JSON.parse(json.stdout)).toContainEqual({
      _id: { $oid: room.id },
      name: 'Listed, with a space',
      members: [{ $oid: room.owner.id }],
      is_open: false,
      is_visible: true,
    });
  });
});

describe('room archive', () => {
  it('room archive archives a room', async () => {
    const room = await aRoom();
    expect(await command(['room', 'archive', room.id])).toEqual({
      code: 0,
      stdout: `Archived the room ${room.id}.\n`,
      stderr: '',
    });
    expect((await call('GET', `${room.path}/details`, { token: room.owner.token })).body).toMatchObject({
      archived_at: { $date: expect.any(String) },
    });
  });
});

describe('room hold and room release', () => {
  it('room hold keeps old messages, and room release has them deleted again', async () => {
    const room = await aRoom();
    expect(await command(['room', 'hold', room.id])).toEqual({
      code: 0,
      stdout: `Messages in the room ${room.id} are kept, however old.\n`,
      stderr: '',
    });
    expect(await command(['room', 'release', room.id])).toMatchObject({ code: 0 });
    expect(await command(['room', 'hold', '0'.repeat(24)])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No such room'),
    });
  });
});

describe('room delete', () => {
  it('room delete deletes a room with --yes', async () => {
    const room = await aRoom();
    expect(await command(['room', 'delete', room.id, '--yes'])).toEqual({
      code: 0,
      stdout: `Deleted the room ${room.id}.\n`,
      stderr: '',
    });
    expect(await statusOf(room.path)).toBe(404);
  });

  it('room delete deletes nothing when nobody can be asked', async () => {
    const room = await aRoom();
    const { code, stdout, stderr } = await command(['room', 'delete', room.id]);
    expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 });
    expect(stderr).toContain('--yes');
    expect(await statusOf(room.path)).toBe(200);
  });

  it.each([
    ['yes', 0, 404],
    ['no', 1, 200],
  ])('room delete asks at a terminal, and accepts %s as an answer', async (answer, code, status) => {
    const room = await aRoom();
    const ended = await adminAtTerminal(['room', 'delete', room.id], [['Type yes to continue: ', `${answer}\r`]]);
    expect(ended.code).toBe(code);
    expect(ended.screen).toContain(`Delete the room ${room.id} with all its messages? Type yes to continue: `);
    expect(await statusOf(room.path)).toBe(status);
  });
});

it.each([
  ['archive', ['room', 'archive', nowhere]],
  ['delete', ['room', 'delete', nowhere, '--yes']],
  ['delete with a malformed id', ['room', 'delete', 'general', '--yes']],
])('room %s reports an unknown room', async (_what, words) => {
  expect(await command(words)).toEqual({ code: 1, stdout: '', stderr: 'No such room.\n' });
});
