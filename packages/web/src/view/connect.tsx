import { me } from '../session.ts';
import { settings } from '../settings.ts';
import { laterStrings } from '../strings-later.ts';
import { ButtonThatSays, goToProvider } from './oidc.tsx';

/** The buttons that connect the account of the user with a person at an identity provider. */
export const ConnectWithProvider = () =>
  me().is_connected ? (
    <p>{laterStrings.oidc.connected}</p>
  ) : (
    <>
      <p class="muted">{laterStrings.oidc.connectHint}</p>
      {settings.oidc?.map(({ id, name }) => (
        <ButtonThatSays
          key={id}
          onClick={() => goToProvider({ provider: id, path: location.pathname, link: true })}
          label={laterStrings.oidc.connect(name)}
        />
      ))}
    </>
  );
