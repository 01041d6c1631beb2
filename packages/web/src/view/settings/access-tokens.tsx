import { useState } from 'preact/hooks';
import { momentInWords } from '../../i18n/moments.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Token } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import { Field, Form, Loading } from '../shared/controls.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { ConnectAgent } from './agents.tsx';
import { proofOf } from './current-password.tsx';
import { Section } from './section.tsx';
import { revokeToken, ScopeChoice } from './token-parts.tsx';

/** The origin of a token that an app got, and the receiver of its code. */
const appIn = ({ app, app_returns_to: receiver }: Token) =>
  app === undefined ? [] : [laterStrings.settings.tokenApp(app), receiver && laterStrings.settings.tokenReceiver(receiver)];

const createdAt = ({ created_at }: Token) => laterStrings.settings.tokenSince(momentInWords(new Date(created_at.$date)));

const lastUsed = ({ last_used_at }: Token) =>
  last_used_at ? laterStrings.settings.lastUsed(momentInWords(new Date(last_used_at.$date))) : laterStrings.settings.neverUsed;

// All there are, or the types don't match.
const scopes = Object.keys({
  'rooms:read': true,
  'rooms:write': true,
  'members:read': true,
  'members:write': true,
  'messages:read': true,
  'messages:write': true,
  account: true,
  admin: true,
} satisfies Record<Token['scopes'][number], true>) as Token['scopes'];

/** The tokens of programs that act as the user. */
export function AccessTokens() {
  const [made, setMade] = useState<string>();
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/tokens', { params: { query: { limit: 200 } } })), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const create = async ({ name = '', current = '', ...chosen }: Record<string, string>) => {
    const some = scopes.filter((scope) => scope in chosen);
    const body = { name, ...(some.length > 0 && { scopes: some }), ...proofOf(current) };
    setMade((await ask(chat.POST('/api/tokens', { body }))).token);
    reload();
  };
  const revoke = async (token: Token) => {
    if (await revokeToken(token)) reload();
  };
  return (
    <>
      <Section title={laterStrings.settings.tokens} hint={laterStrings.settings.tokensHint}>
        {made !== undefined && <ShownOnce values={[[laterStrings.bots.token, made]]} />}
        {value.length === 0 && <p class="muted">{laterStrings.settings.tokenNone}</p>}
        <ul class="listed">
          {(value as Token[]).map((token) => (
            <li class="card" key={idOf(token)}>
              <p class="body">
                <bdi>{token.name}</bdi>
                <span class="muted">
                  {' '}
                  {[
                    ...appIn(token),
                    token.scopes.join(', ') || laterStrings.settings.allScopes,
                    createdAt(token),
                    lastUsed(token),
                    laterStrings.settings.tokenEnds(token.hint),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </p>
              <button type="button" onClick={() => void revoke(token)}>
                {laterStrings.settings.revoke}
              </button>
            </li>
          ))}
        </ul>
        <Form key={made ?? ''} onSubmit={create} submit={laterStrings.settings.tokenCreate}>
          <Field label={laterStrings.settings.tokenName} name="name" maxLength={100} autocomplete="off" />
          <ScopeChoice legend={laterStrings.settings.tokenScopes} scopes={scopes} />
          <Field
            label={laterStrings.settings.currentPassword}
            hint={laterStrings.settings.tokenPassword}
            name="current"
            type="password"
            autocomplete="current-password"
            required={false}
          />
        </Form>
      </Section>
      {settings.mcp !== 'off' && <ConnectAgent onMade={reload} />}
    </>
  );
}
