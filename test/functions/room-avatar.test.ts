import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { avatars } from '../../lib/collections/accounts/avatars.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { aPicture } from '../support/files.ts';
import { outcome } from '../support/responses.ts';
import { addMember, aRoom, everyPage, succeed } from '../support/rooms.ts';
import { inProcess, transports } from '../support/transports.ts';

const another = () => Buffer.concat([aPicture, randomBytes(8)]);
const noPicture = { status: 404, body: { title: 'Not found', description: 'No such avatar.', code: 'avatar_not_found' } };
const isStored = (room: string) => avatars.countDocuments({ _id: new ObjectId(room) });

describe.each(transports())('/api/rooms/{room}/avatar, %s', (_transport, call) => {
  const put = ({ token }: Account, room: string, bytes: Uint8Array) =>
    call('PUT', `/api/rooms/${room}/avatar`, { token, body: bytes, headers: { 'content-type': 'image/png' } });
  const read = ({ token }: Account, room: string, query = '') => call('GET', `/api/rooms/${room}/avatar${query}`, { token });

  it('GET of the picture of a room returns the picture that an owner set, whose version is in all lists of rooms', async () => {
    const [member, visitor] = [await anAccount(), await anAccount()];
    const name = `Room ${randomBytes(8).toString('hex')}`;
    const { id, owner } = await aRoom({ name, members: [member] });
    expect(outcome(await read(member, id))).toEqual(noPicture);
    const { avatar: version } = (await succeed(put(owner, id, aPicture))).body as { avatar: string };
    for (const reader of [owner, member, visitor]) {
      const { status, headers } = await read(reader, id, `?version=${version}`);
      expect({ status, type: headers['content-type'], etag: headers.etag, cache: headers['cache-control'] }).toEqual({
        status: 200,
        type: 'image/png',
        etag: `"${version}"`,
        cache: 'private, max-age=31536000, immutable',
      });
    }
    const bodyOf = async (path: string) => (await succeed(call('GET', path, { token: member.token }))).body;
    expect(await bodyOf(`/api/rooms/${id}/details`)).toMatchObject({ avatar: version });
    expect(await bodyOf('/api/members?user=me')).toEqual([expect.objectContaining({ room_name: name, room_avatar: version })]);
    expect(await everyPage(call, `/api/directory?q=${encodeURIComponent(name)}`, member.token)).toMatchObject([
      { avatar: version },
    ]);
    const known = { token: member.token, headers: { 'if-none-match': `"${version}"` } };
    expect(outcome(await call('GET', `/api/rooms/${id}/avatar`, known))).toEqual({ status: 304, body: '' });
    expect((await read(member, id, '?version=')).status).toBe(400);
    // A room still has exactly five fields.
    expect(Object.keys((await bodyOf(`/api/rooms/${id}`)) as object)).toHaveLength(5);
  });

  it('the picture of a room is in its events each time it changes', async () => {
    const { id, owner } = await aRoom();
    await succeed(put(owner, id, aPicture));
    await succeed(call('DELETE', `/api/rooms/${id}/avatar`, { token: owner.token }));
    const { body } = await succeed(call('GET', `/api/events?room=${id}&after=0`, { token: owner.token }));
    expect((body as { type: string }[]).map(({ type }) => type).slice(-2)).toEqual(['room.changed', 'room.changed']);
    expect(outcome(await read(owner, id))).toEqual(noPicture);
    expect(await isStored(id)).toBe(0);
    expect((await call('GET', `/api/rooms/${id}/details`, { token: owner.token })).body).not.toHaveProperty('avatar');
  });

  it('the picture of a room is hidden with its room, and changed by nobody but an owner', async () => {
    const [moderator, stranger] = [await anAccount(), await anAccount()];
    const room = await aRoom({ is_visible: false });
    const { id, owner } = room;
    await addMember(room, moderator, 'moderator');
    await succeed(put(owner, id, aPicture));
    const hidden = await read(stranger, id);
    expect(outcome(hidden)).toEqual(outcome(await read(stranger, 'f'.repeat(24))));
    expect(hidden.status).toBe(404);
    expect((await put(stranger, id, another())).status).toBe(404);
    expect((await put(moderator, id, another())).status).toBe(403);
    expect((await call('DELETE', `/api/rooms/${id}/avatar`, { token: moderator.token })).status).toBe(403);
    expect((await read(moderator, id)).status).toBe(200);
  });

  it.each([
    ['more than 64 kB', Buffer.concat([aPicture, Buffer.alloc(65_536)]), 413, 'picture_too_large'],
    ['a drawing that may run scripts', Buffer.from('<svg onload="alert(1)"/>'), 400, 'invalid_picture'],
  ])('the picture of a room refuses %s, and stays as it was', async (_what, bytes, status, code) => {
    const { id, owner } = await aRoom();
    const { avatar: version } = (await succeed(put(owner, id, aPicture))).body as { avatar: string };
    expect(await put(owner, id, bytes)).toMatchObject({ status, body: { code } });
    expect((await read(owner, id)).headers.etag).toBe(`"${version}"`);
  });
});

it('a conversation has no picture of its own', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const made = await succeed(inProcess('POST', '/api/conversations', { token: ann.token, body: { users: [bob.id] } }));
  const { _id } = made.body as { _id: { $oid: string } };
  const path = `/api/rooms/${_id.$oid}/avatar`;
  const [{ token }, body] = [await anAdmin(), aPicture];
  expect((await inProcess('PUT', path, { token: ann.token, body })).status).toBe(403);
  expect(await inProcess('PUT', path, { token, body })).toMatchObject({ status: 409, body: { code: 'room_direct' } });
  expect(await inProcess('DELETE', path, { token })).toMatchObject({ status: 409, body: { code: 'room_direct' } });
  expect(await isStored(_id.$oid)).toBe(0);
});

it('the picture of a room is deleted with it', async () => {
  const { id, owner } = await aRoom();
  await succeed(inProcess('PUT', `/api/rooms/${id}/avatar`, { token: owner.token, body: aPicture }));
  const { token } = await anAdmin();
  await succeed(inProcess('DELETE', `/api/rooms/${id}`, { token }));
  expect(await isStored(id)).toBe(0);
});
