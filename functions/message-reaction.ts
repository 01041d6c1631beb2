import { pathId } from '../lib/api/extended-json.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { messageSchema } from '../lib/messages/messages.ts';
import { addReaction, mostEmoji, removeReaction } from '../lib/messages/reactions.ts';

/** `/api/messages/{message}/reactions/{emoji}`: the caller's own reaction to a message. */
export const handler = endpoint({
  PUT: operation({
    summary: 'React to a message',
    access: 'user',
    scope: 'messages:write',
    body: {},
    status: 200,
    answer: messageSchema,
    refusals: {
      400: ["The 'emoji' parameter must be 1 to 64 characters without white space."],
      403: ['Room membership required.'],
      409: ['The message is deleted.', `The message has ${mostEmoji} different reactions already.`, 'The room is archived.'],
    },
    run: async ({ path, caller }) => addReaction(pathId(path.message, 'message'), caller, path.emoji),
  }),
  DELETE: operation({
    summary: 'Take a reaction back',
    access: 'user',
    scope: 'messages:write',
    status: 200,
    answer: messageSchema,
    refusals: {
      400: ["The 'emoji' parameter must be 1 to 64 characters without white space."],
      403: ['Room membership required.'],
      409: ['The message is deleted.', 'The room is archived.'],
    },
    run: async ({ path, caller }) => removeReaction(pathId(path.message, 'message'), caller, path.emoji),
  }),
});
