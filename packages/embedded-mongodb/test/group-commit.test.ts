import { cpSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Int32 } from 'bson';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Catalog } from '../src/storage/catalog.ts';
import { type DatabaseFile, openDatabaseFile } from '../src/storage/file/file.ts';
import { createGroupCommit, type GroupCommit } from '../src/storage/group-commit.ts';
import { encode } from '../src/values/bson.ts';
import { DatabaseError } from '../src/values/errors.ts';
import { freshCollection, freshDirectory } from './support/database.ts';
import { createRandom, testSeed } from './support/random.ts';

describe('a commit of all writes of one turn', () => {
  it('a commit of one turn rolls back an atomic change that breaks half-way, and no other change', async () => {
    const { catalog, commits } = await freshStorage();
    const outcomes: string[] = [];
    const told = (name: string) => (failure: DatabaseError | undefined) => outcomes.push(`${name} ${failure ? 'lost' : 'kept'}`);
    insertInto(catalog, 1);
    commits.settled(told('first'));
    expect(() =>
      commits.atomically(() => {
        insertInto(catalog, 2);
        throw new Error('broke');
      }),
    ).toThrow(new DatabaseError(1, 'internal error: broke'));
    insertInto(catalog, 3);
    commits.settled(told('third'));
    await setImmediate();
    expect(outcomes).toEqual(['first kept', 'third kept']);
    expect(stored(catalog)).toEqual([1, 3]);
  });

  it('a commit of one turn is rolled back as a whole when a plain change breaks half-way, and the writers get an error', async () => {
    const { catalog, commits } = await freshStorage();
    const outcomes: (string | undefined)[] = [];
    insertInto(catalog, 1);
    commits.settled((failure) => outcomes.push(failure?.message));
    expect(() =>
      commits.write(() => {
        insertInto(catalog, 2);
        throw new Error('broke');
      }),
    ).toThrow(new DatabaseError(1, 'internal error: broke'));
    expect(() => insertInto(catalog, 3)).toThrow('broke');
    await setImmediate();
    expect(outcomes).toEqual(['internal error: broke']);
    expect(stored(catalog)).toEqual([]);
    insertInto(catalog, 4);
    commits.flush();
    expect(stored(catalog)).toEqual([4]);
  });

  it('a rollback includes the collections and indexes that the change created', async () => {
    const { catalog, commits } = await freshStorage();
    insertInto(catalog, 1);
    expect(() =>
      commits.atomically(() => {
        catalog.create('test', 'short-lived');
        throw new DatabaseError(121, 'refused');
      }),
    ).toThrow(new DatabaseError(121, 'refused'));
    expect(catalog.get('test', 'short-lived')).toBeUndefined();
    catalog.create('test', 'short-lived');
    commits.flush();
    catalog.load();
    expect(catalog.inDatabase('test').map(({ identity }) => identity.name)).toEqual(['things', 'short-lived']);
  });

  it('a commit of one turn keeps all but the refused writes when many clients write concurrently', async () => {
    const things = await freshCollection();
    await things.createIndex({ name: 1 }, { unique: true });
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => things.insertOne({ name: `name ${n % 60}` })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
    expect(new Set((await things.find().toArray()).map(({ name }) => name)).size).toBe(60);
  });
});

describe('changes that need no sync', () => {
  it('changes that need no sync are committed without one, and by themselves when other changes of their turn need one', async () => {
    const syncs: boolean[] = [];
    const { catalog, commits } = await freshStorage((isSynced) => syncs.push(isSynced));
    syncs.length = 0;
    commits.unsynced(() => insertInto(catalog, 1));
    await setImmediate();
    expect(syncs).toEqual([false]);
    commits.unsynced(() => insertInto(catalog, 2));
    insertInto(catalog, 3);
    await setImmediate();
    expect(syncs).toEqual([false, false, true]);
    insertInto(catalog, 4);
    commits.unsynced(() => insertInto(catalog, 5));
    await setImmediate();
    expect(syncs).toEqual([false, false, true, true]);
    expect(stored(catalog)).toEqual([1, 2, 3, 4, 5]);
  });

  it('changes that need no sync fail together with the other changes of their turn when they cannot be committed', async () => {
    let isBroken = false;
    const { catalog, commits } = await freshStorage(() => {
      if (isBroken) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    });
    isBroken = true;
    const outcomes: (number | undefined)[] = [];
    commits.unsynced(() => insertInto(catalog, 1));
    commits.settled((failure) => outcomes.push(failure?.code));
    expect(() => insertInto(catalog, 2)).toThrow('no writes until the database is restarted');
    commits.settled((failure) => outcomes.push(failure?.code));
    await setImmediate();
    expect(outcomes).toEqual([39, 39]);
    expect(stored(catalog)).toEqual([]);
  });

  it('changes that need no sync fail with another code after a fault that is not of the disk, and later ones are accepted', async () => {
    let isBroken = false;
    const { catalog, commits } = await freshStorage(() => {
      if (isBroken) throw Object.assign(new Error('SQL logic error'), { errcode: 1 });
    });
    isBroken = true;
    const outcomes: (number | undefined)[] = [];
    insertInto(catalog, 1);
    commits.settled((failure) => outcomes.push(failure?.code));
    await setImmediate();
    isBroken = false;
    insertInto(catalog, 2);
    commits.settled((failure) => outcomes.push(failure?.code));
    await setImmediate();
    expect(outcomes).toEqual([96, undefined]);
    expect(stored(catalog)).toEqual([2]);
  });
});

