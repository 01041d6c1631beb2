import { isBlank } from 'chat-service-rules/texts';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { isComposing, shortcutKey } from '../../device/keyboard.ts';
import { strings } from '../../i18n/strings.ts';
import { sentenceOf } from '../../service/api.ts';
import { isFenceOpen } from '../../text/fence.ts';
import { continueLine, type Edit, formats, isAddress, makeLink, type TextSelection } from '../../text/markup.ts';
import { Problem } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import type { Suggestion } from './find-suggestions.tsx';
import { findSuggestions, Suggestions, stepThrough } from './suggestions.tsx';

/** The most characters that a message has, as the service counts them. */
const most = 10_000;

type EditorProps = {
  room: string;
  label: string;
  hint: string;
  placeholder?: string;
  initial: string;
  /** The text if nothing was changed: `initial` by default. */
  base?: string;
  /** Focuses the field each time that this becomes another truthy value. */
  focus?: unknown;
  /** Called with the text at every change. */
  onChange?: (text: string) => void;
  /** Receives the text. It is restored in the field if this fails or resolves to false. */
  onSubmit: (text: string) => Promise<boolean>;
  onCancel?: () => void;
  /** Returns true if a message without text may be sent. */
  mayBeEmpty?: () => boolean;
  /** Receives a text that is too long; false if it fails. */
  onTooLong?: (text: string) => Promise<boolean>;
  /** Up, in an empty field. */
  onUp?: () => void;
  /** Lets something outside put text into the field. */
  handle?: { current: EditorHandle | null };
  /** The content below the field. */
  children?: ComponentChildren;
};

/** The functions of an editor for other components. */
export type EditorHandle = {
  /** Puts text at the caret. */
  insert: (text: string) => void;
  /** Replaces the whole text; undo restores it. */
  replace: (text: string) => void;
  /** Changes the text as typing does; undo reverts it. */
  edit: (change: (selected: TextSelection) => Edit | undefined) => boolean;
  /** Shows another text, without the focus. */
  set: (text: string) => void;
  submit: () => void;
};

