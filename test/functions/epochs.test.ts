import { describe, expect, it } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { renewEpoch } from '../../lib/database/epoch.ts';
import { anAccount } from '../support/accounts.ts';
import { useOwnDatabase } from '../support/config.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

useOwnDatabase();

// Imported late, because the settings are read when the service is loaded.

const replaced = { status: 410, body: expect.objectContaining({ title: 'Gone', code: 'history_replaced' }) };

describe('a cursor', () => {
  it('a cursor belongs to the epoch of the database, and is refused in another epoch', async () => {
    const ann = await anAccount();
    const { token } = ann;
    const room = await aRoomOf([ann]);
    for (const text of ['one', 'two']) await aMessage(ann, room, { text });
    const read = (after: string | number) => call('GET', `/api/events?room=${room}&after=${after}`, { token });
    const list = (since: string) => call('GET', `/api/members?user=me&since=${since}`, { token });

    const before = (await read(0)).headers['x-next-cursor'] ?? '';
    const since = (await call('GET', '/api/members?user=me', { token })).headers['x-next-cursor'] ?? '';
    expect([before, since]).toEqual([
      expect.stringMatching(/^[0-9a-f]{15}\.2$/),
      expect.stringMatching(/^[0-9a-f]{15}\.\d{13}$/),
    ]);
    for (const after of [before, 2, 1])
      expect(await read(after)).toMatchObject({ status: 200, headers: { 'x-next-cursor': before } });
    expect(await list(since)).toMatchObject({ status: 200 });

    await renewEpoch();
    for (const after of [before, 2, 1]) expect(outcome(await read(after))).toEqual(replaced);
    expect(outcome(await list(since))).toEqual(replaced);
    // Position 0 and times are valid in each epoch.
    const again = await read(0);
    expect(again).toMatchObject({ status: 200, body: [{ seq: 1 }, { seq: 2 }] });
    expect(again.headers['x-next-cursor']).not.toBe(before);
    expect(await list('2026-01-01T00:00:00Z')).toMatchObject({ status: 200 });
    expect(await read(again.headers['x-next-cursor'] ?? '')).toMatchObject({ status: 200, body: [] });
  });

  it('a cursor is refused if it is ahead of its room, even if nobody has reported that the database was restored', async () => {
    const ann = await anAccount();
    const { token } = ann;
    const room = await aRoomOf([ann]);
    const { seq } = await aMessage(ann, room);
    const { headers } = await call('GET', `/api/events?room=${room}`, { token });
    const ahead = (headers['x-next-cursor'] ?? '').replace(/\d+$/, String(seq + 1));
    expect(outcome(await call('GET', `/api/events?room=${room}&after=${ahead}`, { token }))).toEqual(replaced);
  });

  it('a cursor of an epoch that another process has just started is accepted', async () => {
    const ann = await anAccount();
    const { token } = ann;
    const room = await aRoomOf([ann]);
    await call('GET', `/api/events?room=${room}`, { token });
    const epoch = 'abcdef012345678';
    await database.collection<{ _id: string }>('epochs').updateOne({ _id: 'now' }, { $set: { epoch } });
    expect(await call('GET', `/api/events?room=${room}&after=${epoch}.0`, { token })).toMatchObject({ status: 200 });
  });
});

it('an entity tag of an earlier epoch allows no change', async () => {
  const ann = await anAccount();
  const { token } = ann;
  const room = await aRoomOf([ann]);
  const { _id } = await aMessage(ann, room);
  const path = `/api/messages/${_id.$oid}`;
  const tag = async () => (await call('GET', path, { token })).headers.etag ?? '';
  const change = (match: string) => call('PATCH', path, { token, headers: { 'If-Match': match }, body: { text: `if ${match}` } });
  const before = await tag();
  await renewEpoch();
  expect(await change(before)).toMatchObject({ status: 412 });
  expect(await change(await tag())).toMatchObject({ status: 200 });
});
