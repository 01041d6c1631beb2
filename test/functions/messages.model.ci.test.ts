import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from 'fast-check';
import { expect, it } from 'vitest';
import type { Event } from '../../lib/feed/events.ts';
import type { Member } from '../../lib/members/members.ts';
import type { Message } from '../../lib/messages/messages.ts';
import type { Thread } from '../../lib/messages/threads.ts';
import { anAccount } from '../support/accounts.ts';
import { aRoomOf } from '../support/rooms.ts';
import { inProcess } from '../support/transports.ts';

// Random requests may be different in the next run, so they do not count as coverage.
delete process.env.CONTRACT_COVERAGE_DIRECTORY;

/** The number of random rooms; MODEL_RUNS sets another. */
const numRuns = Number(process.env.MODEL_RUNS ?? 20);
const maxLength = 50;

const [owner, moderator, member, stranger] = await Promise.all([anAccount(), anAccount(), anAccount(), anAccount()]);
const people = [owner, moderator, member, stranger];

const step = record({
  action: constantFrom(
    'send',
    'send',
    'reply',
    'reply',
    'reply',
    'reply',
    'edit',
    'delete',
    'react',
    'react',
    'unreact',
    'pin',
    'unpin',
    'read',
    'poll',
  ),
  who: constantFrom(0, 0, 1, 1, 2, 2, 3),
  which: nat(),
  emoji: constantFrom('owl', '👍'),
  isInRoom: boolean(),
  text: constantFrom('Hello', `Hello @${member.username}`, `@${owner.username} @${stranger.username}`),
});
type Step = typeof step extends { generate: (...args: never[]) => { value: infer T } } ? T : never;

/**
 * The expected read state of a user in a thread, as message indexes; empty before the first reply
 * or reading.
 */
type FollowState = { read?: number; mentioned?: number };

/** An expected message in memory, without ids and times. */
type ExpectedMessage = {
  user: string;
  text: string;
  isEdited: boolean;
  isDeleted: boolean;
  isPinned: boolean;
  thread: number | undefined;
  isInRoom: boolean;
  reactions: [emoji: string, users: string[]][];
};

it(`messages behave like a model in memory: ${numRuns} rooms, up to ${maxLength} steps each`, async () => {
  await assert(asyncProperty(array(step, { maxLength }), run), { numRuns });
});

