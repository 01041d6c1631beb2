import { changeMe } from '../../account/own-account.ts';
import { me } from '../../account/session.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { settings } from '../../service/settings.ts';
import { confirmed } from '../shared/dialog.tsx';
import { ButtonThatSays, goToProvider, inWords } from '../sign-in/oidc.tsx';

/** The buttons that connect the account of the user with a person at an identity provider. */
export const ConnectWithProvider = () =>
  me().is_connected ? (
    <>
      <p>{laterStrings.oidc.connected}</p>
      {settings.takesPasswords !== false && <ButtonThatSays onClick={disconnect} label={laterStrings.oidc.disconnect} />}
    </>
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

async function disconnect(): Promise<void> {
  if (!(await confirmed(laterStrings.oidc.disconnectAsk, laterStrings.oidc.disconnect))) return;
  await inWords(changeMe({ is_connected: false }), '');
}
