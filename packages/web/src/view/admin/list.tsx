import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Answers, openDialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';

/* Shared parts of the administrators' lists. */

/** The pause after the last typed character before the search starts. */
const pauseMs = 200;

type SearchProps = { label: string; onSearch: (text: string) => void };

/** The field that narrows a list, which asks the service when somebody pauses or leaves it. */
export function Search({ label, onSearch }: SearchProps) {
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => onSearch(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={64}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      // The user may press something in the list without a pause.
      onChange={({ currentTarget }) => onSearch(currentTarget.value.trim())}
    />
  );
}

/**
 * Asks whether to do something, and says what will happen. The harmless answer is first and has the
 * focus.
 */
export const agreed = (
  title: string,
  effects: readonly string[],
  label: string,
  { isDangerous = false } = {},
): Promise<boolean> =>
  new Promise((resolve) => {
    openDialog(
      title,
      (close) => (
        <div class="stack-wide">
          <ul class="effects">
            {effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          <Answers
            no={strings.app.cancel}
            onNo={close}
            yes={label}
            onYes={() => {
              resolve(true);
              close();
            }}
            isDangerous={isDangerous}
          />
        </div>
      ),
      () => resolve(false),
    );
  });

/** The last loaded value. It stays on the screen if loading it again fails. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  last.current = value ?? last.current;
  return last.current;
}

/** The facts about an item, each in a word. Values that are not texts are left out. */
export const Tags = ({ of }: { of: readonly unknown[] }) => (
  <>{of.map((tag) => typeof tag === 'string' && <small class="tag">{tag}</small>)}</>
);

type ManagedProps = {
  /** The summary in the list. */
  head: ComponentChildren;
  name: string;
  children: () => ComponentChildren;
};

/** An item of a list, which opens to show details and actions. */
export function Managed({ head, name, children }: ManagedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class={isOpen ? 'card managed open' : 'card managed'}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press on the row is one on its button */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button takes the keys */}
      <div class="head" onClick={() => setOpen(!isOpen)}>
        {head}
        <button type="button" class="icon-button" aria-expanded={isOpen} aria-label={laterStrings.admin.manageOf(name)}>
          <Icon name="unfold" />
        </button>
      </div>
      {isOpen && <div class="panel">{children()}</div>}
    </li>
  );
}