/** The editor of a message. The field keeps its own text, so that keys do not redraw anything. */
export function Editor({
  room,
  label,
  hint,
  placeholder,
  initial,
  base = initial,
  focus,
  onChange,
  onSubmit,
  onCancel,
  mayBeEmpty,
  onTooLong,
  onUp,
  handle,
  children,
}: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [over, setOver] = useState(0);
  const [failure, setFailure] = useState<string>();
  const [found, setFound] = useState<Suggestion[]>([]);
  const [index, setIndex] = useState(0);
  const shown = useRef<Suggestion[]>([]);
  /** The start of the word that the suggestions replace. */
  const begins = useRef(0);
  const chosen = useRef<string | undefined>(undefined);
  const turn = useRef(0);
  const suggest = (suggestions: Suggestion[]) => {
    // Most keys change nothing here.
    if (suggestions.length === 0 && shown.current.length === 0) return;
    shown.current = suggestions;
    setFound(suggestions);
    // A choice from an earlier list stays in the list for the last key.
    const at = suggestions.findIndex(({ text }) => text === chosen.current);
    if (at < 0) chosen.current = undefined;
    setIndex(at >= 0 ? at : suggestions[0]?.isMeant ? 0 : -1);
  };

  const changed = () => {
    const element = field.current as HTMLTextAreaElement;
    fitToText(element);
    onChange?.(element.value);
    const tooMany = surplusOf(element.value);
    if (tooMany !== over) setOver(tooMany);
    const asked = ++turn.current;
    const typed = element.value.slice(0, element.selectionStart);
    // Until those for this key are found, there are those of earlier keys that suit it, too.
    suggest(shown.current.flatMap(suiting));
    void findSuggestions(room, typed).then((suggestions) => {
      if (asked !== turn.current) return;
      begins.current = typed.length - (suggestions[0]?.replaces ?? 0);
      suggest(suggestions);
    });
  };
  /** The suggestion for the current text before the caret. */
  const suiting = (suggestion: Suggestion): Suggestion | [] => {
    const { value, selectionStart } = field.current as HTMLTextAreaElement;
    return suggestion.of(value.slice(begins.current, selectionStart)) ?? [];
  };
  const submit = async () => {
    const element = field.current as HTMLTextAreaElement;
    const text = element.value.trim();
    if (isBlank(text) && !mayBeEmpty?.()) return;
    const tooMany = surplusOf(text);
    if (tooMany > 0) return notice(strings.composer.isTooLong(tooMany));
    setFailure(undefined);
    // An editor that can be cancelled stays visible until its text is stored. Otherwise the next
    // message may be typed, and sent, while this one is being stored.
    if (!onCancel) {
      set('');
      // Also after the button was pressed: the next message may follow.
      if (!hasTouch() || document.activeElement === document.body) element.focus();
    }
    try {
      if ((await onSubmit(text)) !== false) return;
    } catch (problem) {
      setFailure(sentenceOf(problem));
    }
    // A user who left in the meantime has left the field.
    if (!onCancel && field.current) {
      set([text, element.value].filter((part) => part !== '').join('\n'));
      changed();
    }
  };
  const putAside = async () => {
    if (!(await onTooLong?.(field.current?.value ?? ''))) return;
    set('');
    changed();
  };
  const replace = (text: string) => {
    if (field.current) putText(field.current, text, 0, field.current.value.length);
    suggest([]);
  };
  const set = (text: string) => {
    if (!field.current) return;
    field.current.value = text;
    fitToText(field.current);
    turn.current++;
    suggest([]);
  };
  const insert = (text: string, before = 0) => {
    const element = field.current as HTMLTextAreaElement;
    putText(element, text, element.selectionStart - before, element.selectionEnd);
    changed();
  };
  const edit = (change: (selected: TextSelection) => Edit | undefined): boolean => {
    const element = field.current as HTMLTextAreaElement;
    const { value, selectionStart: start, selectionEnd: end } = element;
    const made = change({ value, start, end });
    if (!made) return false;
    putText(element, made.text, made.start, made.end);
    element.setSelectionRange(made.from, made.to);
    changed();
    return true;
  };
  const cancel = async () => {
    if (field.current?.value !== base && !(await confirmed(strings.app.discardAsk, strings.app.discard, { isDangerous: true })))
      return;
    onCancel?.();
  };
  const accept = (suggestion: Suggestion | undefined) => {
    if (!suggestion) return;
    // The caret may have been moved since.
    for (const { text, replaces } of [suiting(suggestion)].flat()) insert(text, replaces);
    suggest([]);
  };

  useLayoutEffect(() => {
    if (handle) handle.current = { insert, edit, set, replace, submit: () => void submit() };
  });
  useLayoutEffect(() => {
    const element = field.current as HTMLTextAreaElement;
    element.value = initial;
    fitToText(element);
    // Only at first: from then on the text is the user's.
  }, []);
  useLayoutEffect(() => {
    const element = field.current as HTMLTextAreaElement;
    // So is the caret while the focus is here.
    if (!focus || element === document.activeElement) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, [focus]);

  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (shown.current.length > 0 && onSuggestionKey(event)) {
      event.preventDefault();
      return;
    }
    const element = field.current as HTMLTextAreaElement;
    const isEmpty = element.value === '';
    const isCommand = event.ctrlKey || event.metaKey;
    const tool = isCommand && !event.shiftKey && !event.altKey ? tools[shortcutKey(event)] : undefined;
    const isSend = isCommand || !(event.shiftKey || hasTouch() || isInFence(element));
    if (event.key === 'Enter' && !event.altKey && isSend) {
      event.preventDefault();
      void submit();
    } else if (event.key === 'Enter') {
      if (!isInFence(element) && edit(continueLine)) event.preventDefault();
      // Without a selection, Ctrl K opens the room switcher.
    } else if (tool && !(tool === formats.link && element.selectionStart === element.selectionEnd)) {
      event.preventDefault();
      edit(tool);
    } else if (event.key === 'Escape' && onCancel) {
      event.preventDefault();
      event.stopPropagation();
      void cancel();
    } else if (event.key === 'ArrowUp' && isEmpty && onUp) {
      event.preventDefault();
      onUp();
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData('text/plain').trim() ?? '';
    const { value, selectionStart, selectionEnd } = field.current as HTMLTextAreaElement;
    const chosen = value.slice(selectionStart, selectionEnd);
    if (!isAddress(pasted) || chosen.trim() === '' || /[\n[\]]/.test(chosen) || isAddress(chosen)) return;
    event.preventDefault();
    edit((selected) => makeLink(selected, pasted));
  };
  const choose = (at: number) => {
    chosen.current = shown.current[at]?.text;
    setIndex(at);
  };
  const onSuggestionKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const next = stepThrough(key, index, shown.current.length);
    if (next !== undefined) choose(next);
    else if (key === 'Escape') suggest([]);
    else if (key === 'Tab' && !shiftKey) accept(shown.current[Math.max(index, 0)]);
    else if (key === 'Enter' && !shiftKey && index >= 0) accept(shown.current[index]);
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
          aria-activedescendant={isOpen && index >= 0 ? `suggestion-${index}` : undefined}
          autocomplete="off"
          enterkeyhint={hasTouch() ? 'enter' : 'send'}
          onInput={changed}
          onKeyDown={onKey}
          onPaste={onPaste}
          onBlur={() => suggest([])}
        />
        {children && (
          // Buttons here do not take the focus from the field: on a phone, the keyboard would
          // close.
          // biome-ignore lint/a11y/noStaticElementInteractions: only the focus is held
          <div class="editor-tools" onMouseDown={(event) => event.preventDefault()}>
            {children}
          </div>
        )}
      </div>
      {onCancel && (
        <div class="row">
          <button type="button" class="primary" onClick={() => void submit()}>
            {strings.app.save}
          </button>
          <button type="button" onClick={() => void cancel()}>
            {strings.app.cancel}
          </button>
        </div>
      )}
      {over > 0 && (
        <p class="problem" role="status">
          {strings.composer.tooLong(over)}{' '}
          {onTooLong && (
            <button type="button" onClick={() => void putAside()}>
              {strings.composer.asFile}
            </button>
          )}
        </p>
      )}
      <Problem text={failure} />
    </div>
  );
}

