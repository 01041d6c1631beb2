import { useState } from 'preact/hooks';
import { forgetInvitation, keptInvitation } from '../../account/invitation.ts';
import { begin } from '../../account/session.ts';
import { route } from '../../device/routes.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure, sentenceOf } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { Loading, Problem } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { keepRequest } from './app-request.ts';

/*
 * Sign-in with an identity provider (OpenID Connect). The page goes to the provider, which returns
 * to `/oidc`, or to `/oidc/` and its id, with a code. The service exchanges the code.
 */

/** The buttons of the identity providers. With a code, they connect the account of that code. */
export function SignInByProvider({ code }: { code?: string }) {
  const start = (provider: string) => {
    const invitation = keptInvitation();
    const sent = { ...(invitation !== undefined && { invitation }), ...(code !== undefined && { code }) };
    return goToProvider({ provider, path: pathAfter(), ...sent });
  };
  return settings.oidc?.map(({ id, name }) => (
    <ButtonThatSays
      key={id}
      onClick={() => start(id)}
      label={laterStrings.oidc.signIn(name)}
      isPrimary={settings.takesPasswords === false}
    />
  ));
}

type ButtonProps = { onClick: () => Promise<void>; label: string; isPrimary?: boolean };

/** A button that does something, or says why it could not. */
export function ButtonThatSays({ onClick, label, isPrimary = false }: ButtonProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const go = async () => {
    setBusy(true);
    setFailure(undefined);
    await onClick().catch((problem) => setFailure(sentenceOf(problem)));
    setBusy(false);
  };
  return (
    <>
      <Problem text={failure} />
      <button type="button" class={isPrimary ? 'primary' : ''} disabled={isBusy} onClick={() => void go()}>
        {label}
      </button>
    </>
  );
}

/**
 * The page that the user wanted before signing in. Pages for signed-out users lead to the rooms.
 */
function pathAfter(): string {
  // Its query is too long for the way through the provider.
  if (route.value.name === 'authorize') return keepRequest();
  const isPlace = !['login', 'signup', 'setup', 'password', 'oidc', 'join', 'nowhere'].includes(route.value.name);
  return isPlace ? `${location.pathname}${location.search}` : '/';
}

type Start = { provider: string; path: string; invitation?: string; link?: boolean; code?: string };

/** Redirects to a provider. */
export async function goToProvider(body: Start): Promise<void> {
  const { url } = await inWords(ask(chat.POST('/api/oidc/start', { body })), body.provider);
  location.assign(url);
}

/** The page that a provider returns to: completes the sign-in, and continues. */
export function FinishSignIn() {
  const { value, failure } = useLoaded(finishOnce, []);
  if (value)
    return (
      <>
        <h1>{laterStrings.oidc.connected}</h1>
        <a class="button primary" href={value.path}>
          {laterStrings.oidc.goOn}
        </a>
      </>
    );
  if (failure === undefined) return <Loading />;
  return (
    <>
      <h1>{laterStrings.oidc.failed}</h1>
      <Problem text={sentenceOf(failure)} />
      <a href="/login" target="_self">
        {laterStrings.login.title}
      </a>
    </>
  );
}

const nameOf = (provider: string) => settings.oidc?.find(({ id }) => id === provider)?.name ?? '';

let finishing: ReturnType<typeof finish> | undefined;

/** The provider's code is valid once, however often the view is drawn. */
function finishOnce(): ReturnType<typeof finish> {
  finishing ??= finish();
  return finishing;
}

/**
 * Completes the sign-in with the code in the address. Resolves if an account was connected; after a
 * sign-in, the page is reloaded.
 */
async function finish(): Promise<{ path: string }> {
  const given = new URLSearchParams(location.search);
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => given.get(name) ?? undefined);
  const provider = location.pathname.split('/')[2] || 'default';
  // Neither the history nor a reload has it.
  history.replaceState(history.state, '', location.pathname);
  if (code === undefined || state === undefined) throw new Failure(0, laterStrings.oidc.refusedBy(nameOf(provider)));
  const { user, path, expires_at } = await inWords(
    ask(chat.POST('/api/oidc/callback', { body: { code, state, provider, ...(iss !== undefined && { iss }) } })),
    provider,
  );
  if (expires_at === undefined) {
    begin(user);
    return { path };
  }
  if (!path.startsWith('/join#')) forgetInvitation();
  location.replace(path);
  return new Promise(() => {});
}

/** Translates the service's refusals into the page's texts. */
export async function inWords<T>(answer: Promise<T>, provider: string): Promise<T> {
  try {
    return await answer;
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const { code = '', status } = failure;
    // It would be refused each time.
    if (code === 'invitation_not_found') forgetInvitation();
    const refused: Partial<Record<string, string>> = laterStrings.oidc.refused;
    const sentence = status === 503 ? laterStrings.oidc.unreachable(nameOf(provider)) : refused[code];
    throw sentence === undefined ? failure : new Failure(status, sentence, failure.retryAfter, code);
  }
}
