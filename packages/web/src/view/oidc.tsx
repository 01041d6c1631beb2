import { useState } from 'preact/hooks';
import { ask, chat, Failure } from '../api.ts';
import { forgetInvitation, keptInvitation } from '../invitation.ts';
import { route } from '../routes.ts';
import { begin, me } from '../session.ts';
import { settings } from '../settings.ts';
import { laterStrings } from '../strings-later.ts';
import { Loading, sentenceOf } from './controls.tsx';
import { useLoaded } from './use-list.ts';

/*
 * Signing in by an identity provider (OpenID Connect): the page goes to the provider, which leads back to `/oidc` with a
 * code that the service exchanges.
 */

/** The button that leads to the identity provider, if the service has one. */
export function SignInByProvider() {
  const { oidc } = settings;
  if (oidc === undefined) return null;
  const start = () => {
    const invitation = keptInvitation();
    return goToProvider({ path: pathAfter(), ...(invitation !== undefined && { invitation }) });
  };
  return <ButtonThatSays onClick={start} label={laterStrings.oidc.signIn(oidc)} isPrimary={settings.takesPasswords === false} />;
}

/** The button that connects the account of the user with a person at the identity provider. */
export const ConnectWithProvider = ({ name }: { name: string }) =>
  me().is_connected ? (
    <p>{laterStrings.oidc.connected}</p>
  ) : (
    <>
      <p class="muted">{laterStrings.oidc.connectHint}</p>
      <ButtonThatSays
        onClick={() => goToProvider({ path: location.pathname, link: true })}
        label={laterStrings.oidc.connect(name)}
      />
    </>
  );

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
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      <button type="button" class={isPrimary ? 'primary' : ''} disabled={isBusy} onClick={() => void go()}>
        {label}
      </button>
    </>
  );
}

/** Where somebody wanted to go who has to sign in first; what is only for those who are not signed in leads to the rooms. */
function pathAfter(): string {
  const isPlace = !['login', 'signup', 'setup', 'password', 'oidc', 'join', 'nowhere'].includes(route.value.name);
  return isPlace ? `${location.pathname}${location.search}` : '/';
}

type Start = { path: string; invitation?: string; link?: boolean };

async function goToProvider(body: Start): Promise<void> {
  const { url } = await inWords(ask(chat.POST('/api/oidc/start', { body })));
  location.assign(url);
}

/** Where the provider leads back to: completes the sign-in, and goes on. */
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
      <p class="problem" role="alert">
        {sentenceOf(failure)}
      </p>
      <a href="/login" target="_self">
        {laterStrings.login.title}
      </a>
    </>
  );
}

let finishing: ReturnType<typeof finish> | undefined;

/** What the provider gave is good for once, however often the view is drawn. */
function finishOnce(): ReturnType<typeof finish> {
  finishing ??= finish();
  return finishing;
}

/** Completes the sign-in with what is in the address. Resolves where an account was connected; after a sign-in, the page is loaded again. */
async function finish(): Promise<{ path: string }> {
  const given = new URLSearchParams(location.search);
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => given.get(name) ?? undefined);
  // Neither the history nor a reload has it.
  history.replaceState(history.state, '', location.pathname);
  if (code === undefined || state === undefined) throw new Failure(0, laterStrings.oidc.refusedBy(settings.oidc ?? ''));
  const { user, path, expires_at } = await inWords(
    ask(chat.POST('/api/oidc/callback', { body: { code, state, ...(iss !== undefined && { iss }) } })),
  );
  if (expires_at === undefined) {
    begin(user);
    return { path };
  }
  if (!path.startsWith('/join#')) forgetInvitation();
  location.replace(path);
  return new Promise(() => {});
}

/** What the service refuses, in the words of the page. */
async function inWords<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const { code = '', status } = failure;
    // It would be refused each time.
    if (code === 'invitation_not_found') forgetInvitation();
    const refused: Partial<Record<string, string>> = laterStrings.oidc.refused;
    const sentence = status === 503 ? laterStrings.oidc.unreachable(settings.oidc ?? '') : refused[code];
    throw sentence === undefined ? failure : new Failure(status, sentence, failure.retryAfter, code);
  }
}