/** The effect of keys with Ctrl on the selected text. */
const tools: Readonly<Record<string, (selected: TextSelection) => Edit>> = {
  b: formats.bold,
  i: formats.italic,
  e: formats.code,
  k: formats.link,
};

/** True on a touch screen: Enter makes a new line, because Shift is hard to find. */
const hasTouch = () => matchMedia('(pointer: coarse)').matches;

/** By how many characters a text is too long, as the service counts them. */
function surplusOf(text: string): number {
  // Most texts are short, and nothing has more characters than units.
  return text.length > most ? Math.max(0, [...text.trim()].length - most) : 0;
}

/** True if Enter belongs to a code block: the caret is in one, or one is not closed yet. */
const isInFence = ({ value, selectionStart }: HTMLTextAreaElement): boolean =>
  isFenceOpen(value.slice(0, selectionStart)) || isFenceOpen(value);

/** Replaces a part of a field, so that undo restores it. */
function putText(element: HTMLTextAreaElement, text: string, start: number, end: number): void {
  element.focus();
  element.setSelectionRange(start, end);
  // Setting the value of a field empties its undo stack; only this deprecated call adds to it.
  const isDone = document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  if (!isDone) element.setRangeText(text, start, end, 'end');
}

const growsByItself = CSS.supports('field-sizing', 'content');

/** Fits the font and the height of a field to its text. */
function fitToText(element: HTMLTextAreaElement): void {
  element.classList.toggle('fenced', element.value.startsWith('```'));
  if (growsByItself) return;
  element.style.height = 'auto';
  element.style.height = `${element.scrollHeight + 2}px`;
}
