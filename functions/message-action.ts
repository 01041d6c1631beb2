import { about, idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { shownMessage } from '../lib/messages/messages.ts';
import { noSuchAction, pressAction, pressParameters, pressRefusals } from '../lib/messages/presses/press.ts';
import { actionId } from '../lib/messages/questions/actions.ts';

const action = { ...about('The id of the action.', actionId), refuse: noSuchAction };

/** `/api/messages/{message}/actions/{action}`: a button or an option of a message. */
export const handler = endpoint({
  PUT: operation({
    summary: 'Press an action of a message',
    access: 'user',
    scope: 'messages:write',
    path: { message: idOf('message'), action },
    body: pressParameters,
    status: 200,
    answer: shownMessage.schema,
    refusals: pressRefusals,
    run: ({ path: { message, action }, body, caller, request: { source } }) =>
      pressAction({ message, action, ...body }, { ...caller, source }),
  }),
});
