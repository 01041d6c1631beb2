import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { shortOf } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Session, type Token } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { type Page, readPage } from '../../store/read-page.ts';
import { sessionTitle } from '../settings/session-title.ts';
import { attempt } from '../shared/controls.tsx';
import { Pages } from '../shared/pages.tsx';
import { agreed } from './list.tsx';

/* By what an account is used: its sessions and named tokens, without their secrets. */

/** `turn` counts the actions on all items. The list is loaded again after each. */
type OwnedProps = { user: string; turn: number; onChange: () => void };

/** The sessions of an account, each with a button to end it. */
export const PersonSessions = (props: OwnedProps) => (
  <Foldable title={laterStrings.settings.sessions}>{() => <Sessions {...props} />}</Foldable>
);

/** The named tokens of an account, each with a button to revoke it. */
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

function Sessions(props: OwnedProps) {
  const { settings: words, admin } = laterStrings;
  return (
    <List<Session>
      {...props}
      read={(after) => readPage('/api/sessions', { user: props.user }, after)}
      none={admin.people.noSessions}
      show={({ name, hint, created_at, is_current }) => ({
        title: sessionTitle({ name }),
        facts: [words.sessionOf(shortOf(new Date(created_at.$date)))],
        tag: is_current ? words.sessionThis : undefined,
        label: admin.people.endSession(sessionTitle({ name }), hint),
        button: words.end,
        effects: [admin.people.signsOut],
      })}
      end={(session) => ask(chat.DELETE('/api/sessions/{session}', { params: { path: { session } } }))}
    />
  );
}

function Tokens(props: OwnedProps) {
  const { settings: words, admin, webhooks, invitations } = laterStrings;
  return (
    <List<Token>
      {...props}
      read={(after) => readPage('/api/tokens', { user: props.user }, after)}
      none={admin.people.noTokens}
      show={({ name, scopes, expires_at }) => ({
        title: name,
        facts: [
          scopes.join(', ') || words.allScopes,
          expires_at ? laterStrings.status.endsAt(shortOf(new Date(expires_at.$date))) : invitations.forEver,
        ],
        label: webhooks.revoke(name),
        button: words.revoke,
        effects: [admin.people.stopsPrograms, admin.people.irreversible],
      })}
      end={(token) => ask(chat.DELETE('/api/tokens/{token}', { params: { path: { token } } }))}
    />
  );
}

/** The texts about a session or a token, and the question before it ends. */
type TokenTexts = {
  title: string;
  facts: readonly string[];
  /** Of what can't be ended here. */
  tag?: string | undefined;
  label: string;
  button: string;
  effects: readonly string[];
};

type ListProps<T> = OwnedProps & {
  read: (after?: string) => Promise<Page<T>>;
  none: string;
  show: (one: T) => TokenTexts;
  end: (id: string) => Promise<unknown>;
};

function List<T extends Token | Session>({ user, turn, onChange, read, none, show, end }: ListProps<T>) {
  return (
    <Pages read={read} input={user} turn={turn} none={none}>
      {(list, replace) => (
        <ul class="listed">
          {list.map((one) => (
            <Item
              key={idOf(one)}
              token={one}
              shown={show(one)}
              end={() => end(idOf(one))}
              onEnded={() => {
                replace(one, undefined);
                onChange();
              }}
            />
          ))}
        </ul>
      )}
    </Pages>
  );
}

type ItemProps = {
  token: Token | Session;
  shown: TokenTexts;
  end: () => Promise<unknown>;
  onEnded: () => void;
};

function Item({ token, shown: { title, facts, tag, label, button, effects }, end, onEnded }: ItemProps) {
  const [isBusy, setBusy] = useState(false);
  const { settings: words } = laterStrings;
  const { hint, last_used_at } = token;
  const used = last_used_at ? words.lastUsed(shortOf(new Date(last_used_at.$date))) : words.neverUsed;
  return (
    <li class="card managed">
      <div class="body">
        <bdi>{title}</bdi>
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
            if ((await agreed(label, effects, button, { isDangerous: true })) && (await attempt(end))) {
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

/**
 * Moves the focus away from a button that disappears: to the button of the next item, otherwise of
 * the one before, otherwise to the title.
 */
function focusNext(button: HTMLElement): void {
  if (document.activeElement !== button) return;
  const list = button.closest('ul');
  const buttons = [...(list?.querySelectorAll<HTMLElement>('button:not([aria-disabled="true"])') ?? [])];
  const isAfter = (one: Element) => button.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
  const next = buttons.find(isAfter) ?? buttons.at(-1) ?? button.closest('details')?.querySelector('summary');
  next?.focus();
}
