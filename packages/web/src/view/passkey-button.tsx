import { signInByPasskey } from '../passkeys.ts';
import { laterStrings } from '../strings-later.ts';
import { ButtonThatSays } from './oidc.tsx';

/** The button that signs in with a passkey. */
export const PasskeyButton = ({ onSignedIn }: { onSignedIn: () => void }) => (
  <ButtonThatSays onClick={() => signInByPasskey().then(onSignedIn)} label={laterStrings.passkeys.signIn} />
);
