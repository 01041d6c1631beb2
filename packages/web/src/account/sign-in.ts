import { ask, bearer, chat, type User } from '../service/api.ts';
import { begin, isSetUp, keepsCookies } from './session.ts';

/* How a session begins: loaded with the views that ask for it. */

/** The credentials of a sign-in. `second_factor` is a code, for accounts with a second factor. */
export type Credentials = { username: string; password: string; second_factor?: string };

/** Logs in; throws a `Failure` that says why not. */
export async function logIn(credentials: Credentials): Promise<void> {
  const answer = await ask(chat.POST('/api/sessions', { body: { ...credentials, cookie: keepsCookies() } }));
  enter(answer);
}

/**
 * Starts a session: with its cookie, or in a browser without cookies with its token, while the page
 * is open.
 */
export function enter({ user, token }: { user: User; token?: string }): void {
  bearer.token = keepsCookies() ? undefined : token;
  begin(user);
}

type NewAccount = {
  username: string;
  name: string;
  email: string;
  password: string;
  invitation?: string;
  code?: string;
};

/** Creates an account and logs in. */
export async function signUp(account: NewAccount): Promise<void> {
  const answer = await ask(chat.POST('/api/users', { body: { ...account, cookie: keepsCookies() } }));
  enter(answer);
}

/**
 * Makes the first administrator by the code that the server printed, and logs in; throws a
 * `Failure` that says why not.
 */
export async function setUp(account: NewAccount & { code: string }): Promise<void> {
  const answer = await ask(chat.POST('/api/setup', { body: { ...account, cookie: keepsCookies() } }));
  isSetUp.value = true;
  enter(answer);
}
