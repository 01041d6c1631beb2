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
  const namesOf = (rows: unknown) => (rows as { name: string }[]).map(({ name }) => name);

  it('lists visible rooms by name, whatever its case, to anyone', async () => {
    const word = aWord();
    const owner = await anAccount();
    await aRoom({ owner, name: `${word} chat` });
    await aRoom({ owner, name: word.toUpperCase(), is_open: false, members: [user] });
    await aRoom({ owner, name: `${word} hidden`, is_visible: false });
    await aRoom({ owner, name: `The ${word}` });
    const { status, body } = await list({ q: word });
    const _id = { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) };
    expect({ status, body }).toEqual({
      status: 200,
      body: [
        { _id, name: word.toUpperCase(), topic: '', member_count: 2, is_open: false },
        { _id, name: `${word} chat`, topic: '', member_count: 1, is_open: true },
      ],
    });
  });

  it('without a text lists every visible room', async () => {
    const made = await aRoom({ name: aWord() });
    const all = await everyPage(call, '/api/directory?limit=200', user.token);
    expect(all.filter(({ _id }) => _id.$oid === made.id)).toHaveLength(1);
  });

  it.each([
    ['in capitals', (word: string) => word.toUpperCase(), true],
    ['with what a pattern would take for any character', (word: string) => `${word.slice(0, -1)}.`, false],
    ['with an operator', (word: string) => `{"$gt":"${word}"}`, false],
    ['with all of the name and more', (word: string) => `${word}x`, false],
  ])('finds by the start of the name %s', async (_what, q, found) => {
    const word = aWord();
    await aRoom({ name: word });
    expect(namesOf((await list({ q: q(word) })).body)).toEqual(found ? [word] : []);
  });

  it('follows a room that is renamed, hidden or shown', async () => {
    const [word, other] = [aWord(), aWord()];
    const made = await aRoom({ name: word });
    const change = (body: object) => call('PATCH', made.path, { token: made.owner.token, body });
    const listed = async () => [...namesOf((await list({ q: word })).body), ...namesOf((await list({ q: other })).body)];
    await change({ name: other });
    expect(await listed()).toEqual([other]);
    await change({ is_visible: false });
    expect(await listed()).toEqual([]);
    await change({ is_visible: true });
    expect(await listed()).toEqual([other]);
  });

  it('pages through rooms, of one name as well, and none is skipped or repeated while others come and go', async () => {
    const word = aWord();
    const owner = await anAccount();
    const twins = [];
    for (let made = 0; made < 5; made++) twins.push(await aRoom({ owner, name: word }));
    const ids = twins.map(({ id }) => id).toSorted();
    let pages = 0;
    const found = await everyPage(call, `/api/directory?q=${word}&limit=2`, user.token, async () => {
      pages += 1;
      // What the next page goes on after goes away, and another of the same name comes.
      if (pages === 1) await call('DELETE', `/api/rooms/${ids[1]}`, { token: admin.token });
      if (pages === 1) await aRoom({ owner, name: word.slice(0, -1) });
    });
    expect(found.map(({ _id }) => _id.$oid)).toEqual(ids);
    expect(pages).toBe(2);
  });

  it.each([
    ['an empty text', { q: '' }, invalid('q', 'have 1 to 100 characters and not be blank')],
    ['a limit of 0', { limit: '0' }, invalid('limit', 'be from 1 to 200')],
    ['a cursor that is none', { after: '!' }, invalid('after', "be a cursor from this list's Link header")],
  ])('refuses %s', async (_what, query, body) => {
    const refused = await list(query as unknown as Record<string, string>);
    expect({ status: refused.status, body: refused.body }).toEqual({ status: 400, body });
  });

  it('refuses who has no token', async () => {
    const { status, body } = await call('GET', '/api/directory');
    expect({ status, body }).toEqual({ status: 401, body: unauthenticated });
  });
});