async function run(steps: Step[]): Promise<void> {
  const room = await aRoomOf([owner, [moderator, 'moderator'], member]);
  const expected: ExpectedMessage[] = [];
  const expectedEvents: [type: string, message: number, actor: string][] = [];
  const ids: string[] = [];
  const polled: unknown[] = [];
  let cursor = '0';
  /**
   * By user: the read marker of the room, and the followed threads by the index of their first
   * message.
   */
  const lastRead = new Map<string, number>();
  const followed = new Map<string, Map<number, FollowState>>(people.map(({ id }) => [id, new Map()]));
  const follow = (user: string, thread: number, reading: FollowState = {}) => {
    const threads = followed.get(user);
    threads?.set(thread, { ...threads.get(thread), ...reading });
  };

  for (const { action, who, which, emoji, text, isInRoom } of [...steps, ...finalSteps]) {
    const { id, token } = people[who] ?? owner;
    const user = id;
    const index = which % (expected.length || 1);
    const target = expected[index];
    const path = `/api/messages/${ids[index]}`;

    if (action === 'read') {
      const { status, body } = await inProcess('GET', `/api/messages?room=${room}&limit=200`, { token });
      expect([status, body]).toEqual(
        who === 3 ? [403, expect.anything()] : [200, expected.map((one, at) => shown(one, at, expected, ids))],
      );
      if (who === 3) continue;
      const inRoom = await inProcess('GET', `/api/messages?room=${room}&limit=200&is_in_room=true`, { token });
      const standing = expected.flatMap((one, at) => (one.isInRoom ? [shown(one, at, expected, ids)] : []));
      expect(inRoom.body).toEqual(standing);
      const memberships = (await inProcess('GET', '/api/members?user=me&limit=200', { token })).body as Member[];
      const isNew = (one: ExpectedMessage, at: number) => one.isInRoom && !one.isDeleted && at > (lastRead.get(id) ?? -1);
      expect(memberships.find((one) => one.room.$oid === room)?.unread).toBe(expected.filter(isNew).length);
      const threads = (await inProcess('GET', '/api/threads?limit=200', { token })).body as Thread[];
      const here = threads.filter(({ message }) => message.room.$oid === room);
      const unread = new Map(here.map((one) => [ids.indexOf(one.message._id.$oid), one.unread]));
      expect(unread).toEqual(
        new Map(
          [...(followed.get(id) ?? [])].map(([thread, { read, mentioned = 0 }]) => [
            thread,
            expected.filter(
              (one, at) => one.thread === thread && !one.isDeleted && one.user !== id && at > (read ?? mentioned - 1),
            ).length,
          ]),
        ),
      );
    } else if (action === 'poll') {
      const { headers, body } = await inProcess('GET', `/api/events?room=${room}&after=${cursor}&limit=500`, {
        token: owner.token,
      });
      polled.push(
        ...(body as Event[]).map(({ type, data, actor }) => [type, ids.indexOf((data as Message)._id.$oid), actor?.$oid]),
      );
      cursor = headers['x-next-cursor'] ?? '';
      expect(polled).toEqual(expectedEvents);
    } else if (action === 'send' || action === 'reply') {
      const repliedTo = action === 'reply' && target ? index : undefined;
      // A reply to a reply belongs to the same thread.
      const thread = target && repliedTo !== undefined ? (target.thread ?? index) : undefined;
      const sent = { room, text, ...(repliedTo !== undefined && { thread: ids[repliedTo], is_in_room: isInRoom }) };
      const { status, body } = await inProcess('POST', '/api/messages', { token, body: sent });
      expect(status).toBe(who === 3 ? 403 : 201);
      if (who === 3) continue;
      ids.push((body as Message)._id.$oid);
      expectedEvents.push(['message.created', expected.length, user]);
      const at = expected.length;
      const stands = thread === undefined || isInRoom;
      expected.push({ user, text, isEdited: false, isDeleted: false, isPinned: false, thread, isInRoom: stands, reactions: [] });
      if (stands) lastRead.set(user, at);
      if (thread === undefined) continue;
      follow(expected[thread]?.user ?? user, thread);
      for (const mentioned of mentionedIn(text)) follow(mentioned.id, thread, { mentioned: at });
      follow(user, thread, { read: at });
    } else if (target) {
      const { method, suffix, body, status, event } = outcomes[action](target, { who, user, emoji, text });
      expect([action, (await inProcess(method, path + suffix, { token, body })).status]).toEqual([action, status]);
      if (event) expectedEvents.push([event, index, user]);
      if (event !== 'message.edited' || target.thread === undefined) continue;
      for (const { id: mentioned } of mentionedIn(text)) {
        const before = followed.get(mentioned)?.get(target.thread)?.mentioned ?? 0;
        follow(mentioned, target.thread, { mentioned: Math.max(before, index) });
      }
    }
  }
}

const finalSteps: Step[] = (
  [
    ['read', 0],
    ['read', 1],
    ['read', 2],
    ['poll', 0],
  ] as const
).map(([action, who]) => ({
  action,
  who,
  which: 0,
  emoji: 'owl',
  isInRoom: false,
  text: 'Hello',
}));

type ActionInput = { who: number; user: string; emoji: string; text: string };

