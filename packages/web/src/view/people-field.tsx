import { useRef, useState } from 'preact/hooks';
import { ask, chat } from '../api.ts';
import { idOf } from '../ids.ts';
import { isComposing } from '../keyboard.ts';
import { me } from '../session.ts';
import { Field } from './controls.tsx';
import type { Suggestion } from './find-suggestions.ts';
import { Suggestions } from './suggestions.tsx';

const most = 8;

/** How long after the last key people are looked for, in milliseconds. */
const pause = 150;

/** The usernames in what somebody typed: separated by blanks or commas, with or without the `@` of a mention. */
export const namesIn = (typed: string): string[] =>
  typed
    .split(/[\s,]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter(Boolean);

/** The people whom one may find, of whose names a word begins so. */
async function findPeople(part: string): Promise<Suggestion[]> {
  const query = { q: part, limit: most + 1 };
  const found = await ask(chat.GET('/api/users', { params: { query } })).catch(() => []);
  return found
    .filter((user) => idOf(user) !== idOf(me()))
    .slice(0, most)
    .map(({ username }) => ({
      text: `${username}, `,
      shown: '@',
      detail: username,
      replaces: part.length,
      isMeant: username.length > part.length && username.startsWith(part.toLowerCase()),
    }));
}

type PeopleFieldProps = Omit<Parameters<typeof Field>[0], 'autocomplete' | 'onInput' | 'onKeyDown' | 'onBlur'>;

/** A field for usernames, which are completed: by the people with whom one shares a room, and for administrators by all. */
export function PeopleField(props: PeopleFieldProps) {
  const [found, setFound] = useState<Suggestion[]>([]);
  const [index, setIndex] = useState(-1);
  const box = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const field = () => box.current?.querySelector('input') as HTMLInputElement;
  const show = (suggestions: Suggestion[]) => {
    setFound(suggestions);
    setIndex(suggestions[0]?.isMeant ? 0 : -1);
  };
  const look = () => {
    clearTimeout(timer.current);
    const [part = ''] = /[^\s,@]*$/.exec(field().value.slice(0, field().selectionStart ?? 0)) ?? [];
    if (part === '') return show([]);
    timer.current = setTimeout(async () => {
      const asked = timer.current;
      const suggestions = await findPeople(part);
      // What was found for an earlier key no longer counts.
      if (asked === timer.current) show(suggestions);
    }, pause);
  };
  const close = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    show([]);
  };
  const accept = (suggestion: Suggestion | undefined) => {
    if (!suggestion) return;
    const caret = field().selectionStart ?? 0;
    field().setRangeText(suggestion.text, caret - suggestion.replaces, caret, 'end');
    close();
  };
  const onKey = (event: KeyboardEvent) => {
    const { key } = event;
    if (isComposing(event) || found.length === 0) return;
    if (key === 'ArrowDown') setIndex((index + 1) % found.length);
    else if (key === 'ArrowUp') setIndex((Math.max(index, 0) + found.length - 1) % found.length);
    else if (key === 'Escape') close();
    else if ((key === 'Enter' || key === 'Tab') && index >= 0) accept(found[index]);
    else return;
    event.preventDefault();
  };
  const isOpen = found.length > 0;
  return (
    <div class="people-field" ref={box}>
      <Field
        {...props}
        autocomplete="off"
        onInput={look}
        onKeyDown={onKey}
        onBlur={close}
        role="combobox"
        aria-expanded={isOpen}
        aria-autocomplete="list"
        aria-controls="suggestions"
        aria-activedescendant={isOpen && index >= 0 ? `suggestion-${index}` : undefined}
      />
      {isOpen && <Suggestions suggestions={found} index={index} onPick={accept} />}
    </div>
  );
}
