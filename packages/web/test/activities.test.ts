import { expect, it, vi } from 'vitest';
import { activities, hideActivity, showActivity } from '../src/store/people/typing.ts';

const agent = { user: { $oid: 'ann' }, via: 'Claude Code' };

it('a message of a user leaves the status line of their agent, and one of the agent ends it', () => {
  vi.useFakeTimers();
  showActivity({
    type: 'activity',
    room: { $oid: 'room' },
    thread: { $oid: 'thread' },
    username: 'ann',
    text: 'Running tests…',
    ...agent,
  });
  hideActivity('thread', { user: agent.user });
  expect(activities.value).toMatchObject([{ via: 'Claude Code', text: 'Running tests…' }]);
  hideActivity('thread', agent);
  expect(activities.value).toEqual([]);
  vi.useRealTimers();
});
