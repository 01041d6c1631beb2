import * as fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { afterEach, describe, expect, it } from 'vitest';
import { changeUser } from '../../../lib/accounts/accounts.ts';
import { deleteUser } from '../../../lib/accounts/deletion.ts';
import { fillBeginnings, fillBeginningsMeanwhile } from '../../../lib/accounts/fill-beginnings.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { upgrades } from '../../../lib/collections/service/upgrades.ts';
import { beginningFor, emailBeginnings, matchesAccount, nameBeginnings } from '../../../lib/identity/beginnings.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { everyPage } from '../../support/rooms.ts';
import { admin } from '../../support/run-command.ts';
import { commandsOf, planOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

useOwnDatabase();
await useDatabaseOutside();

const administrator = await anAdmin();
const find = async (q: string, limit = 2) =>
  (await everyPage(call, `/api/users?limit=${limit}&q=${encodeURIComponent(q)}`, administrator.token)) as {
    _id: { $oid: string };
  }[];
const idsFor = async (q: string, limit?: number) => (await find(q, limit)).map(({ _id }) => _id.$oid);
const oid = ({ id }: { id: string }) => new ObjectId(id);

let number = 0;
/** A random word, so that no other account has a name that begins with it. */
const aWord = () =>
  `${String.fromCharCode(98 + (number % 20))}${'wxz'[number++ % 3]}${crypto.randomUUID().slice(0, 8).replaceAll(/\d/g, 'q').replaceAll('-', '')}`;

describe('the index of beginnings', () => {
  const piece = fc.constantFrom(
    ...'aaeeouAEOUnmsäåøößéİıłŒ.-_ 019漢字かカ〇กا👍',
    'ﬀ',
    'Straße',
    'mueller',
    'Ann',
    'camelCase',
    '3️⃣',
  );
  const name = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const username = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,12}$/);

  it('the index of beginnings finds everybody who matches, in any script and spelling', () => {
    const typedOf = fc.tuple(name, username, name, fc.nat(30), fc.nat(8), fc.boolean());
    let matched = 0;
    fc.assert(
      fc.property(typedOf, ([full, short, other, from, length, isOther]) => {
        const user = { username: short, name: full, email: `${short}${full}@example.org`.replaceAll(' ', '') };
        const typed = isOther ? other : [...`${short} ${full}`].slice(from, from + length + 1).join('');
        if (!matchesAccount(user, typed)) return;
        const beginning = beginningFor(typed);
        if (beginning === undefined) return;
        matched++;
        expect([...nameBeginnings(user), ...emailBeginnings(user.email)]).toContain(beginning);
      }),
      { numRuns: 3_000 },
    );
    expect(matched).toBeGreaterThan(100);
  });

  it('the index of beginnings takes little of an ordinary account, and not much of the longest name', () => {
    expect(nameBeginnings({ username: 'ann.smith', name: 'Ann Smith' }).length).toBeLessThan(15);
    expect(nameBeginnings({ username: 'ann', name: '漢'.repeat(64) }).length).toBeLessThan(20);
    const longest = nameBeginnings({
      username: 'a'.repeat(64),
      name: Array.from({ length: 64 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''),
    });
    expect(longest.length).toBeLessThan(400);
  });
});

