import { useState } from 'preact/hooks';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Token } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { Field, Form } from '../shared/controls.tsx';
import { copyOut } from '../shared/copy.tsx';
import { CurrentPassword, proofOf } from './current-password.tsx';
import { Section } from './section.tsx';
import { ScopeChoice } from './token-parts.tsx';

const isReading = settings.mcp === 'read';

/** The scopes that an agent may have, first those that it needs to read and to answer. */
const scopes: Token['scopes'] = isReading
  ? ['members:read', 'messages:read', 'rooms:read']
  : ['members:read', 'messages:read', 'messages:write', 'rooms:write', 'members:write', 'rooms:read'];
const usualScopes = isReading ? 2 : 3;

const day = 86_400_000;
const lifetimes = [30, 90, 365, 0];

/** A card with a form that makes a token for an agent. */
export function ConnectAgent({ onMade }: { onMade: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const words = laterStrings.agents;
  return (
    <Section title={words.title} hint={isReading ? words.readHint : words.hint}>
      {isOpen ? (
        <AgentForm onMade={onMade} />
      ) : (
        <button type="button" class="quiet" onClick={() => setOpen(true)}>
          {words.title}
        </button>
      )}
    </Section>
  );
}

/** Makes a token for an agent, and shows how to enter it in each client. */
function AgentForm({ onMade }: { onMade: () => void }) {
  const [token, setToken] = useState<string>();
  const words = laterStrings.agents;
  const create = async ({ agent: name = '', days = '', proof = '', ...chosen }: Record<string, string>) => {
    const expires = Number(days) > 0 && { expires_at: new Date(Date.now() + Number(days) * day).toISOString() };
    const body = { name, is_agent: true, scopes: scopes.filter((scope) => scope in chosen), ...expires, ...proofOf(proof) };
    setToken((await ask(chat.POST('/api/tokens', { body }))).token);
    onMade();
  };
  return (
    <div class="stack">
      {token !== undefined && (
        <div class="made stack" role="status">
          <p>{words.once}</p>
          {snippetsOf(`${location.origin}/api/mcp`, token).map(([client, snippet]) => (
            <details key={client}>
              <summary>{client}</summary>
              <pre dir="ltr">
                <code>{snippet}</code>
              </pre>
              <button type="button" onClick={() => void copyOut(snippet, words.copied)}>
                {words.copy(client)}
              </button>
            </details>
          ))}
        </div>
      )}
      <Form key={token ?? ''} onSubmit={create} submit={words.submit}>
        <Field label={words.name} hint={words.nameHint} name="agent" maxLength={100} autocomplete="off" />
        <ScopeChoice legend={words.scopes} scopes={scopes} usual={usualScopes} />
        <label>
          {words.expires}{' '}
          <select name="days">
            {lifetimes.map((days) => (
              <option key={days} value={days}>
                {days === 0 ? words.never : words.days(days)}
              </option>
            ))}
          </select>
        </label>
        <CurrentPassword name="proof" />
      </Form>
    </div>
  );
}

/** The text to enter in each client, by its name. No language translates the products' names. */
function snippetsOf(url: string, token: string): [string, string][] {
  const headers = { Authorization: `Bearer ${token}` };
  const json = (value: object) => JSON.stringify(value, null, 2);
  return [
    ['Claude Code', `claude mcp add --transport http chat ${url} --header "Authorization: Bearer ${token}"`],
    ['Codex', `export CHAT_TOKEN=${token}\ncodex mcp add chat --url ${url} --bearer-token-env-var CHAT_TOKEN`],
    ['Cursor (~/.cursor/mcp.json)', json({ mcpServers: { chat: { url, headers } } })],
    ['VS Code (.vscode/mcp.json)', json({ servers: { chat: { type: 'http', url, headers } } })],
    ['JSON', json({ mcpServers: { chat: { type: 'http', url, headers } } })],
  ];
}
