import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Token } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { attempt } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';

/* What the lists of one's own tokens, and of those of a bot, share. */

type Scopes = Token['scopes'];

/** Which scopes a new token has: its form has a field for each that is chosen. */
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

/** Asks whether to revoke a token, and does so; resolves to whether somebody has agreed. */
export async function revokeToken(token: Token): Promise<boolean> {
  const { settings: words } = laterStrings;
  if (!(await confirmed(words.revokeAsk(token.name), words.revoke, { isDangerous: true }))) return false;
  await attempt(() => ask(chat.DELETE('/api/tokens/{token}', { params: { path: { token: idOf(token) } } })));
  return true;
}