// The outcome of an action, and its effect on the message in memory.
const outcomes = {
  edit: (target: ExpectedMessage, { who, user, text }: ActionInput) => {
    const status = who === 3 ? 404 : target.user !== user ? 403 : target.isDeleted ? 409 : 200;
    if (status === 200) Object.assign(target, { text, isEdited: true });
    return { method: 'PATCH', suffix: '', body: { text }, status, event: status === 200 && 'message.edited' };
  },
  delete: (target: ExpectedMessage, { who, user }: ActionInput) => {
    const status = who === 3 ? 404 : who === 2 && target.user !== user ? 403 : 204;
    const isDone = status === 204 && !target.isDeleted;
    if (isDone) Object.assign(target, { text: '', isDeleted: true, isPinned: false, reactions: [] });
    return { method: 'DELETE', suffix: '', body: undefined, status, event: isDone && 'message.deleted' };
  },
  react: (target: ExpectedMessage, { who, user, emoji }: ActionInput) => {
    const status = who === 3 ? 404 : target.isDeleted ? 409 : 200;
    const users = target.reactions.find(([one]) => one === emoji)?.[1];
    const isDone = status === 200 && !users?.includes(user);
    if (isDone && users) users.push(user);
    else if (isDone) target.reactions.push([emoji, [user]]);
    return { method: 'PUT', suffix: reaction(emoji), body: {}, status, event: isDone && 'reaction.added' };
  },
  unreact: (target: ExpectedMessage, { who, user, emoji }: ActionInput) => {
    const status = who === 3 ? 404 : target.isDeleted ? 409 : 200;
    const users = target.reactions.find(([one]) => one === emoji)?.[1] ?? [];
    const isDone = status === 200 && users.includes(user);
    if (isDone) users.splice(users.indexOf(user), 1);
    return { method: 'DELETE', suffix: reaction(emoji), body: undefined, status, event: isDone && 'reaction.removed' };
  },
  pin: (target: ExpectedMessage, { who }: ActionInput) => {
    const status = who === 3 ? 404 : who === 2 ? 403 : target.isDeleted ? 409 : 200;
    const isDone = status === 200 && !target.isPinned;
    if (isDone) target.isPinned = true;
    return { method: 'PUT', suffix: '/pin', body: {}, status, event: isDone && 'message.pinned' };
  },
  unpin: (target: ExpectedMessage, { who }: ActionInput) => {
    const status = who === 3 ? 404 : who === 2 ? 403 : target.isDeleted ? 409 : 200;
    const isDone = status === 200 && target.isPinned;
    if (isDone) target.isPinned = false;
    return { method: 'DELETE', suffix: '/pin', body: undefined, status, event: isDone && 'message.unpinned' };
  },
};

const reaction = (emoji: string) => `/reactions/${encodeURIComponent(emoji)}`;

function shown(one: ExpectedMessage, index: number, all: ExpectedMessage[], ids: string[]) {
  const mentioned = mentionedIn(one.text);
  const reactions = one.reactions.filter(([, users]) => users.length > 0);
  const date = (isThere: boolean) => (isThere ? { $date: expect.any(String) } : null);
  return expect.objectContaining({
    _id: { $oid: ids[index] },
    user: { $oid: one.user },
    username: people.find(({ id }) => id === one.user)?.username,
    text: one.text,
    files: [],
    edited_at: date(one.isEdited),
    deleted_at: date(one.isDeleted),
    pinned_at: date(one.isPinned),
    thread: one.thread === undefined ? null : { $oid: ids[one.thread] },
    is_in_room: one.isInRoom,
    reply_count: all.filter(({ thread, isDeleted }) => thread === index && !isDeleted).length,
    mentions: mentioned.map(({ id }) => ({ $oid: id })),
    reactions: expect.toSatisfy(
      (list) =>
        JSON.stringify(sorted(list)) ===
        JSON.stringify(sorted(reactions.map(([emoji, users]) => ({ emoji, users: users.map(($oid) => ({ $oid })) })))),
    ),
  });
}

const mentionedIn = (text: string) => [owner, moderator, member].filter(({ username }) => text.includes(`@${username}`));

const sorted = (reactions: { emoji: string }[]) => reactions.toSorted((a, b) => a.emoji.localeCompare(b.emoji));
