import { about, textUpTo } from '../../api/parameters.ts';
import type { Caller } from '../../identity/caller.ts';
import { foreseeConnected, notify } from '../../notices/notices.ts';
import type { RoomContext } from '../../rooms/contexts.ts';
import { refusalsOf, requirePermission } from '../../rooms/permissions.ts';
import type { AuthoredMessage } from '../messages.ts';
import { isProgram, programRequired } from '../questions/question.ts';

/** The longest status line, in characters. */
const longestActivity = 100;

export const activityText = about(
  'A status line of the caller, a bot or an agent, in the thread, such as "Running tests…". Connected members see it for 30 seconds; renew it before. An empty text ends it.',
  textUpTo(longestActivity),
);

export const activityRefusals = [programRequired, ...refusalsOf('send')];

/** Shows connected members what a bot or an agent does in a thread. Nothing is stored. */
export function tellActivity({ _id, room }: AuthoredMessage, context: RoomContext, text: string, caller: Caller): void {
  if (!isProgram(caller)) throw programRequired();
  requirePermission(context, 'send');
  const { user, token } = caller;
  const activity = {
    type: 'activity',
    room: room.toHexString(),
    thread: _id.toHexString(),
    user: user._id.toHexString(),
    username: user.username,
    ...(token.agent !== undefined && { via: token.agent }),
    text: text.replaceAll(/\s+/g, ' ').trim(),
  } as const;
  notify(activity, foreseeConnected());
}
