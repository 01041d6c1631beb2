import { signal } from '@preact/signals';
import { go, route } from '../device/routes.ts';
import { forgetName, recallJson, remember } from '../device/storage.ts';
import { rememberedKey } from '../service/ahead.ts';
import { ask, bearer, chat, Failure, hooks, type User } from '../service/api.ts';
import { settings } from '../service/settings.ts';

/**
 * The user of the page. The token is in a cookie that scripts cannot read. `in` may come from the
 * last visit, before the service has confirmed it, so that the page works offline. `expired` keeps
 * unsent content for the next sign-in of the same user.
 */
type Session = { state: 'starting' | 'out' } | { state: 'expired'; user: User } | { state: 'in'; user: User };

/** The present session. */
export const session = signal<Session>({ state: 'starting' });

/** The signed-in user; only for views that exist while a user is signed in. */
export function me(): User {
  const { value } = session;
  if (value.state !== 'in' && value.state !== 'expired') throw new Error('nobody is logged in');
  return value.user;
}

/** True if the service has an account; a new one waits for its first administrator. */
export const isSetUp = signal(true);

/** True if the user may create rooms. */
export const mayMakeRooms = (): boolean => me().is_admin || settings.roomCreation === 'users';

hooks.onSignedOut = () => {
  const { value } = session;
  if (value.state === 'in') session.value = { state: 'expired', user: value.user };
};

// Everything else is refused until the second factor is set up there.
hooks.onSetUpRequired = () => go('/settings/security', { replace: true });

/** Finds out who is logged in: first from memory, then from the service. */
export async function restoreSession(): Promise<void> {
  const remembered = recallJson<User | null>(rememberedKey, null);
  if (remembered?._id) session.value = { state: 'in', user: remembered };
  try {
    // If nobody was signed in, the service may be new, and asking for the user would log an error.
    const isSomebody = remembered?._id !== undefined || (await isSignedIn());
    const before = session.value;
    const user = isSomebody && ((await ask(chat.GET('/api/users/{user}', { params: { path: { user: 'me' } } }))) as User);
    // A change that the user made in the meantime is newer than this answer.
    if (user && session.value === before) begin(user);
  } catch {
    // The service is out of reach, or the session has ended: use the remembered user.
  }
  if (session.value.state === 'starting') session.value = { state: 'out' };
}

async function isSignedIn(): Promise<boolean> {
  // A new service's link leads here, so the answer is known without asking.
  isSetUp.value = route.peek().name !== 'setup';
  const { is_done, is_signed_in } = await ask(chat.GET('/api/setup'));
  isSetUp.value = is_done;
  return is_signed_in;
}

/** True if the browser accepts session cookies. */
export const keepsCookies = (): boolean => navigator.cookieEnabled;

/**
 * Ends the session here and on the service. Throws a `Failure` if the service is out of reach.
 * Callers handle unsent content first.
 */
export async function logOut(): Promise<void> {
  try {
    await ask(chat.DELETE('/api/sessions/{session}', { params: { path: { session: 'current' } } }));
  } catch (failure) {
    // Only the service can end it: the cookie is out of reach.
    if (!(failure instanceof Failure) || failure.isTemporary) throw failure;
  }
  forget();
}

/** Forgets who was logged in, also when another tab has logged out. */
export function forget(): void {
  bearer.token = undefined;
  forgetName(rememberedKey);
  session.value = { state: 'out' };
}

/** Replaces the account, for example after its address was changed. */
export function begin(user: User): void {
  remember(rememberedKey, JSON.stringify(user));
  session.value = { state: 'in', user };
}
