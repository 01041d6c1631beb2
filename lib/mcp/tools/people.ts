import { ObjectId } from 'mongodb';
import { pageLimit } from '../../api/pages.ts';
import { about, optional } from '../../api/parameters.ts';
import { aText, described, listOf, record } from '../../api/schema.ts';
import type { SerialisedJson } from '../../api/serialised-json.ts';
import { findUserByNameFor, findUserFor, noSuchUser, type OtherUser, type User } from '../../identity/users.ts';
import { searchUsers, userSearch } from '../../members/people.ts';
import { fitResult } from '../fitting.ts';
import { parsed } from '../pages.ts';
import { findRoomId, personParameter, roomParameter } from '../places.ts';
import { moreOf, nameOf, nextCursor, notice, noticeSchema, personSchema, showPersonOf } from '../shown.ts';
import { reads, tool } from '../tool.ts';

const show = ({ _id, username, name, is_bot }: OtherUser | User) => showPersonOf({ id: _id.$oid, username, name, is_bot });

export const findPeople = tool({
  name: 'find_people',
  title: 'Find people',
  description: 'Find people and bots by a part of their usernames or full names: members of a room, or all who share a room.',
  effect: reads,
  scopes: ['members:read'],
  input: {
    q: about(userSearch.q.about, { ...userSearch.q, optional: true as const }),
    room: optional(roomParameter),
    limit: pageLimit,
    cursor: about('The `next_cursor` of the page before.', userSearch.after),
  },
  output: record('People', { notice: noticeSchema, people: listOf(personSchema), next_cursor: nextCursor }, ['next_cursor']),
  run: async ({ q, room, limit, cursor }, caller) => {
    const within = room === undefined ? undefined : await findRoomId(room, caller);
    return fitResult(limit, async (limit) => {
      const { items, next } = await searchUsers({ username: undefined, q: q ?? '', room: within, limit, after: cursor }, caller);
      const people = items.map(show);
      return {
        structured: { notice, people, ...(next !== undefined && { next_cursor: next }) },
        text:
          [`People: ${people.length}.`, ...people.map((person) => `${nameOf(person)}: ${person.id}`)].join('\n') + moreOf(next),
      };
    });
  },
});

export const getPerson = tool({
  name: 'get_person',
  title: 'Get a person',
  description: 'Get a person or bot by username or id, with the status that they have set.',
  effect: reads,
  scopes: [],
  input: { person: personParameter },
  output: record(
    'PersonWithStatus',
    {
      notice: noticeSchema,
      person: personSchema,
      status: described('The status that the person has set.', aText),
    },
    ['status'],
  ),
  run: async ({ person }, caller) => {
    const isId = person instanceof ObjectId;
    const user = isId ? await findUserFor(person, caller) : await findUserByNameFor(person, caller);
    if (!user) throw noSuchUser();
    const found = parsed<OtherUser | User>(user as OtherUser | User | SerialisedJson<OtherUser | User>);
    const shown = show(found);
    const status = [found.status?.emoji, found.status?.text].filter(Boolean).join(' ');
    return {
      structured: { notice, person: shown, ...(status !== '' && { status }) },
      text: `${nameOf(shown)}: ${shown.id}${status === '' ? '' : `, status: ${status}`}`,
    };
  },
});
