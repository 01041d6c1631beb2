import type { Bot } from 'chat-service-client/contract';
import { useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure, type Token } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf } from '../../store/people/names.ts';
import { attempt, Field, Form, Loading, PersonName } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { BotWebhook } from './bot-webhook.tsx';
import { revokeToken, ScopeChoice } from './token-parts.tsx';

/** The scopes of bots, the most frequent first. `admin` is missing: it does nothing for a bot. */
const scopes = Object.keys({
  'messages:read': true,
  'messages:write': true,
  'rooms:read': true,
  'members:read': true,
  'rooms:write': true,
  'members:write': true,
  account: true,
} satisfies Partial<Record<Token['scopes'][number], true>>) as Token['scopes'];
const usual = 4;

/** All pages of the caller's bots; of administrators', those of everyone, up to some thousands. */
async function loadBots(): Promise<Bot[]> {
  const bots: Bot[] = [];
  for (let isMore = true; isMore && bots.length < 2_000; ) {
    const after = bots.at(-1);
    const query = { limit: 200, ...(after && { after: idOf(after) }) };
    const page = await ask(chat.GET('/api/bots', { params: { query } }));
    bots.push(...page);
    isMore = page.length === 200;
  }
  return bots;
}

/** The bots of the user; for administrators, all. */
export function Bots() {
  const load = async () => ({ bots: await loadBots(), health: await ask(chat.GET('/api/health')) });
  const { value, failure, reload } = useLoaded(load, []);
  const [turn, setTurn] = useState(0);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const words = laterStrings.bots;
  const create = async ({ username = '', name = '' }: Record<string, string>) => {
    await ask(chat.POST('/api/bots', { body: { username, name: name.trim() } }));
    setTurn(turn + 1);
    reload();
  };
  const mayCreate = me().is_admin || value.health.bot_creation === 'users';
  return (
    <>
      {value.bots.length === 0 && <p class="muted">{words.none}</p>}
      {mayCreate ? (
        <Form key={turn} onSubmit={create} submit={words.create}>
          <Field label={words.username} name="username" maxLength={64} autocomplete="off" />
          <Field label={words.name} name="name" maxLength={64} required={false} autocomplete="off" />
        </Form>
      ) : (
        <p class="muted">{words.ofAdmins}</p>
      )}
      <ul class="listed">
        {value.bots.map((bot) => (
          <li class="card" key={idOf(bot)}>
            <OneBot bot={bot} onGone={reload} />
          </li>
        ))}
      </ul>
    </>
  );
}

