import { about, idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { activityRefusals } from '../lib/messages/streaming/activity.ts';
import { changeThread, findThread, threadChanges, threadRefusals, threadSchema } from '../lib/messages/threads.ts';

const path = { message: about('The first message of the thread.', idOf('message')) };

/** `/api/threads/{message}`: the caller's state of a thread, such as whether they follow it. */
export const handler = endpoint({
  GET: operation({
    summary: "Get a thread with the caller's read marker, and whether the caller follows it",
    access: 'user',
    scope: 'messages:read',
    path,
    status: 200,
    remember: ['rooms', 'users', 'messages', 'threads'],
    answer: threadSchema,
    refusals: threadRefusals,
    run: ({ path: { message }, caller }) => findThread(message, caller),
  }),
  PATCH: operation({
    summary: "Move the caller's read marker of a thread, follow or unfollow it, or show what a bot does there",
    access: 'user',
    scope: 'messages:write',
    path,
    body: threadChanges,
    needsAny: true,
    status: 200,
    answer: threadSchema,
    refusals: [...threadRefusals, ...activityRefusals],
    run: ({ path: { message }, body, caller }) => changeThread(message, body, caller),
  }),
});
