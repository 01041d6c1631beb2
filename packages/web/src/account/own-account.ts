import type { Operations } from 'chat-service-client';
import { makeTurns } from '../device/turns.ts';
import { ask, chat, type User } from '../service/api.ts';
import { begin } from './session.ts';

/** Changes to the user's own account. */
export type OwnChanges = Operations['PATCH /api/users/{user}']['body'];

/** Changes the user's own account; resolves to the changed one. Throws a `Failure`. */
export const changeMe = (body: OwnChanges): Promise<User> =>
  changeAccount(() => ask(chat.PATCH('/api/users/{user}', { params: { path: { user: 'me' } }, body })) as Promise<User>);

const inTurn = makeTurns();

/**
 * Changes the user's own account with a call that resolves to the changed one. Calls run one after
 * the other: each answer has the whole account, so a late one would hide a later change.
 */
export const changeAccount = (call: () => Promise<User>): Promise<User> =>
  inTurn(async () => {
    const user = await call();
    begin(user);
    return user;
  });
