import { expect, it } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { indexVersion } from '../../lib/database/index-version.ts';
import { isPrepared } from '../../lib/database/preparation.ts';
import { ensureIndexes } from '../../lib/operating/prepare.ts';
import { aName } from '../support/accounts.ts';
import { useOwnDatabase } from '../support/config.ts';
import { inProcess as call } from '../support/transports.ts';
import { leaveUnprepared } from '../support/worker.ts';

const signUp = (username: string) =>
  call('POST', '/api/users', { body: { username, email: `${aName()}@example.org`, password: 'a horse, a battery' } });
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();
const fourTimes = (username: string) => Promise.all(Array.from({ length: 4 }, () => signUp(username)));
const accounts = (username: string) => database.collection('users').countDocuments({ username });

const useEmptyDatabase = () => {
  useOwnDatabase();
  leaveUnprepared(database.databaseName);
};

it('a database without indexes takes no write, says so, and is not changed', async () => {
  useEmptyDatabase();
  for (const { status, headers, body } of await fourTimes(aName()))
    expect({ status, retry: headers['retry-after'], body }).toMatchObject({
      status: 503,
      retry: '10',
      body: { title: 'Service unavailable', code: 'not_prepared' },
    });
  expect(await database.listCollections().toArray()).toEqual([]);
  const health = await call('GET', '/api/health');
  expect(health).toMatchObject({ status: 200, body: { status: 'ok', database: 'not_prepared' } });
  expect((await call('GET', '/api/rooms')).status).toBe(401);
  expect((await call('POST', '/api/rooms', { body: { name: 'General' } })).status).toBe(401);
});

it('simultaneous sign-ups of one name make one account, before, while and after the database is prepared', async () => {
  useEmptyDatabase();
  const [early, late] = [aName(), aName()];
  expect(statusesOf(await fourTimes(early))).toEqual([503, 503, 503, 503]);

  const replies: { status: number }[] = [];
  let isDone = false;
  const preparing = ensureIndexes().finally(() => {
    isDone = true;
  });
  do replies.push(...(await fourTimes(late)));
  while (!isDone);
  await preparing;
  replies.push(...(await fourTimes(late)));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(await accounts(late)).toBe(1);

  expect(statusesOf(await fourTimes(early))).toEqual([201, 409, 409, 409]);
  expect(await accounts(early)).toBe(1);
  expect(await call('GET', '/api/health')).toMatchObject({ body: { database: 'ok' } });
});

it('a version that needs other indexes takes no write until they exist, and the version before goes on', async () => {
  const preparations = () => database.collection<{ _id: string; versions: string[] }>('preparations');
  useEmptyDatabase();
  await preparations().insertOne({ _id: 'indexes', versions: ['an earlier version'] });
  const name = aName();
  expect(statusesOf(await fourTimes(name))).toEqual([503, 503, 503, 503]);
  await ensureIndexes();
  await ensureIndexes();
  expect(await preparations().find().toArray()).toEqual([{ _id: 'indexes', versions: ['an earlier version', indexVersion] }]);
  expect(statusesOf(await fourTimes(name))).toEqual([201, 409, 409, 409]);
  await preparations().updateOne({ _id: 'indexes' }, { $addToSet: { versions: 'a later version' } });
  expect(await isPrepared()).toBe(true);
});