function OneBot({ bot, onGone }: { bot: Bot; onGone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const words = laterStrings.bots;
  const name = nameOf(bot);
  return (
    <div class="body stack">
      <span>
        <PersonName person={{ ...bot, is_bot: true }} />{' '}
        <span class="muted">
          <bdi>@{bot.username}</bdi>
          {bot.owner === null && ` · ${words.unowned}`}
        </span>
      </span>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{words.manage(name)}</summary>
        {isOpen && <Managed bot={bot} onGone={onGone} />}
      </details>
    </div>
  );
}

/** The tokens, commands and webhook of a bot, and for administrators its owner. */
function Managed({ bot, onGone }: { bot: Bot; onGone: () => void }) {
  const user = idOf(bot);
  const [made, setMade] = useState<string>();
  const load = async () => {
    const [tokens, { commands, has_webhook }] = await Promise.all([
      ask(chat.GET('/api/tokens', { params: { query: { user, limit: 200 } } })),
      ask(chat.GET('/api/bots/{bot}', { params: { path: { bot: user } } })),
    ]);
    return { tokens, commands, has_webhook };
  };
  const { value, failure, reload } = useLoaded(load, [user]);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const { bots: words, settings } = laterStrings;
  const create = async ({ token: name = '', ...chosen }: Record<string, string>) => {
    const body = { name, user, scopes: scopes.filter((scope) => scope in chosen) };
    setMade((await ask(chat.POST('/api/tokens', { body }))).token);
    reload();
  };
  const revoke = async (token: Token) => {
    if (!(await revokeToken(token))) return;
    setMade(undefined);
    reload();
  };
  const remove = async () => {
    if (!(await confirmed(words.removeAsk(nameOf(bot)), words.remove(nameOf(bot)), { isDangerous: true }))) return;
    await attempt(() => ask(chat.DELETE('/api/bots/{bot}', { params: { path: { bot: user } } })));
    onGone();
  };
  const give = async ({ owner: typed = '' }: Record<string, string>) => {
    const username = typed.trim().replace(/^@/, '').toLowerCase();
    const [found] = username ? await ask(chat.GET('/api/users', { params: { query: { username } } })) : [];
    if (username && !found) throw new Failure(404, laterStrings.search.noAuthor(username));
    const name = found ? nameOf(found) : words.admins;
    if (!(await confirmed(words.giveAsk(nameOf(bot), name), words.giveSubmit))) return;
    const body = { owner: found ? idOf(found) : null };
    await ask(chat.PATCH('/api/bots/{bot}', { params: { path: { bot: user } }, body }));
    setMade(undefined);
    notice(words.given(nameOf(bot), name));
    onGone();
    reload();
  };
  const removeCommand = async (command: string) => {
    if (!(await confirmed(words.removeCommandAsk(`/${command}`), words.removeCommand(`/${command}`), { isDangerous: true })))
      return;
    const params = { path: { bot: user, command } };
    await attempt(() => ask(chat.DELETE('/api/bots/{bot}/commands/{command}', { params })));
    reload();
  };
  return (
    <div class="stack">
      <h3>{settings.tokens}</h3>
      {value.tokens.length === 0 && <p class="muted">{words.noTokens}</p>}
      <ul class="links">
        {(value.tokens as Token[]).map((token) => (
          <li class="row" key={idOf(token)}>
            <span>
              <bdi>{token.name}</bdi>{' '}
              <span class="muted">
                {token.scopes.join(', ')} · {settings.tokenEnds(token.hint)}
              </span>
            </span>
            <button type="button" aria-label={laterStrings.webhooks.revoke(token.name)} onClick={() => void revoke(token)}>
              {settings.revoke}
            </button>
          </li>
        ))}
      </ul>
      {made !== undefined && <ShownOnce values={[[words.token, made]]} />}
      <Form key={made ?? ''} onSubmit={create} submit={settings.tokenCreate}>
        <Field label={settings.tokenName} name="token" maxLength={100} autocomplete="off" />
        <ScopeChoice legend={words.scopes} scopes={scopes} usual={usual} />
      </Form>
      <h3>{words.commands}</h3>
      {value.commands.length === 0 && <p class="muted">{words.noCommands}</p>}
      <ul class="links">
        {value.commands.map(({ name, usage, description, url }) => (
          <li class="row" key={name}>
            <span>
              <bdi>{`/${[name, usage].filter(Boolean).join(' ')}`}</bdi>{' '}
              <span class="muted">
                <bdi>{description}</bdi> · <bdi>{new URL(url).host}</bdi>
              </span>
            </span>
            <button type="button" onClick={() => void removeCommand(name)}>
              {words.removeCommand(`/${name}`)}
            </button>
          </li>
        ))}
      </ul>
      <BotWebhook key={String(value.has_webhook)} bot={user} name={nameOf(bot)} hasOne={value.has_webhook} />
      {me().is_admin && (
        <>
          <h3>{words.give}</h3>
          <Form onSubmit={give} submit={words.giveSubmit}>
            <p>{words.giveHint}</p>
            <Field label={words.newOwner} name="owner" maxLength={65} required={false} autocomplete="off" />
          </Form>
        </>
      )}
      <button type="button" class="danger" onClick={() => void remove()}>
        {words.remove(nameOf(bot))}
      </button>
    </div>
  );
}
