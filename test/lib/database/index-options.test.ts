import { describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { differenceOf } from '../../../lib/database/index-options.ts';
import { ensureIndexes } from '../../../lib/operating/prepare.ts';

describe('the indexes of the service', () => {
  it('an index that the service created has no other options than it needs', async () => {
    await ensureIndexes();
    await expect(ensureIndexes()).resolves.toBeDefined();
  });

  it('an index whose options were changed is refused by name, and created again after it is dropped', async () => {
    const users = database.collection('users');
    await ensureIndexes();
    const { name, key } = (await users.indexes()).find(({ unique }) => unique) as { name: string; key: Record<string, 1> };
    await users.dropIndex(name);
    await users.createIndex(key, { name });
    await expect(ensureIndexes()).rejects.toThrow(
      `The index '${name}' of the collection 'users' has other options than the service needs (unique: none instead of true`,
    );
    await users.dropIndex(name);
    await ensureIndexes();
    expect((await users.indexes()).find((index) => index.name === name)?.unique).toBe(true);
  });
});

describe('the difference of an index', () => {
  const wanted = { key: { room: 1, seq: -1 }, name: 'room, seq', expireAfterSeconds: 60 } as const;

  it.each<[string, object, string | undefined]>([
    ['the same index', { ...wanted, v: 2, unique: false }, undefined],
    ['another time', { ...wanted, expireAfterSeconds: 5 }, 'expireAfterSeconds: 5 instead of 60'],
    [
      'fields in another order',
      { ...wanted, key: { seq: -1, room: 1 } },
      'key: {"seq":-1,"room":1} instead of {"room":1,"seq":-1}',
    ],
    ['a collation', { ...wanted, collation: { locale: 'de' } }, 'collation: {"locale":"de"} instead of none'],
  ])('the difference of an index is named: %s', (_, existing, difference) => {
    expect(differenceOf(existing, wanted)).toBe(difference);
  });

  it('the difference of a text index does not depend on the fields that MongoDB shows of it', () => {
    const text = { key: { room: 1, words: 'text' }, name: 'words' } as const;
    expect(differenceOf({ key: { room: 1, _fts: 'text', _ftsx: 1 }, name: 'words' }, text)).toBe(undefined);
  });
});
