import { pageLimit, pageStart } from '../lib/api/pages.ts';
import { about, dateTime } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList, withHeaders } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import {
  listNotifications,
  notificationCursor,
  notificationSchema,
  readingSchema,
  readNotifications,
  unreadHeader,
} from '../lib/notifications/list.ts';

/** `/api/notifications`: the caller's notifications from all rooms. */
export const handler = endpoint({
  GET: operation({
    summary: 'List mentions, replies in followed threads, reactions and additions to rooms of the last 90 days, newest first',
    access: 'user',
    scope: 'messages:read',
    query: { limit: pageLimit, after: pageStart(notificationCursor) },
    status: 200,
    answer: listOf(notificationSchema),
    headers: { 'X-Unread-Count': unreadHeader },
    run: async ({ query, caller, request }) => {
      const { unread, ...page } = await listNotifications(query, caller);
      return withHeaders(answerList(page, request), { 'X-Unread-Count': String(unread) });
    },
  }),
  PATCH: operation({
    summary: 'Mark notifications up to a time as read, on all devices',
    access: 'user',
    scope: 'messages:write',
    body: {
      read_until: about('The `at` of the newest notification that the caller has read. It only moves forward.', dateTime),
    },
    status: 200,
    answer: readingSchema,
    run: ({ body, caller }) => readNotifications(body.read_until, caller),
  }),
});
