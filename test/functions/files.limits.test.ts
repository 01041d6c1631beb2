import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { files } from '../../lib/collections/rooms/files.ts';
import { announcedTime, sweepFiles } from '../../lib/files/removal.ts';
import { anAccount } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { aFile, announced } from '../support/files.ts';
import { aRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ RATE_LIMITS: 'on' });

it('a user can announce few files without bytes, and these expire after an hour', async () => {
  const ann = await anAccount();
  const room = await aRoom({ owner: ann });
  const { id } = await aFile(ann, room.id);
  const user = new ObjectId(ann.id);
  const announce = () => call('POST', '/api/files', { token: ann.token, body: announced(room.id, 'Hello') });
  const sample = await files.findOne({ _id: new ObjectId(id) });
  if (!sample) throw new Error('The file is not stored.');
  const { idempotency_key: _, ...fields } = sample;
  const some = Array.from({ length: 59 }, (_, at) => ({ ...fields, _id: new ObjectId(), key: `${at}`.padStart(32, '0') }));
  for (const one of some) await files.insertOne({ ...one, state: 'reserved', due: new Date(Date.now() + announcedTime) });
  expect((await announce()).status).toBe(201);
  expect(await announce()).toMatchObject({ status: 409, body: { code: 'too_many_announced' } });
  await sweepFiles({ now: Date.now() + announcedTime + 60_000 });
  expect(await files.find({ user, state: { $ne: 'deleted' } }, { projection: { _id: 1 } }).toArray()).toEqual([
    { _id: new ObjectId(id) },
  ]);
  expect((await announce()).status).toBe(201);
});
