import { ask, chat, Failure, type Message } from '../service/api.ts';
import { applyToThreads } from '../store/threads/thread.ts';
import { knownTimeline } from '../store/timelines.ts';

/**
 * Presses an action of a message, as it was read. Unlike a message, an answer never waits in the
 * outbox: a late one could be wrong by then. If the message has changed, shows it as it is now and
 * throws.
 */
export async function pressAction({ _id: { $oid: message }, version }: Message, action: string): Promise<void> {
  const params = { path: { message, action } };
  try {
    const body = version === undefined ? {} : { version };
    show((await ask(chat.PUT('/api/messages/{message}/actions/{action}', { params, body }))) as Message);
  } catch (failure) {
    if (failure instanceof Failure && failure.status === 409)
      show((await ask(chat.GET('/api/messages/{message}', { params: { path: { message } } }))) as Message);
    throw failure;
  }
}

function show(message: Message): void {
  knownTimeline(message.room.$oid)?.apply({ messages: [message] });
  applyToThreads([message]);
}
