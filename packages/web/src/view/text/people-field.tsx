import { useRef, useState } from 'preact/hooks';
import { isComposing } from '../../device/keyboard.ts';
import { Field } from '../shared/controls.tsx';
import type { Suggestion } from './find-suggestions.tsx';
import { loadFinders, Suggestions, stepThrough } from './suggestions.tsx';

/** How long after the last key people are looked for, in milliseconds. */
const pause = 150;

/** The usernames in what somebody typed: separated by blanks or commas, with or without the `@` of a mention. */
export const namesIn = (typed: string): string[] =>
  typed
    .split(/[\s,]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter(Boolean);

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
    // Until those for this key are found, there are those of earlier keys that suit it, too.
    show(found.flatMap((suggestion) => suggestion.of(part) ?? []));
    if (part === '') return;
    timer.current = setTimeout(async () => {
      const asked = timer.current;
      const suggestions = await (await loadFinders()).findPeople(part);
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
    const next = stepThrough(key, index, found.length);
    if (next !== undefined) setIndex(next);
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
