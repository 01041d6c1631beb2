import { describe, expect, it } from 'vitest';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { invalid, unauthenticated } from '../support/error-bodies.ts';
import { aRoom, everyPage } from '../support/rooms.ts';
import { transports } from '../support/transports.ts';

const user = await anAccount();
const admin = await anAdmin();

/** A name that no other test's rooms start with. */
const aWord = () => `owl${crypto.randomUUID()}`;

describe.each(transports())('/api/directory, %s', (_transport, call) => {
  const list = (query: Record<string, string>) =>
    call('GET', `/api/directory?${new URLSearchParams(query)}`, { token: user.token });
  // A page looks at some of the rooms alone, and other tests make thousands.
  const find = (q: string) => everyPage(call, `/api/directory?${new URLSearchParams({ q })}`, user.token);
  const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name);

  it('GET /api/directory lists visible rooms by name, regardless of case, to any user', async () => {
    const word = aWord();
    const owner = await anAccount();
    await aRoom({ owner, name: `${word} chat` });
    await aRoom({ owner, name: word.toUpperCase(), is_open: false, members: [user] });
    await aRoom({ owner, name: `${word} hidden`, is_visible: false });
    await aRoom({ owner, name: `The ${word}` });
    const _id = { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) };
    expect(await find(word)).toEqual(
      [
        { _id, name: word.toUpperCase(), topic: '', member_count: 2, is_open: false },
        { _id, name: `${word} chat`, topic: '', member_count: 1, is_open: true },
        { _id, name: `The ${word}`, topic: '', member_count: 1, is_open: true },
      ].toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1)),
    );
  });

  it('GET /api/directory lists every visible room without q', async () => {
    const created = await aRoom({ name: aWord() });
    const all = await everyPage(call, '/api/directory?limit=200', user.token);
    expect(all.filter(({ _id }) => _id.$oid === created.id)).toHaveLength(1);
  });

  it.each([
    ['capitals', (word: string) => word.toUpperCase(), true],
    ['a wildcard', (word: string) => `${word.slice(0, -1)}.`, false],
    ['an operator', (word: string) => `{"$gt":"${word}"}`, false],
    ['more than the name', (word: string) => `${word}x`, false],
  ])('q is compared with the starts of words literally, ignoring case: %s', async (_what, q, found) => {
    const word = aWord();
    await aRoom({ name: word });
    expect(namesOf(await find(q(word)))).toEqual(found ? [word] : []);
  });

  it('GET /api/directory reflects that a room is renamed, hidden or shown', async () => {
    const [word, other] = [aWord(), aWord()];
    const created = await aRoom({ name: word });
    const change = (body: object) => call('PATCH', created.path, { token: created.owner.token, body });
    const listed = async () => [...namesOf(await find(word)), ...namesOf(await find(other))];
    await change({ name: other });
    expect(await listed()).toEqual([other]);
    await change({ is_visible: false });
    expect(await listed()).toEqual([]);
    await change({ is_visible: true });
    expect(await listed()).toEqual([other]);
  });

  it('GET /api/directory pages through rooms, even of the same name, and skips or repeats none while others come and go', async () => {
    const word = aWord();
    const owner = await anAccount();
    const twins = [];
    for (let index = 0; index < 5; index++) twins.push(await aRoom({ owner, name: `${word} b` }));
    const ids = twins.map(({ id }) => id).toSorted();
    let pages = 0;
    const found = await everyPage(call, `/api/directory?q=${word}&limit=2`, user.token, async () => {
      pages += 1;
      // The room at the cursor is deleted, and one is created that comes before it.
      if (pages === 1) await call('DELETE', `/api/rooms/${ids[1]}`, { token: admin.token });
      if (pages === 1) await aRoom({ owner, name: `${word} a` });
    });
    expect(found.map(({ _id }) => _id.$oid)).toEqual(ids);
    expect(pages).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['an empty q', { q: '' }, invalid('q', 'have 1 to 100 characters and not be blank')],
    ['a limit of 0', { limit: '0' }, invalid('limit', 'be from 1 to 200')],
    ['an invalid cursor', { after: '!' }, invalid('after', "be a cursor from this list's Link header")],
  ])('GET /api/directory refuses %s', async (_what, query, body) => {
    const refused = await list(query as unknown as Record<string, string>);
    expect({ status: refused.status, body: refused.body }).toEqual({ status: 400, body });
  });

  it('GET /api/directory refuses a request without a token', async () => {
    const { status, body } = await call('GET', '/api/directory');
    expect({ status, body }).toEqual({ status: 401, body: unauthenticated });
  });

  it('POST /api/directory creates a room that the caller owns, and that everyone finds and joins', async () => {
    const [ann, bob, word] = [await anAccount(), await anAccount(), aWord()];
    const created = await call('POST', '/api/directory', { token: ann.token, body: { name: word, topic: 'Tea' } });
    expect(created).toMatchObject({
      status: 201,
      body: { name: word, members: [{ $oid: ann.id }], is_open: true, is_visible: true },
    });
    expect(Object.keys(created.body as object).sort()).toEqual(['_id', 'is_open', 'is_visible', 'members', 'name']);
    const { $oid: room } = (created.body as { _id: { $oid: string } })._id;
    expect(await find(word)).toMatchObject([{ name: word, topic: 'Tea' }]);
    expect((await call('POST', '/api/members', { token: bob.token, body: { room } })).status).toBe(201);
    const mine = (await call('GET', '/api/members?user=me', { token: ann.token })).body;
    expect(mine).toMatchObject([{ room: { $oid: room }, role: 'owner' }]);
    expect((await call('GET', '/api/rooms', { token: ann.token })).status).toBe(403);
  });

  it('POST /api/directory creates a private room that nobody else ever finds', async () => {
    const [ann, word] = [await anAccount(), aWord()];
    const body = { name: word, is_open: false, is_visible: false };
    const created = await call('POST', '/api/directory', { token: ann.token, body });
    expect(created).toMatchObject({ status: 201, body: { ...body, members: [{ $oid: ann.id }] } });
    const { $oid: room } = (created.body as { _id: { $oid: string } })._id;
    expect(await find(word)).toEqual([]);
    expect((await call('POST', '/api/members', { token: user.token, body: { room } })).status).toBe(404);
  });

  it('POST /api/rooms stays the specified one: for administrators, with a name alone', async () => {
    const { token } = await anAccount();
    expect((await call('POST', '/api/rooms', { token, body: { name: 'Ours' } })).status).toBe(403);
    expect((await call('POST', '/api/directory', { token, body: { name: 'Ours' } })).status).toBe(201);
  });
});