describe('the search of an administrator for accounts', () => {
  afterEach(async () => {
    await upgrades.deleteMany({});
  });

  it.each([
    ['by an index', true],
    ['while the index is being filled', false],
  ])(
    'an administrator finds accounts by words of their names and the beginning of their addresses, page by page and in order, %s',
    async (_how, isFilled) => {
      if (isFilled) await fillBeginnings();
      const word = aWord();
      const made = [
        await anAccount({ username: `${word}-one` }),
        await anAccount({ name: `Ann ${word}` }),
        await anAccount({ name: `${word.toUpperCase()} Müller` }),
        await anAccount({ name: `ann-${word}er` }),
        await anAccount({ name: `${word} Miller ${word}` }),
      ];
      const ids = made.map(({ id }) => id);
      await changeUser(oid(await anAccount()), { email: `x${word}@example.org` });
      expect(await idsFor(word)).toEqual(ids);
      expect(await idsFor(word.slice(0, 6))).toEqual(ids);
      expect(await idsFor(`${word} mueller`)).toEqual([ids[2]]);
      expect(await idsFor(`mill ${word}`)).toEqual([ids[4]]);
      expect(await idsFor(`${word}-one@exam`)).toEqual([ids[0]]);
      expect(await idsFor(`@${word}-o`)).toEqual([ids[0]]);
      expect(await idsFor(`x${word}`)).toHaveLength(1);
      expect(await idsFor(`${word}x`)).toEqual([]);
    },
  );

  it('an administrator finds accounts without skipping or repeating any, where some are found by their names and others by their addresses', async () => {
    await fillBeginnings();
    const word = aWord();
    const ids: string[] = [];
    for (const how of 'nnneaneeeeennn') {
      const account = await anAccount(how === 'n' ? { name: word } : how === 'a' ? { username: `${word}-a` } : {});
      if (how === 'e') await changeUser(oid(account), { email: `${word}${ids.length}@example.org` });
      ids.push(account.id);
    }
    for (const limit of [1, 2, 3, 5, 200]) expect(await idsFor(word, limit)).toEqual(ids);
  });

  it('an administrator finds matching accounts among many with the same first eight characters', async () => {
    await fillBeginnings();
    const word = aWord();
    const meant: string[] = [];
    for (const how of ['a', 'a', 'A', 'n', 'n', 'N', 'a', 'N', 'A']) {
      const called = `${word}${how === how.toUpperCase() ? 'z' : 'x'}`;
      const account = await anAccount(how.toLowerCase() === 'n' ? { name: called } : {});
      if (how.toLowerCase() === 'a') await changeUser(oid(account), { email: `${called}${crypto.randomUUID()}@example.org` });
      if (how === how.toUpperCase()) meant.push(account.id);
    }
    for (const limit of [1, 2, 200]) expect(await idsFor(`${word}z`, limit)).toEqual(meant);
  });

  it('an administrator finds accounts as they are called now, and not when they are gone', async () => {
    await fillBeginnings();
    const [first, second] = [aWord(), aWord()];
    const account = await anAccount({ name: first });
    await changeUser(oid(account), { name: second, email: `${second}@example.org` });
    expect([await idsFor(first), await idsFor(second)]).toEqual([[], [account.id]]);
    await changeUser(oid(account), { name: '' });
    expect([await idsFor(second), await idsFor(account.username)]).toEqual([[account.id], [account.id]]);
    await deleteUser(oid(account));
    expect(await idsFor(second)).toEqual([]);
    expect(await users.unscoped.findOne({ _id: oid(account) })).not.toHaveProperty('email_beginnings');
    expect(await users.unscoped.findOne({ _id: oid(account) })).not.toHaveProperty('name_beginnings');
  });

  it('an administrator finds accounts when a name and an address change at the same moment', async () => {
    await fillBeginnings();
    const account = await anAccount();
    for (let round = 0; round < 5; round++) {
      const [name, address] = [aWord(), aWord()];
      await Promise.all([changeUser(oid(account), { name }), changeUser(oid(account), { email: `${address}@example.org` })]);
      expect([await idsFor(name), await idsFor(address)]).toEqual([[account.id], [account.id]]);
    }
  });

  it('the search of an administrator for accounts looks at none that are not meant', async () => {
    await fillBeginnings();
    const word = aWord();
    for (let at = 0; at < 3; at++) await anAccount({ name: word });
    const sent = (await commandsOf(() => find(word, 50))).filter(
      ({ name, collection }) => name === 'find' && collection === 'users',
    );
    expect(sent).toHaveLength(2);
    for (const one of sent) {
      const stages = await planOf(one);
      expect(stages).toContain('IXSCAN');
      expect(stages).not.toContain('COLLSCAN');
      // The engine that replaces MongoDB in tests sorts the results of an index.
      if (isEmbedded) expect(stages).not.toContain('SORT');
    }
  });
});

