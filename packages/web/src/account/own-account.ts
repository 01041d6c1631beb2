import type { Operations } from 'chat-service-client';
import { ask, chat, type User } from '../service/api.ts';
import { begin } from './session.ts';

/** Changes to the user's own account. */
export type OwnChanges = Operations['PATCH /api/users/{user}']['body'];

/** Changes the user's own account; resolves to the changed one. Throws a `Failure`. */
export const changeMe = (body: OwnChanges): Promise<User> =>
  changeAccount(() => ask(chat.PATCH('/api/users/{user}', { params: { path: { user: 'me' } }, body })) as Promise<User>);

let last: Promise<unknown> = Promise.resolve();

/**
 * Changes the user's own account with a call that resolves to the changed one. Calls run one after
 * the other: each answer has the whole account, so a late one would hide a later change.
 */
export function changeAccount(call: () => Promise<User>): Promise<User> {
  const change = last.then(async () => {
    const user = await call();
    begin(user);
    return user;
  });
  last = change.catch(() => {});
  return change;
}
