import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Token } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { attempt } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';

/* Shared parts of the lists of the user's own tokens and a bot's tokens. */

type Scopes = Token['scopes'];

/** The choice of scopes for a new token: a checkbox for each. */
export const ScopeChoice = ({ legend, scopes, usual = 0 }: { legend: string; scopes: Scopes; usual?: number }) => (
  <fieldset>
    <legend>{legend}</legend>
    {scopes.map((scope, at) => (
      <label class="check" key={scope}>
        <input type="checkbox" name={scope} defaultChecked={at < usual} /> {scope}
      </label>
    ))}
  </fieldset>
);

/** Asks whether to revoke a token, and revokes it; resolves to true if the user agreed. */
export async function revokeToken(token: Token): Promise<boolean> {
  const { settings: words } = laterStrings;
  if (!(await confirmed(words.revokeAsk(token.name), words.revoke, { isDangerous: true }))) return false;
  await attempt(() => ask(chat.DELETE('/api/tokens/{token}', { params: { path: { token: idOf(token) } } })));
  return true;
}
