import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { preconditionOf } from '../../lib/api/entity-tag.ts';
import { deleteRoom } from '../../lib/rooms/deletion.ts';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { callThrough } from '../support/processes.ts';
import { outcome } from '../support/responses.ts';
import { aRoom, succeed } from '../support/rooms.ts';
import { type Call, inProcess, type SentRequest, transports } from '../support/transports.ts';

const mismatch = {
  status: 412,
  body: {
    title: 'Precondition failed',
    description: "The resource has changed ('If-Match' does not match). Fetch it again.",
    code: 'precondition_failed',
  },
};
const tagOf = async (call: Call, path: string, token: string) => (await succeed(call('GET', path, { token }))).headers.etag ?? '';

/**
 * A resource with a tag, and its changes: each a method, a body, and a path if that is not the
 * resource's own.
 */
type Thing = { token: string; path: string; changes: [method: string, body?: object | undefined, path?: string][] };

const things: [string, () => Promise<Thing>][] = [
  [
    'a room',
    async () => {
      const { path } = await aRoom();
      const all = { name: 'New', is_open: false, is_visible: true };
      return {
        token: (await anAdmin()).token,
        path,
        changes: [['PATCH', { name: 'Newer' }], ['PUT', all], ['DELETE']],
      };
    },
  ],
  [
    'the details of a room',
    async () => {
      const { owner, path } = await aRoom();
      return { token: owner.token, path: `${path}/details`, changes: [['PATCH', { topic: 'News' }]] };
    },
  ],
  [
    'a message',
    async () => {
      const { owner, id } = await aRoom();
      const message = await aMessage(owner, id);
      const path = `/api/messages/${message._id.$oid}`;
      return {
        token: owner.token,
        path,
        changes: [
          ['PATCH', { text: 'New' }],
          ['PUT', {}, `${path}/pin`],
          ['DELETE', undefined, `${path}/pin`],
          ['PUT', {}, `${path}/reactions/+1`],
          ['DELETE', undefined, `${path}/reactions/+1`],
          ['DELETE'],
        ],
      };
    },
  ],
];

describe.each(transports())('an ETag, %s', (_transport, call) => {
  it.each(things)('an ETag of %s saves the transfer of its body as long as that is the same', async (_what, make) => {
    const { token, path, changes } = await make();
    const first = await succeed(call('GET', path, { token }));
    const { etag = '' } = first.headers;
    expect(await tagOf(call, path, token)).toBe(etag);
    const ask = (tag: string) => call('GET', path, { token, headers: { 'if-none-match': tag } });
    for (const same of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, headers, body } = await ask(same);
      expect({ status, body, etag: headers.etag }).toEqual({ status: 304, body: '', etag });
    }
    expect(outcome(await ask('"other"'))).toEqual({ status: 200, body: first.body });
    for (const [method, body, at = path] of changes) {
      const before = await tagOf(call, path, token);
      const changed = await succeed(call(method, at, { token, body }));
      if (changed.status === 204) break;
      expect(changed.headers.etag).toBe(await tagOf(call, path, token));
      expect((await ask(before)).status).toBe(200);
    }
  });

  it.each(things)('an ETag of %s prevents a change from undoing another', async (_what, make) => {
    const { token, path, changes } = await make();
    const stale = await tagOf(call, path, token);
    const [[first, change] = ['PATCH']] = changes;
    const send = (method: string, body: object | undefined, tag: string, at = path) => {
      const sent: SentRequest = { token, headers: { 'if-match': tag } };
      return call(method, at, body ? { ...sent, body } : sent);
    };
    await succeed(send(first, change, stale));
    for (const [method, body, at] of changes) {
      const before = await call('GET', path, { token });
      for (const tag of [stale, '', 'no tag']) expect(outcome(await send(method, body, tag, at))).toEqual(mismatch);
      expect(outcome(await call('GET', path, { token }))).toEqual(outcome(before));
      const { status } = await send(method, body, `"other", W/${before.headers.etag}`, at);
      expect([200, 204]).toContain(status);
    }
  });
});

describe('If-Match', () => {
  it('If-Match lets only one of ten changes of the same state through, in several processes', async () => {
    const { call, end } = await callThrough(2, {});
    for (const [, make] of things) {
      const { token, path, changes } = await make();
      const [[method, example = {}] = ['']] = changes;
      const etag = await tagOf(inProcess, path, token);
      const [field = ''] = Object.keys(example);
      const texts = Array.from({ length: 10 }, (_, at) => ({ [field]: `${at}` }));
      const replies = await Promise.all(texts.map((body) => call(method, path, { token, body, headers: { 'if-match': etag } })));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
    }
    await end();
  });

  it('If-Match lets a deletion of a room through only if nothing has changed before it', async () => {
    const { call, end } = await callThrough(2, {});
    const { token } = await anAdmin();
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { path } = await aRoom();
        const headers = { 'if-match': await tagOf(inProcess, path, token) };
        const [changed, deleted] = await Promise.all([
          call('PATCH', path, { token, body: { name: 'New' }, headers }),
          call('DELETE', path, { token, headers }),
        ]);
        return [changed.status, deleted.status, (await inProcess('GET', path, { token })).status];
      }),
    );
    for (const statuses of outcomes)
      expect([
        [200, 412, 200],
        [404, 204, 404],
      ]).toContainEqual(statuses);
    await end();
  });

  it('If-Match does not prevent the repetition of a deletion that was cut off', async () => {
    const [{ token }, { path, id, owner }] = [await anAdmin(), await aRoom()];
    await aMessage(owner, id);
    const precondition = preconditionOf({ 'if-match': await tagOf(inProcess, path, token) });
    await expect(deleteRoom(new ObjectId(id), { time: 0, precondition })).rejects.toMatchObject({ status: 503 });
    await deleteRoom(new ObjectId(id), { precondition });
    await expect(deleteRoom(new ObjectId(id), { precondition })).rejects.toMatchObject({ status: 404 });
  });

  it('If-Match still matches while others talk in the room', async () => {
    const { owner, path, id } = await aRoom();
    const etag = await tagOf(inProcess, path, owner.token);
    const talk = Array.from({ length: 5 }, () => aMessage(owner, id));
    const change = inProcess('PATCH', path, { token: owner.token, body: { name: 'New' }, headers: { 'if-match': etag } });
    expect((await change).status).toBe(200);
    await Promise.all(talk);
  });

  it('If-Match reveals nothing to callers without permission for the change', async () => {
    const [stranger, room] = [await anAccount(), await aRoom({ is_visible: false })];
    const message = await aMessage(room.owner, room.id);
    const send = (path: string, body: object) =>
      inProcess('PATCH', path, { token: stranger.token, body, headers: { 'if-match': '"other"' } });
    expect(outcome(await send(room.path, { name: 'New' }))).toEqual(refusals.noSuch('room'));
    expect(outcome(await send(`${room.path}/details`, { topic: 'New' }))).toEqual(refusals.noSuch('room'));
    expect(outcome(await send(`/api/messages/${message._id.$oid}`, { text: 'New' }))).toEqual(refusals.noSuch('message'));
    const deletion = inProcess('DELETE', room.path, { token: stranger.token, headers: { 'if-match': '"other"' } });
    expect(outcome(await deletion)).toEqual(refusals.denied());
  });
});
