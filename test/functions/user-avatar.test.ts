import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { setAvatar } from '../../lib/accounts/avatars.ts';
import { avatars } from '../../lib/collections/accounts/avatars.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aPicture, aPictureOf } from '../support/files.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { addMember, aRoom, succeed } from '../support/rooms.ts';
import { type Call, inProcess, transports } from '../support/transports.ts';

const admin = await anAdmin();
const another = () => Buffer.concat([aPicture, randomBytes(8)]);
const noPicture = { status: 404, body: { title: 'Not found', description: 'No such avatar.', code: 'avatar_not_found' } };

const put = ({ token }: Account, bytes: Uint8Array, { user = 'me', call = inProcess, type = 'image/png' } = {}) =>
  call('PUT', `/api/users/${user}/avatar`, { token, body: bytes, headers: { 'content-type': type } });
const versionOf = async (reply: ReturnType<Call>) => ((await succeed(reply)).body as { avatar: string }).avatar;
const remove = ({ token }: Account, user = 'me') => inProcess('DELETE', `/api/users/${user}/avatar`, { token });

describe.each(transports())('/api/users/{user}/avatar, %s', (_transport, call) => {
  const read = ({ token }: Account, user: string, query = '', headers = {}) =>
    call('GET', `/api/users/${user}/avatar${query}`, { token, headers });

  it('the picture of a user is given to everyone who is signed in', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    expect(outcome(await read(bob, ann.id))).toEqual(noPicture);
    const version = await versionOf(put(ann, aPicture, { call }));
    for (const [reader, user] of [
      [ann, 'me'],
      [bob, ann.id],
    ] as const) {
      const { status, headers } = await read(reader, user);
      expect({ status, type: headers['content-type'], length: headers['content-length'] ?? String(aPicture.length) }).toEqual({
        status: 200,
        type: 'image/png',
        length: String(aPicture.length),
      });
      expect(headers).toMatchObject({ etag: `"${version}"`, 'x-content-type-options': 'nosniff' });
    }
    expect((await call('GET', `/api/users/${ann.id}/avatar`)).status).toBe(401);
    expect((await call('HEAD', `/api/users/${ann.id}/avatar`, { token: bob.token })).body).toBe('');
  });

  it('browsers keep the picture of a user under the address with its version, and ask again under any other', async () => {
    const ann = await anAccount();
    const version = await versionOf(put(ann, another(), { call }));
    const cacheOf = async (query = '') => (await read(ann, ann.id, query)).headers['cache-control'];
    expect(await cacheOf(`?version=${version}`)).toBe('private, max-age=31536000, immutable');
    expect(await cacheOf('?version=other')).toBe('private, no-cache');
    expect(await cacheOf()).toBe('private, no-cache');
    expect((await read(ann, ann.id, '?version=')).status).toBe(400);
    const known = { 'if-none-match': `"${version}"` };
    expect(outcome(await read(ann, ann.id, '', known))).toEqual({ status: 304, body: '' });
    await put(ann, another(), { call });
    expect((await read(ann, ann.id, '', known)).status).toBe(200);
  });

  it.each([
    ['a WebP', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1'), 'image/webp'],
    ['a JPEG that says to be a PNG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
    ['a PNG of 64 kB', Buffer.concat([aPicture, Buffer.alloc(65_536 - aPicture.length)]), 'image/png'],
  ])('a picture of a user is taken for what its bytes are: %s', async (_what, bytes, type) => {
    const ann = await anAccount();
    await succeed(put(ann, bytes, { call }));
    const { headers } = await read(ann, 'me');
    expect(headers['content-type']).toBe(type);
  });

  it.each([
    ['more than 64 kB', Buffer.concat([aPicture, Buffer.alloc(65_536)]), 413, 'picture_too_large'],
    ['a PNG of a few bytes that takes gigabytes', aPictureOf(23_000, 23_000), 400, 'picture_too_wide'],
    ['a page', Buffer.from('<script>alert(1)</script>'), 400, 'invalid_picture'],
    ['a GIF, which may move', Buffer.from('GIF89a'), 400, 'invalid_picture'],
    ['a drawing that may run scripts', Buffer.from('<svg onload="alert(1)"/>'), 400, 'invalid_picture'],
    ['nothing', Buffer.alloc(0), 400, 'invalid_picture'],
  ])('PUT of a picture of a user refuses %s, and keeps the earlier one', async (_what, bytes, status, code) => {
    const ann = await anAccount();
    const version = await versionOf(put(ann, aPicture, { call }));
    expect(await put(ann, bytes, { call })).toMatchObject({ status, body: { code } });
    expect((await read(ann, 'me')).headers.etag).toBe(`"${version}"`);
  });

  it('DELETE of a picture of a user removes it, and succeeds without one', async () => {
    const ann = await anAccount();
    await put(ann, aPicture, { call });
    for (const _time of ['first', 'second'])
      expect((await call('DELETE', '/api/users/me/avatar', { token: ann.token })).status).toBe(204);
    expect(outcome(await read(ann, 'me'))).toEqual(noPicture);
    expect((await call('GET', '/api/users/me', { token: ann.token })).body).not.toHaveProperty('avatar');
  });
});

describe('a picture of a user', () => {
  it('a picture of a user is set and removed by its user and by administrators alone, for accounts that exist', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    expect((await put(admin, aPicture, { user: ann.id })).body).toMatchObject({
      username: ann.username,
      avatar: expect.any(String),
    });
    expect(outcome(await put(bob, aPicture, { user: ann.id }))).toEqual(refusals.denied());
    expect(outcome(await remove(bob, ann.id))).toEqual(refusals.denied());
    expect((await remove(admin, ann.id)).status).toBe(204);
    const nobody = 'a'.repeat(24);
    expect(outcome(await put(admin, aPicture, { user: nobody }))).toEqual(refusals.noSuch('user'));
    expect(outcome(await remove(admin, nobody))).toEqual(refusals.noSuch('user'));
    expect(await avatars.countDocuments({ _id: new ObjectId(nobody) })).toBe(0);
  });

  it('a picture of a user is named by its version wherever the name of a user is shown, and goes with the account', async () => {
    const [owner, ann, outlaw] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [ann] });
    const outcast = await addMember(room, outlaw);
    await succeed(inProcess('DELETE', `/api/members/${outcast}?ban=true`, { token: owner.token }));
    const message = await aMessage(ann, room.id, { text: 'pelican' });
    await succeed(inProcess('POST', '/api/conversations', { token: owner.token, body: { users: [ann.username] } }));
    await succeed(inProcess('POST', '/api/blocks', { token: ann.token, body: { username: outlaw.username } }));
    const get = async ({ token }: Account, path: string) => (await succeed(inProcess('GET', path, { token }))).body;
    const shownIn = (shown: unknown, { username }: Account) =>
      (shown as { username: string; avatar?: string }[]).find((one) => one.username === username)?.avatar;
    const shownToOwner = async () => {
      const mine = (await get(owner, '/api/members?user=me')) as { others?: unknown[] }[];
      const events = (await get(owner, `/api/events?room=${room.id}&after=0`)) as { type: string; data: unknown }[];
      return [
        await get(owner, `/api/messages?room=${room.id}`),
        [await get(owner, `/api/messages/${message._id.$oid}`)],
        await get(owner, `/api/messages?room=${room.id}&q=pelican`),
        events.filter(({ type }) => type === 'message.created').map(({ data }) => data),
        events.filter(({ type }) => type === 'member.joined').map(({ data }) => data),
        await get(owner, `/api/members?room=${room.id}`),
        [await get(owner, `/api/users/${ann.id}`)],
        await get(owner, `/api/users?q=${ann.username}`),
        mine.flatMap(({ others }) => others ?? []),
      ].map((shown) => shownIn(shown, ann));
    };
    expect(new Set(await shownToOwner())).toEqual(new Set([undefined]));
    for (const bytes of [another(), another()]) {
      const version = await versionOf(put(ann, bytes));
      expect(new Set(await shownToOwner())).toEqual(new Set([version]));
    }
    const version = await versionOf(put(outlaw, another()));
    expect(shownIn(await get(owner, `/api/bans?room=${room.id}`), outlaw)).toBe(version);
    expect(shownIn(await get(ann, '/api/blocks'), outlaw)).toBe(version);

    const body = { current_password: ann.password };
    await succeed(inProcess('DELETE', '/api/users/me', { token: ann.token, body }));
    const left = (await get(owner, `/api/messages?room=${room.id}`)) as object[];
    expect(left.map((one) => 'avatar' in one)).toEqual([false]);
    expect(outcome(await inProcess('GET', `/api/users/${ann.id}/avatar`, { token: owner.token }))).toEqual(noPicture);
    expect(await avatars.countDocuments({ _id: new ObjectId(ann.id) })).toBe(0);
  });

  it('a picture of a user is not shown on the page of an invitation', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner });
    await put(owner, aPicture);
    const { body } = await inProcess('POST', `${room.path}/invitations`, { token: owner.token, body: {} });
    const { code } = body as { code: string };
    const shown = await succeed(inProcess('POST', '/api/invitations', { body: { invitation: code } }));
    expect(shown.body).toEqual(expect.not.objectContaining({ avatar: expect.anything() }));
  });
});

it('a picture whose upload ends too early is refused, and the one before it stays', async () => {
  const ann = await anAccount();
  const before = await versionOf(put(ann, aPicture));
  const broken = (async function* () {
    yield another();
    throw new Error('The client has gone');
  })();
  await expect(setAvatar(new ObjectId(ann.id), broken)).rejects.toMatchObject({ status: 400 });
  expect(await versionOf(inProcess('GET', '/api/users/me', { token: ann.token }))).toBe(before);
});