describe('the number of the last change of a collection', () => {
  it(`the number of the last change stays the same only while earlier answers are valid, even after rollbacks (SEED=${testSeed})`, async () => {
    const random = createRandom(testSeed);
    let isFaulty = false;
    const { catalog, commits } = await freshStorage(() => {
      if (isFaulty && random.below(4) === 0) throw Object.assign(new Error('SQL logic error'), { errcode: 1 });
    });
    isFaulty = true;
    const lastChange = () => catalog.get('test', 'things')?.lastChange;
    const told: { state: number | undefined; documents: unknown[] }[] = [];
    let asked = lastChange();
    let stillHeld = 0;
    const broken = (how: 'write' | 'atomically') => () =>
      commits[how](() => {
        insertInto(catalog, random.below(100));
        throw new Error('broke');
      });
    const ask = () => {
      asked = lastChange();
    };
    const read = () => {
      const read = { state: asked, documents: stored(catalog) };
      commits.settled((failure) => failure ?? told.push(read));
    };
    const flush = () => commits.flush();
    const insert = () => insertInto(catalog, random.below(100));
    const [refuse, spoil] = [broken('atomically'), broken('write')];
    for (let step = 0; step < 2_000; step++) {
      try {
        random.pick([ask, ask, read, read, flush, flush, insert, refuse, spoil])();
      } catch {
        // The write was rejected, or its turn was rolled back.
      }
      for (const { state, documents } of told.slice(-20)) {
        if (state !== lastChange()) continue;
        stillHeld++;
        expect(documents).toEqual(stored(catalog));
      }
    }
    flush();
    expect(stillHeld).toBeGreaterThan(50);
  });
});

describe('the log', () => {
  it('the log is extended with zeros in advance, so that few syncs have to store a new length', async () => {
    const { catalog, commits, directory } = await freshStorage();
    const lengths = [];
    for (let n = 1; n <= 600; n++) {
      insertInto(catalog, n);
      commits.flush();
      lengths.push(statSync(join(directory, 'database.sqlite-wal')).size);
    }
    // Each of the 600 commits writes at least two pages. The first checks of the length extended
    // the log; after that, it had enough space.
    expect(lengths.at(-1)).toBeGreaterThan(2 * 600 * 4096);
    expect(new Set(lengths.slice(16)).size).toBeLessThan(10);
  });

  it('the log is read up to its last commit, and no further, after a process that did not close it', async () => {
    const { catalog, commits, directory } = await freshStorage();
    for (let n = 1; n <= 100; n++) {
      insertInto(catalog, n);
      commits.flush();
    }
    const copy = freshDirectory();
    cpSync(directory, copy, { recursive: true });
    expect(
      readFileSync(join(copy, 'database.sqlite-wal'))
        .subarray(-500_000)
        .every((byte) => byte === 0),
    ).toBe(true);
    const again = await openDatabaseFile(copy);
    onTestFinished(() => again.close());
    expect(again.prepare('SELECT count(*) FROM c1').get()).toEqual([100]);
    expect(again.prepare('PRAGMA integrity_check').get()).toEqual(['ok']);
    const length = () => statSync(join(copy, 'database.sqlite-wal')).size;
    const before = length();
    again.writeAhead(1);
    expect(length(), 'of a log that has room').toBe(before);
  });
});

describe('a command that changes the catalog', () => {
  it('createIndexes creates none of several indexes when the last one is refused', async () => {
    const things = await freshCollection();
    await things.insertMany([{ name: 'a' }, { name: 'a' }]);
    const indexes = things.createIndexes([{ key: { other: 1 } }, { key: { name: 1 }, unique: true }]);
    await expect(indexes).rejects.toMatchObject({ code: 11000 });
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_']);
  });
});

/** `beforeCommit` receives true if the commit will be synced. */
async function freshStorage(beforeCommit: (isSynced: boolean) => void = () => {}) {
  const directory = freshDirectory();
  const opened = await openDatabaseFile(directory);
  onTestFinished(() => opened.close());
  const file: DatabaseFile = {
    ...opened,
    prepare(sql) {
      if (sql === 'COMMIT') beforeCommit((opened.prepare('PRAGMA synchronous').get() as unknown as [number])[0] === 2);
      return opened.prepare(sql);
    },
  };
  const commits: GroupCommit = createGroupCommit(file, () => catalog.load());
  const catalog = new Catalog(file, () => commits);
  catalog.create('test', 'things');
  commits.flush();
  return { catalog, commits, directory };
}

function insertInto(catalog: Catalog, n: number): void {
  const doc = new Map([['_id', new Int32(n)]]);
  catalog.get('test', 'things')?.insert(Buffer.from(encode(doc)), () => doc);
}

function stored(catalog: Catalog): (number | undefined)[] {
  const things = catalog.get('test', 'things');
  const rids = Array.from({ length: things?.lastRid() ?? 0 }, (_, at) => at + 1);
  return rids.filter((rid) => things?.get(rid) !== undefined).map((rid) => things?.get(rid)?.readInt32LE(9));
}
