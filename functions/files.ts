import { idempotencyKeyOf } from '../lib/api/idempotency.ts';
import { answerCreated } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { announcedSchema, announceFile, announcement, announceRefusals } from '../lib/messages/attachments/uploads.ts';

/** `/api/files`: files before they are sent. */
export const handler = endpoint({
  POST: operation({
    summary: 'Announce a file for a room; upload its bytes as the answer says, then send it with `files` of `POST /api/messages`',
    access: 'user',
    scope: 'messages:write',
    body: announcement,
    status: 201,
    answer: announcedSchema,
    isIdempotent: true,
    refusals: announceRefusals,
    run: async ({ body, caller, request: { headers } }) =>
      answerCreated(await announceFile(body, idempotencyKeyOf(headers, body), caller)),
  }),
});
