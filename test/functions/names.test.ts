import { describe, expect, it } from 'vitest';
import { anAccount } from '../support/accounts.ts';
import { aRoom, aRoomOf, everyPage } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const mark = crypto.randomUUID().slice(0, 8).replace(/\d/g, 'q');
const names = [`anna.${mark}`, `joanna-${mark}`, `bob.anna.${mark}`, `zoe_${mark}`];
const people = await Promise.all(names.map((username) => anAccount({ username })));
const room = await aRoomOf(people);
const { token } = people[0] as (typeof people)[number];
const namesOf = (body: unknown) => (body as { username: string }[]).map(({ username }) => username);

describe('finding people by the beginnings of the words of their names', () => {
  it.each([
    ['the beginning of a name', 'ANNA', [names[0], names[2]]],
    ['a name with accents', 'ánna', [names[0], names[2]]],
    ['a name with its sign', '@anna', [names[0], names[2]]],
    ['a later word', mark, [names[0], names[2], names[1], names[3]]],
    ['two words', `anna ${mark}`, [names[0], names[2]]],
    ['no part within a word', 'oanna', []],
  ])('people are found by %s', async (_what, q, expected) => {
    const query = new URLSearchParams({ q, room });
    expect(namesOf((await call('GET', `/api/members?${query}`, { token })).body)).toEqual(expected);
    expect(namesOf((await call('GET', `/api/users?${query}`, { token })).body)).toEqual(expected);
  });

  it('each person is found once, page by page', async () => {
    const found = await everyPage(call, `/api/members?room=${room}&q=${mark}&limit=1`, token);
    expect(namesOf(found as unknown)).toEqual([names[0], names[2], names[1], names[3]]);
  });
});

describe('finding rooms by the beginnings of words in their names and topics', async () => {
  const owner = people[0] as (typeof people)[number];
  const named = await aRoom({ owner, name: `Ålle ${mark} Hände` });
  const chinese = await aRoom({ owner, name: `项目${mark}讨论` });
  await call('PATCH', `${named.path}/details`, { token, body: { topic: `About Straßenbau ${mark}` } });
  it.each([
    ['a later word of the name', `hande ${mark}`, [named.id]],
    ['words in another order', `${mark} alle`, [named.id]],
    ['two letters for an umlaut', `haende ${mark}`, [named.id]],
    ['a word of the topic', `strassen ${mark}`, [named.id]],
    ['a script without spaces', `${mark}讨`, [chinese.id]],
    ['nothing for one word of two', `hande ${mark} nothing`, []],
  ])('a room is found by %s', async (_what, q, expected) => {
    // A page reads only some of the rooms, and other tests create thousands.
    const found = await everyPage(call, `/api/directory?${new URLSearchParams({ q })}`, token);
    expect(found.map(({ _id }) => _id.$oid)).toEqual(expected);
  });
});