describe('accounts that an earlier version stored', () => {
  const forget = async () => {
    await upgrades.deleteMany({});
    await users.unscoped.updateMany({}, { $unset: { name_beginnings: '', email_beginnings: '' } });
  };

  it('accounts of an earlier version are indexed by an upgrade, which runs once, and again after an import', async () => {
    const word = aWord();
    const account = await anAccount({ name: word });
    await forget();
    expect(await idsFor(word)).toEqual([account.id]);
    const all = await users.countDocuments({});
    expect(await fillBeginnings()).toBe(all);
    expect(await idsFor(word)).toEqual([account.id]);
    expect(await idsFor(account.email)).toEqual([account.id]);
    expect(await fillBeginnings()).toBe(0);
    expect(await fillBeginnings({ from: 'start' })).toBe(0);
    expect(await users.countDocuments({ name_beginnings: { $exists: false } })).toBe(0);
  });

  it('accounts that an earlier version stored keep the name that they get meanwhile', async () => {
    const account = await anAccount({ name: aWord() });
    const now = aWord();
    await forget();
    await Promise.all([fillBeginnings(), changeUser(oid(account), { name: now })]);
    expect(await idsFor(now)).toEqual([account.id]);
  });

  it('accounts that an earlier version stored are put into the index while the service runs', async () => {
    await forget();
    await fillBeginningsMeanwhile().end();
    await fillBeginnings();
    expect(await users.countDocuments({ name_beginnings: { $exists: false } })).toBe(0);
  });

  describe('made, renamed or deleted beside this version', () => {
    const check = async () => expect(await admin(['database', 'check'])).toMatchObject({ code: 0, stderr: '' });
    /** Writes like an earlier version, without the index. */
    const write = (account: Account, change: Parameters<typeof users.unscoped.updateOne>[1]) =>
      users.unscoped.updateOne({ _id: oid(account) }, change);

    it('are in the index after `database check`, under their names and addresses of now', async () => {
      await fillBeginnings();
      const [before, now, address, other] = [aWord(), aWord(), aWord(), aWord()];
      const [renamed, made, moved] = [await anAccount({ name: before }), await anAccount({ name: other }), await anAccount()];
      await write(renamed, { $set: { name: now } });
      await write(made, { $unset: { name_beginnings: '', email_beginnings: '' } });
      await write(moved, { $set: { email: `${address}@example.org`, email_key: `${address}@example.org` } });
      expect([await idsFor(now), await idsFor(other), await idsFor(address)]).toEqual([[], [], []]);
      await check();
      expect([await idsFor(now), await idsFor(other), await idsFor(address)]).toEqual([[renamed.id], [made.id], [moved.id]]);
      expect([await idsFor(before), await idsFor(moved.email), await idsFor(made.email)]).toEqual([[], [], [made.id]]);
      expect(await users.countDocuments({ name_beginnings: before.slice(0, 8) })).toBe(0);
    });

    it('keep the name that they get while `database check` runs', async () => {
      await fillBeginnings();
      const accounts = [];
      for (let at = 0; at < 5; at++) accounts.push(await anAccount({ name: aWord() }));
      for (const account of accounts) await write(account, { $set: { name: aWord() } });
      const names = accounts.map(aWord);
      await Promise.all([check(), ...accounts.map((account, at) => changeUser(oid(account), { name: names[at] as string }))]);
      expect(await Promise.all(names.map((name) => idsFor(name)))).toEqual(accounts.map(({ id }) => [id]));
    });

    it('leave nothing of their names and addresses, when they are deleted, after `database check`', async () => {
      const account = await anAccount({ name: aWord() });
      const index = await users.unscoped.findOne(
        { _id: oid(account) },
        { projection: { name_beginnings: 1, email_beginnings: 1, _id: 0 } },
      );
      await deleteUser(oid(account));
      await write(account, { $set: { ...index } });
      await check();
      const left = await users.unscoped.findOne({ _id: oid(account) });
      for (const field of ['name_beginnings', 'email_beginnings']) expect(left).not.toHaveProperty(field);
    });
  });
});
