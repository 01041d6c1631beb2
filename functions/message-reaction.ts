import { preconditionOf } from '../lib/api/entity-tag.ts';
import { idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { shownMessage } from '../lib/messages/messages.ts';
import {
  addReaction,
  addReactionRefusals,
  emoji,
  formerEmoji,
  removeReaction,
  removeReactionRefusals,
} from '../lib/messages/reactions.ts';

const message = idOf('message');

/** `/api/messages/{message}/reactions/{emoji}`: the caller's own reaction to a message. */
export const handler = endpoint({
  PUT: operation({
    summary: 'React to a message',
    access: 'user',
    scope: 'messages:write',
    path: { message, emoji },
    body: {},
    status: 200,
    answer: shownMessage.schema,
    hasTag: true,
    refusals: addReactionRefusals,
    run: ({ path: { message, emoji }, caller, request: { headers } }) =>
      addReaction(message, emoji, caller, preconditionOf(headers)),
  }),
  DELETE: operation({
    summary: 'Remove a reaction',
    access: 'user',
    scope: 'messages:write',
    path: { message, emoji: formerEmoji },
    status: 200,
    answer: shownMessage.schema,
    hasTag: true,
    refusals: removeReactionRefusals,
    run: ({ path: { message, emoji }, caller, request: { headers } }) =>
      removeReaction(message, emoji, caller, preconditionOf(headers)),
  }),
});
