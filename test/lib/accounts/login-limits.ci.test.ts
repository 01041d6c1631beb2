import { afterAll, describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { keyOf } from '../../../lib/identity/slots.ts';
import { aName, anAccount, anAddress, aSession, logIn } from '../../support/accounts.ts';
import { refusals } from '../../support/error-bodies.ts';
import { startProcesses } from '../../support/processes.ts';
import { outcome } from '../../support/responses.ts';
import { inProcess, transports } from '../../support/transports.ts';
import type { LoginAttempt } from '../../support/workers/log-in.ts';

const processes = await startProcesses<LoginAttempt[], number[]>(10, 'log-in');
afterAll(() => processes.end());

/** Distributes attempts over ten concurrent processes, and counts the statuses. */
async function attack(attempts: LoginAttempt[]): Promise<Record<number, number>> {
  const shares = Array.from({ length: 10 }, (_, share) => attempts.filter((_attempt, index) => index % 10 === share));
  const counts: Record<number, number> = {};
  for (const status of (await processes.run(shares)).flat()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

describe('guesses of passwords, through ten concurrent processes', () => {
  it('guesses of passwords are 5 for one account at one address, whether or not the account exists', async () => {
    const { username } = await anAccount();
    for (const name of [username, aName()]) {
      const source = anAddress();
      expect(await attack(times(60, () => ({ name, password: 'a guess', source })))).toEqual({ 401: 5, 429: 55 });
    }
  });

  it('guesses of passwords are 50 for one address, over any accounts', async () => {
    const source = anAddress();
    expect(await attack(times(80, () => ({ name: aName(), password: 'a guess', source })))).toEqual({ 401: 50, 429: 30 });
  });

  it('one account allows 100 password guesses from all addresses together, and its owner is not blocked at a known address', async () => {
    const { username, password } = await anAccount();
    const [home, elsewhere] = [anAddress(), anAddress()];
    expect((await logIn(inProcess, username, password, home)).status).toBe(201);
    const guesses = times(130, () => ({ name: username, password: 'a guess', source: anAddress() }));
    expect(await attack(guesses)).toEqual({ 401: 100, 429: 30 });

    expect((await logIn(inProcess, username, password, elsewhere)).status).toBe(429);
    expect((await logIn(inProcess, username, password, home)).status).toBe(201);
    // From the owner's address, only the limits of that address apply.
    expect(await attack(times(20, () => ({ name: username, password: 'a guess', source: home })))).toEqual({ 401: 5, 429: 15 });
  });

  it('an owner who logs in 50 times concurrently is not blocked', async () => {
    const { username, password } = await anAccount();
    const source = anAddress();
    expect(await attack(times(50, () => ({ name: username, password, source })))).toEqual({ 200: 50 });
  });
});

describe.each(transports())('a login, %s', (_transport, call) => {
  it('a login after too many failures is refused with the time to retry, even with the right password, and works elsewhere', async () => {
    const { username, password } = await anAccount();
    const source = anAddress();
    for (let guess = 0; guess < 5; guess++) {
      expect(outcome(await logIn(call, username.toUpperCase(), `guess ${guess}`, source))).toEqual(refusals.wrongLogin);
    }
    const { status, headers, body } = await logIn(call, username, password, source);
    const seconds = Number(headers['retry-after']);
    expect({ status, body }).toEqual({
      status: 429,
      body: { title: 'Too many requests', description: 'Too many attempts. Try again in 15 minutes.', code: 'too_many_requests' },
    });
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect((await logIn(call, username, password)).status).toBe(201);
  });

  it('a login by e-mail address counts for the same account', async () => {
    const { username, email } = await anAccount();
    const source = anAddress();
    const tries = [username, email, username, email, username, email];
    const statuses: number[] = [];
    for (const name of tries) statuses.push((await logIn(call, name, 'a guess', source)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('a login that succeeds does not count', async () => {
    const { username, password } = await anAccount();
    const source = anAddress();
    for (let time = 0; time < 8; time++) expect((await logIn(call, username, password, source)).status).toBe(201);
    for (let guess = 0; guess < 5; guess++) expect((await logIn(call, username, 'a guess', source)).status).toBe(401);
    expect((await logIn(call, username, 'a guess', source)).status).toBe(429);
  });

  it('a login and its session have limits of their own for guesses of the current password', async () => {
    const account = await anAccount();
    const [stolen, own] = [await aSession(call, account), await aSession(call, account)];
    const confirm = async (token: string, current: string) =>
      (await call('PATCH', '/api/users/me', { token, body: { password: 'battery staple', current_password: current } })).status;
    const statuses: number[] = [];
    for (let time = 0; time < 6; time++) statuses.push(await confirm(stolen, 'a guess'));
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    expect((await logIn(call, account.username, account.password)).status).toBe(201);
    expect(await confirm(own, account.password)).toBe(200);
  });

  it('a login at a known address works, however often others there have guessed', async () => {
    const { username, password } = await anAccount();
    const source = anAddress();
    expect((await logIn(call, username, password, source)).status).toBe(201);
    const statuses: number[] = [];
    // Few at a time: an overloaded process rejects requests that would wait long, and those do not
    // count as guesses.
    for (let round = 0; round < 3; round++) {
      const guesses = await Promise.all(times(17, () => logIn(call, aName(), 'a guess', source)));
      statuses.push(...guesses.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(50);
    expect((await logIn(call, (await anAccount()).username, password, source)).status).toBe(429);
    expect((await logIn(call, username, password, source)).status).toBe(201);
  });
});

describe('a colleague who never signed in at an address', () => {
  const withProgram = (name: string, password: string, source: string, agent: string) =>
    inProcess('POST', '/api/sessions', { body: { username: name, password }, source, headers: { 'user-agent': agent } });

  it('a colleague signs in with another program than the one that guessed at the address, but not after 250 guesses of all programs', async () => {
    const source = anAddress();
    const { username, password } = await anAccount();
    for (let guess = 0; guess < 50; guess++) await withProgram(aName(), 'a guess', source, 'one');
    expect((await withProgram(username, password, source, 'one')).status).toBe(429);
    expect((await withProgram(username, password, source, 'another')).status).toBe(201);
    for (const agent of ['two', 'three', 'four', 'five']) {
      for (let guess = 0; guess < 50; guess++) expect((await withProgram(aName(), 'a guess', source, agent)).status).toBe(401);
    }
    expect((await withProgram(aName(), 'a guess', source, 'six')).status).toBe(429);
  });

  it('a colleague who signed in from an address before is not blocked by others who mistype their passwords there', async () => {
    const source = anAddress();
    const known = await Promise.all(times(11, () => anAccount()));
    for (const { username, password } of known) expect((await logIn(inProcess, username, password, source)).status).toBe(201);
    for (const { username } of known)
      for (let guess = 0; guess < 5; guess++) expect((await logIn(inProcess, username, 'a guess', source)).status).toBe(401);
    const { username, password } = await anAccount();
    expect((await logIn(inProcess, username, password, source)).status).toBe(201);
  });
});

describe('the limits of logins', () => {
  const limits = database.collection<{ _id: string; attempts: unknown; known_until?: Date }>('login_limits');

  it('the limits of logins treat IPv6 addresses of one network as one', async () => {
    const name = aName();
    const statuses: number[] = [];
    for (let host = 1; host <= 6; host++) {
      statuses.push((await logIn(inProcess, name, 'a guess', `2001:db8:0:${7}::${host.toString(16)}`)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await logIn(inProcess, name, 'a guess', '2001:db8:0:8::1')).status).toBe(401);
  });

  it('the limits of logins forget failures that are older than their window', async () => {
    const name = aName();
    const source = anAddress();
    for (let guess = 0; guess < 5; guess++) await logIn(inProcess, name, 'a guess', source);
    expect((await logIn(inProcess, name, 'a guess', source)).status).toBe(429);
    await limits.updateMany(of(name), { $set: { 'attempts.$[].at': new Date(Date.now() - 15 * 60_000) } });
    expect((await logIn(inProcess, name, 'a guess', source)).status).toBe(401);
  });

  it("the limits of logins refuse everyone when they can't be read", async () => {
    const { id, username, password } = await anAccount();
    const source = anAddress();
    expect((await logIn(inProcess, username, password, source)).status).toBe(201);
    await limits.updateMany(of(id), { $set: { attempts: 'none that can be read' } });
    expect(outcome(await logIn(inProcess, username, password, source))).toEqual({
      status: 503,
      body: { title: 'Service unavailable', description: 'The database did not answer in time.', code: 'service_unavailable' },
    });
    await limits.deleteMany(of(id));
    expect((await logIn(inProcess, username, password, source)).status).toBe(201);
  });

  it('the limits of logins store no name, no address and no password', async () => {
    const name = `mistyped-${aName()}`;
    await logIn(inProcess, name, 'a guess that was made', anAddress());
    const kept = JSON.stringify(await limits.find().toArray());
    expect(kept).not.toMatch(/127\.|a guess/);
    expect(kept).not.toContain(name);
  });

  /** Only the limits of one account, because other tests count theirs concurrently. */
  const of = (account: string) => ({ _id: { $gte: keyOf('account', account), $lt: `${keyOf('account', account)}!` } });
});
