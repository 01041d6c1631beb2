import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask, chat, type Session, type Token } from '../api.ts';
import { shortOf } from '../dates.ts';
import { idOf } from '../ids.ts';
import { readPage } from '../store/read-page.ts';
import { laterStrings } from '../strings-later.ts';
import { agreed, Pages } from './admin-list.tsx';
import { attempt } from './controls.tsx';

/* By what an account is used: its sessions and named tokens, without their secrets. */

/** `turn` counts what was done to all at once, after which the list is read again. */
type OwnedProps = { user: string; turn: number; onChange: () => void };

/** The sessions of an account, of which each can be ended. */
export const PersonSessions = (props: OwnedProps) => (
  <Foldable title={laterStrings.settings.sessions}>{() => <Sessions {...props} />}</Foldable>
);

/** The named tokens of an account, of which each can be revoked. */
export const PersonTokens = (props: OwnedProps) => (
  <Foldable title={laterStrings.settings.tokens}>{() => <Tokens {...props} />}</Foldable>
);

function Foldable({ title, children }: { title: string; children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="foldable" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div class="stack-wide">{children()}</div>}
    </details>
  );
}

function Sessions({ user, turn, onChange }: OwnedProps) {
  const { settings: words, admin } = laterStrings;
  const read = (after?: string) =>
    readPage<Session>((next) => chat.GET('/api/sessions', { params: { query: pageOf(user, next) } }), after);
  const end = async (session: Session): Promise<boolean> => {
    if (!(await agreed(admin.people.endSession(session.hint), [admin.people.signsOut], words.end))) return false;
    return attempt(() => ask(chat.DELETE('/api/sessions/{session}', { params: { path: { session: idOf(session) } } })));
  };
  return (
    <Pages read={read} input={`${turn} ${user}`} none={admin.people.noSessions}>
      {(list, replace) =>
        list.map((session) => (
          <Item
            key={idOf(session)}
            token={session}
            facts={[words.sessionOf(shortOf(new Date(session.created_at.$date)))]}
            tag={session.is_current ? words.sessionThis : undefined}
            label={admin.people.endSession(session.hint)}
            button={words.end}
            end={() => end(session)}
            onEnded={() => {
              replace(session, undefined);
              onChange();
            }}
          />
        ))
      }
    </Pages>
  );
}

function Tokens({ user, turn, onChange }: OwnedProps) {
  const { settings: words, admin, webhooks } = laterStrings;
  const read = (after?: string) =>
    readPage<Token>((next) => chat.GET('/api/tokens', { params: { query: pageOf(user, next) } }), after);
  const revoke = async (token: Token): Promise<boolean> => {
    const effects = [admin.people.stopsPrograms, admin.people.irreversible];
    if (!(await agreed(webhooks.revoke(token.name), effects, words.revoke))) return false;
    return attempt(() => ask(chat.DELETE('/api/tokens/{token}', { params: { path: { token: idOf(token) } } })));
  };
  return (
    <Pages read={read} input={`${turn} ${user}`} none={admin.people.noTokens}>
      {(list, replace) =>
        list.map((token) => (
          <Item
            key={idOf(token)}
            token={token}
            facts={[
              token.scopes.join(', ') || words.allScopes,
              token.expires_at
                ? laterStrings.invitations.until(shortOf(new Date(token.expires_at.$date)))
                : laterStrings.invitations.forEver,
            ]}
            label={webhooks.revoke(token.name)}
            button={words.revoke}
            end={() => revoke(token)}
            onEnded={() => {
              replace(token, undefined);
              onChange();
            }}
          />
        ))
      }
    </Pages>
  );
}

type ItemProps = {
  token: Token | Session;
  facts: readonly string[];
  /** Of what can't be ended here. */
  tag?: string | undefined;
  label: string;
  button: string;
  /** Resolves to whether it was ended. */
  end: () => Promise<boolean>;
  onEnded: () => void;
};

function Item({ token, facts, tag, label, button, end, onEnded }: ItemProps) {
  const [isBusy, setBusy] = useState(false);
  const { settings: words } = laterStrings;
  const { name, hint, last_used_at } = token;
  const used = last_used_at ? words.lastUsed(shortOf(new Date(last_used_at.$date))) : words.neverUsed;
  return (
    <li class="card managed">
      <div class="body">
        <bdi>{name}</bdi>
        {tag !== undefined && <small class="tag">{tag}</small>}
        <p class="muted">{[...facts, used, words.tokenEnds(hint)].join(' · ')}</p>
      </div>
      {tag === undefined && (
        <button
          type="button"
          aria-label={label}
          // It keeps the focus: one that is disabled loses it.
          aria-disabled={isBusy}
          onClick={async ({ currentTarget }) => {
            if (isBusy) return;
            setBusy(true);
            if (await end()) {
              focusNext(currentTarget);
              onEnded();
            }
            setBusy(false);
          }}
        >
          {button}
        </button>
      )}
    </li>
  );
}

/** Takes the focus from a button that goes: to that of the next item or, after the last, of the one before, or to the title. */
function focusNext(button: HTMLElement): void {
  if (document.activeElement !== button) return;
  const list = button.closest('ul');
  const buttons = [...(list?.querySelectorAll<HTMLElement>('button:not([aria-disabled="true"])') ?? [])];
  const isAfter = (one: Element) => button.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
  const next = buttons.find(isAfter) ?? buttons.at(-1) ?? button.closest('details')?.querySelector('summary');
  next?.focus();
}

const pageOf = (user: string, after: string | undefined) => ({ user, limit: 50, ...(after !== undefined && { after }) });
