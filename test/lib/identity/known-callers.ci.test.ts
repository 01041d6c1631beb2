import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { findCaller } from '../../../lib/identity/authenticate.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { commandsGot, useDatabaseWithin } from '../../support/database-within.ts';

await useDatabaseWithin();

const [tokens, users, messages] = ['tokens', 'users', 'messages'].map((name) => database.collection(name)) as [Any, Any, Any];

/* These tests need the database in the same process. */
describe('a cached caller', () => {
  it('a cached caller is found without the database while no token and no account changes', async () => {
    const { id, token } = await anAccount();
    await useUntilNoted(token);
    expect(await commandsGot(() => findCaller(token))).toEqual([]);
    await messages.insertOne({ text: 'of no account' });
    expect(await commandsGot(() => findCaller(token))).toEqual([]);
    await users.updateOne({ _id: new ObjectId(id) }, { $set: { email: 'new@example.org' } });
    const seen = await commandsGot(async () => expect((await findCaller(token))?.user.email).toBe('new@example.org'));
    expect(seen.map((command) => command.get('aggregate'))).toEqual(['tokens']);
  });

  it('a cached caller has the time of each call', async () => {
    const { token } = await anAccount();
    await useUntilNoted(token);
    await delay(5);
    const before = new Date();
    expect((await findCaller(token))?.at?.getTime()).toBeGreaterThanOrEqual(before.getTime());
  });

  it('a cached caller becomes invalid when the token expires, without any change', async () => {
    const { token } = await anAccount();
    await useUntilNoted(token);
    await set(tokens, { hash: hashOf(token) }, { expires_at: fromNow(300) });
    const got = await commandsGot(() => expect.poll(() => findCaller(token)).toBeUndefined());
    expect(got.map((command) => [...command][0])).toEqual([['aggregate', 'tokens']]);
    expect(await findCaller(token)).toBeUndefined();
  });

  it('a cached caller has the use of the token noted again after an hour', async () => {
    const { token } = await anAccount();
    await useUntilNoted(token);
    const almostAnHourAgo = fromNow(300 - 3_600_000);
    await set(tokens, { hash: hashOf(token) }, { last_used_at: almostAnHourAgo });
    const got = await commandsGot(() =>
      expect
        .poll(async () => {
          await findCaller(token);
          return (await tokens.findOne({ hash: hashOf(token) }))?.last_used_at;
        })
        .not.toEqual(almostAnHourAgo),
    );
    const countLookUps = (commands: typeof got) => commands.filter((command) => command.has('aggregate')).length;
    const noted = got.findIndex((command) => command.has('update'));
    expect(countLookUps(got.slice(0, noted))).toBe(1);
    // The note changes the token, which may be looked up once more before the poll sees the note.
    expect(countLookUps(got.slice(noted))).toBeLessThanOrEqual(1);
  });

  it('a cached caller always equals the current owner of the token, after any change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anEvent, { minLength: 5, maxLength: 30 }), async (happening) => {
        const accounts = await Promise.all([anAccount(), anAccount()]);
        for (const [index, change, isWhileAsked] of happening) {
          const account = accounts[index] as Account;
          // A request during a change may see the state before or after. A later request must see
          // the change.
          if (isWhileAsked) await Promise.all([findCaller(account.token), changes[change](account), findCaller(account.token)]);
          else await changes[change](account);
          for (const { id, token } of accounts) expect(shown(await findCaller(token))).toEqual(await callerNow(id, token));
        }
      }),
      { numRuns: 60 },
    );
  });
});

type Any = ReturnType<typeof database.collection>;

const hashOf = (token: string) => createHash('sha256').update(token).digest();

const set = (of: Any, where: object, fields: object) => of.updateOne(where, { $set: fields });
const accountOf = ({ id }: Account) => ({ _id: new ObjectId(id) });
const tokenOf = ({ token }: Account) => ({ hash: hashOf(token) });
const fromNow = (milliseconds: number) => new Date(Date.now() + milliseconds);

/** The changes of an account or its token. */
const changes = {
  nothing: async () => undefined,
  deactivated: (one: Account) => set(users, accountOf(one), { is_active: false }),
  activated: (one: Account) => set(users, accountOf(one), { is_active: true }),
  appointed: (one: Account) => set(users, accountOf(one), { is_admin: true }),
  dismissed: (one: Account) => set(users, accountOf(one), { is_admin: false }),
  session: (one: Account) => set(tokens, tokenOf(one), { kind: 'session', generation: 1 }),
  loggedOut: (one: Account) => users.updateOne(accountOf(one), { $inc: { session_generation: 1 } }),
  confined: (one: Account) => set(tokens, tokenOf(one), { scopes: ['read'] }),
  expired: (one: Account) => set(tokens, tokenOf(one), { expires_at: fromNow(-1) }),
  prolonged: (one: Account) => set(tokens, tokenOf(one), { expires_at: fromNow(60_000) }),
  revoked: (one: Account) => tokens.deleteOne(tokenOf(one)),
  unused: (one: Account) => set(tokens, tokenOf(one), { last_used_at: null }),
  refused: async (one: Account) => {
    const { _id: _, ...same } = (await users.findOne(accountOf(one))) ?? {};
    await users.insertOne(same).catch(() => undefined);
  },
} satisfies Record<string, (one: Account) => Promise<unknown>>;

const anEvent = fc.tuple(
  fc.nat({ max: 1 }),
  fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])),
  fc.boolean(),
);

/** Finds the caller independently of the implementation, from the stored documents. */
async function callerNow(id: string, token: string) {
  const [stored, user] = await Promise.all([tokens.findOne({ hash: hashOf(token) }), users.findOne({ _id: new ObjectId(id) })]);
  if (!stored || !user?.is_active) return undefined;
  if (stored.expires_at && stored.expires_at <= new Date()) return undefined;
  if (stored.kind === 'session' && stored.generation !== user.session_generation) return undefined;
  return { id, isAdmin: user.is_admin, kind: stored.kind, scopes: stored.scopes };
}

const shown = (caller: Awaited<ReturnType<typeof findCaller>>) =>
  caller && {
    id: caller.user._id.toHexString(),
    isAdmin: caller.user.is_admin,
    kind: caller.token.kind,
    scopes: caller.token.scopes,
  };

/** Uses a token until it is cached and its use is stored. */
async function useUntilNoted(token: string): Promise<void> {
  await findCaller(token);
  await expect.poll(async () => (await tokens.findOne({ hash: hashOf(token) }))?.last_used_at).toBeInstanceOf(Date);
  await findCaller(token);
}
