import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComposing } from '../keyboard.ts';
import { strings } from '../strings.ts';
import { sentenceOf } from './controls.tsx';
import { findSuggestions, type Suggestion, Suggestions } from './suggestions.tsx';

/** The most characters that a message has, as the service counts them. */
const most = 10_000;

type EditorProps = {
  room: string;
  label: string;
  hint: string;
  placeholder?: string;
  initial: string;
  isFocused?: boolean;
  /** What is typed, at every change. */
  onChange?: (text: string) => void;
  /** Takes the text, which is put back into the field where that fails. */
  onSubmit: (text: string) => Promise<void>;
  onCancel?: () => void;
  /** Up, in an empty field. */
  onUp?: () => void;
  /** Lets something outside put text into the field. */
  handle?: { current: EditorHandle | null };
  /** What stands beside the field. */
  children?: ComponentChildren;
};

/** What an editor can be told from outside. */
export type EditorHandle = { insert: (text: string) => void; set: (text: string) => void; submit: () => void; focus: () => void };

/** Where one types a message. The field keeps its own text: no key draws anything anew. */
export function Editor({
  room,
  label,
  hint,
  placeholder,
  initial,
  isFocused = false,
  onChange,
  onSubmit,
  onCancel,
  onUp,
  handle,
  children,
}: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [over, setOver] = useState(0);
  const [failure, setFailure] = useState<string>();
  const [found, setFound] = useState<Suggestion[]>([]);
  const [index, setIndex] = useState(0);
  const shown = useRef(0);
  const turn = useRef(0);
  const suggest = (suggestions: Suggestion[]) => {
    // Most keys change nothing here.
    if (suggestions.length === 0 && shown.current === 0) return;
    shown.current = suggestions.length;
    setFound(suggestions);
    setIndex(0);
  };

  const changed = () => {
    const element = field.current as HTMLTextAreaElement;
    grow(element);
    onChange?.(element.value);
    const tooMany = element.value.length > most ? [...element.value].length - most : 0;
    if (Math.max(0, tooMany) !== over) setOver(Math.max(0, tooMany));
    const asked = ++turn.current;
    const typed = element.value.slice(0, element.selectionStart);
    // What was found for an earlier key says nothing any more.
    void findSuggestions(room, typed).then((suggestions) => asked === turn.current && suggest(suggestions));
  };
  const submit = async () => {
    const element = field.current as HTMLTextAreaElement;
    const text = element.value.trim();
    if (text === '' || over > 0) return;
    setFailure(undefined);
    // What can be cancelled stays in sight until it is stored; else the next message may be typed, and sent, while this one is being stored.
    if (!onCancel) set('');
    try {
      await onSubmit(text);
    } catch (problem) {
      setFailure(sentenceOf(problem));
      if (onCancel) return;
      set([text, element.value].filter((part) => part !== '').join('\n'));
      changed();
    }
  };
  const set = (text: string) => {
    if (!field.current) return;
    field.current.value = text;
    grow(field.current);
    turn.current++;
    suggest([]);
  };
  const insert = (text: string, before = 0) => {
    const element = field.current as HTMLTextAreaElement;
    element.focus();
    element.setRangeText(text, element.selectionStart - before, element.selectionEnd, 'end');
    changed();
  };
  const accept = (suggestion: Suggestion | undefined) => {
    if (!suggestion) return;
    insert(suggestion.text, suggestion.replaces);
    suggest([]);
  };

  useLayoutEffect(() => {
    if (handle) handle.current = { insert, set, submit: () => void submit(), focus: () => field.current?.focus() };
  });
  useLayoutEffect(() => {
    const element = field.current as HTMLTextAreaElement;
    element.value = initial;
    grow(element);
    if (isFocused) {
      element.focus();
      element.setSelectionRange(initial.length, initial.length);
    }
    // Only at first: from then on the text and the caret are the user's.
  }, []);

  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (found.length > 0 && onSuggestionKey(event)) {
      event.preventDefault();
      return;
    }
    const isEmpty = field.current?.value === '';
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey && (!hasTouch() || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    } else if (event.key === 'Escape' && onCancel) {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.key === 'ArrowUp' && isEmpty && onUp) {
      event.preventDefault();
      onUp();
    }
  };
  const onSuggestionKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (key === 'ArrowDown') setIndex((index + 1) % found.length);
    else if (key === 'ArrowUp') setIndex((index + found.length - 1) % found.length);
    else if (key === 'Escape') suggest([]);
    else if ((key === 'Enter' && !shiftKey) || (key === 'Tab' && !shiftKey)) accept(found[index]);
    else return false;
    return true;
  };

  const isOpen = found.length > 0;
  return (
    <div class="editor">
      {isOpen && <Suggestions suggestions={found} index={index} onPick={accept} />}
      <div class="editor-row">
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={label}
          title={hint}
          placeholder={placeholder}
          aria-autocomplete="list"
          aria-controls={isOpen ? 'suggestions' : undefined}
          aria-activedescendant={isOpen ? `suggestion-${index}` : undefined}
          autocomplete="off"
          enterkeyhint={hasTouch() ? 'enter' : 'send'}
          onInput={changed}
          onKeyDown={onKey}
          onBlur={() => suggest([])}
        />
        {children}
      </div>
      {onCancel && (
        <div class="row">
          <button type="button" class="primary" onClick={() => void submit()}>
            {strings.app.save}
          </button>
          <button type="button" onClick={onCancel}>
            {strings.app.cancel}
          </button>
        </div>
      )}
      {over > 0 && (
        <p class="problem" role="status">
          {strings.composer.tooLong(over)}
        </p>
      )}
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}

/** Whether Enter is a key on glass, where nobody finds Shift: it makes a new line there. */
const hasTouch = () => matchMedia('(pointer: coarse)').matches;

const growsByItself = CSS.supports('field-sizing', 'content');

function grow(element: HTMLTextAreaElement): void {
  if (growsByItself) return;
  element.style.height = 'auto';
  element.style.height = `${element.scrollHeight + 2}px`;
}
