import { describe, expect, it } from 'vitest';
import { anAccount } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { callThrough } from '../support/processes.ts';
import { outcome } from '../support/responses.ts';
import { aRoom, succeed } from '../support/rooms.ts';
import { type Call, inProcess, type Sent, transports } from '../support/transports.ts';

const mismatch = {
  status: 412,
  body: { title: 'Precondition failed', description: "It is not as 'If-Match' says: read it again." },
};
const tagOf = async (call: Call, path: string, token: string) => (await succeed(call('GET', path, { token }))).headers.etag ?? '';

/** A thing with a tag, and its changes: each a method, the path and the body. */
type Thing = { token: string; path: string; changes: [string, object?][] };

const things: [string, () => Promise<Thing>][] = [
  [
    'a room',
    async () => {
      const { owner, path } = await aRoom();
      const all = { name: 'New', is_open: false, is_visible: true };
      return {
        token: owner.token,
        path,
        changes: [
          ['PATCH', { name: 'Newer' }],
          ['PUT', all],
        ],
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
      return { token: owner.token, path: `/api/messages/${message._id.$oid}`, changes: [['PATCH', { text: 'New' }], ['DELETE']] };
    },
  ],
];

describe.each(transports())('an ETag, %s', (_transport, call) => {
  it.each(things)('of %s saves its body as long as that is the same', async (_what, make) => {
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
    const [[method, body] = ['PATCH']] = changes;
    const changed = await succeed(call(method, path, { token, body }));
    expect(changed.headers.etag).toBe(await tagOf(call, path, token));
    expect((await ask(etag)).status).toBe(200);
  });

  it.each(things)('of %s keeps a change from undoing another', async (_what, make) => {
    const { token, path, changes } = await make();
    const stale = await tagOf(call, path, token);
    const [[first, change] = ['PATCH']] = changes;
    const send = (method: string, body: object | undefined, tag: string) => {
      const sent: Sent = { token, headers: { 'if-match': tag } };
      return call(method, path, body ? { ...sent, body } : sent);
    };
    await succeed(send(first, change, stale));
    for (const [method, body] of changes) {
      const before = await call('GET', path, { token });
      for (const tag of [stale, '', 'no tag']) expect(outcome(await send(method, body, tag))).toEqual(mismatch);
      expect(outcome(await call('GET', path, { token }))).toEqual(outcome(before));
      const { status } = await send(method, body, `"other", W/${before.headers.etag}`);
      expect([200, 204]).toContain(status);
    }
  });
});

describe('If-Match', () => {
  it('lets one of ten changes through that were made of the same state, in several processes', async () => {
    const { call, end } = await callThrough(4, {});
    for (const [, make] of things) {
      const { token, path, changes } = await make();
      const [[method] = ['']] = changes;
      const etag = await tagOf(inProcess, path, token);
      const texts = Array.from({ length: 10 }, (_, at) => ({ name: `${at}`, topic: `${at}`, text: `${at}` }));
      const replies = await Promise.all(texts.map((body) => call(method, path, { token, body, headers: { 'if-match': etag } })));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
    }
    await end();
  });

  it('is also met while others talk in the room', async () => {
    const { owner, path, id } = await aRoom();
    const etag = await tagOf(inProcess, path, owner.token);
    const talk = Array.from({ length: 5 }, () => aMessage(owner, id));
    const change = inProcess('PATCH', path, { token: owner.token, body: { name: 'New' }, headers: { 'if-match': etag } });
    expect((await change).status).toBe(200);
    await Promise.all(talk);
  });

  it('tells nothing to those who may not make the change', async () => {
    const [stranger, room] = [await anAccount(), await aRoom({ is_visible: false })];
    const message = await aMessage(room.owner, room.id);
    const send = (path: string, body: object) =>
      inProcess('PATCH', path, { token: stranger.token, body, headers: { 'if-match': '"other"' } });
    expect(outcome(await send(room.path, { name: 'New' }))).toEqual(refusals.noSuch('room'));
    expect(outcome(await send(`${room.path}/details`, { topic: 'New' }))).toEqual(refusals.noSuch('room'));
    expect(outcome(await send(`/api/messages/${message._id.$oid}`, { text: 'New' }))).toEqual(refusals.noSuch('message'));
  });
});
