import { useEffect, useRef, useState } from 'preact/hooks';
import { signInByPasskey, suggestPasskeys } from '../../account/passkeys.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure, sentenceOf } from '../../service/api.ts';
import { Problem } from '../shared/controls.tsx';
import { ButtonThatSays } from './oidc.tsx';

const isRefusal = (problem: unknown) => problem instanceof Failure && [401, 403].includes(problem.status);

type Props = {
  onSignedIn: () => void;
  /** True if the browser also suggests passkeys in the username field. */
  isSuggested?: boolean;
  /**
   * The name of the account that is signing in, if known: a passkey of another account is refused.
   */
  username?: string | undefined;
};

/** The button that signs in with a passkey. */
export function PasskeyButton({ onSignedIn, isSuggested = false, username }: Props) {
  const [failure, setFailure] = useState<string>();
  const suggestion = useRef<AbortController | undefined>(undefined);
  const suggest = () => {
    const controller = new AbortController();
    suggestion.current = controller;
    suggestPasskeys(controller.signal, username).then(
      (isSignedIn) => isSignedIn && onSignedIn(),
      // A refusal follows a chosen passkey. Other failures of the suggestion concern nobody.
      (problem) => isRefusal(problem) && setFailure(sentenceOf(problem)),
    );
  };
  useEffect(() => {
    if (isSuggested) suggest();
    return () => suggestion.current?.abort();
  }, []);
  // The browser asks for one passkey at a time.
  const signIn = async () => {
    suggestion.current?.abort();
    setFailure(undefined);
    await signInByPasskey(username);
    onSignedIn();
  };
  return (
    <>
      <Problem text={failure} />
      <ButtonThatSays onClick={signIn} label={laterStrings.passkeys.signIn} />
    </>
  );
}
