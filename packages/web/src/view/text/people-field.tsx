import { matchesPerson } from 'chat-service-rules/words/names';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isComposing } from '../../device/keyboard.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Chips, type Choice, findPeople, PeopleOptions } from './people-options.tsx';
import { isAddress, namesIn, splitTyped } from './picked.ts';
import { stepThrough } from './suggestions.tsx';
import './people-field.css';

/** The pause in typing before people are looked up, in milliseconds. */
const pauseMs = 150;

const mostSuggested = 8;

type PeopleFieldProps = {
  label: string;
  name: string;
  hint?: string;
  /** The name that is there at first. */
  value?: string;
  /** True if e-mail addresses are accepted as well. */
  takesAddresses?: boolean;
  /** The largest number of people; by default any number. */
  most?: number;
  required?: boolean;
  autoFocus?: boolean;
};

/**
 * A field for people; each becomes a chip. It finds people in shared rooms, anyone by the whole
 * username, and everybody for administrators. The form gets the usernames and addresses, separated
 * by spaces.
 */
export function PeopleField({ label, name, hint, value = '', most = 1 / 0, ...more }: PeopleFieldProps) {
  const { takesAddresses = false, required = true, autoFocus = false } = more;
  const [picked, setPicked] = useState<readonly Choice[]>(value === '' ? [] : [{ key: value }]);
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<readonly Choice[]>([]);
  const [index, setIndex] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const id = `field-${name}`;
  const isFull = picked.length >= most;

  // After a dialog has focused its first field.
  useEffect(() => {
    if (autoFocus) field.current?.focus();
  }, []);
  const show = (suggestions: readonly Choice[], text: string) => {
    // Enter sends the form if the whole name was typed.
    const isWhole = suggestions.some(({ key }) => key === text.trim().toLowerCase());
    // Then a list of this name alone would only cover the button below the field.
    setFound(isWhole && suggestions.length === 1 ? [] : suggestions);
    setIndex(suggestions.length > 0 && !isWhole ? 0 : -1);
  };
  const close = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    show([], '');
  };
  const write = (text: string) => {
    setTyped(text);
    if (field.current) field.current.value = text;
  };
  const add = (some: readonly Choice[]) => {
    const fresh = some.filter(({ key }, at) => [...picked, ...some.slice(0, at)].every((other) => other.key !== key));
    setPicked([...picked, ...fresh].slice(0, most));
  };
  const pick = (one: Choice | undefined) => {
    if (!one) return;
    add([one]);
    write('');
    close();
  };
  const look = () => {
    const text = field.current?.value ?? '';
    const { done, rest } = splitTyped(text);
    field.current?.setCustomValidity('');
    if (done.length > 0) {
      add(done.map((key) => found.find((one) => one.key === key) ?? { key }));
      write(rest);
    } else setTyped(text);
    clearTimeout(timer.current);
    const part = rest.trim().replace(/^@/, '');
    if (part === '') return close();
    // Enter must not pick somebody who was found for an earlier text.
    show(
      found.filter(({ key, person = { username: key } }) => matchesPerson(person, part)),
      part,
    );
    timer.current = setTimeout(async () => {
      const asked = timer.current;
      const people = await findPeople(part);
      // The person may have typed on, or left the field.
      if (asked !== timer.current) return;
      const known = people.filter(({ username }) => picked.every(({ key }) => key !== username));
      const suggestions = known.slice(0, mostSuggested).map((person) => ({ key: person.username, person }));
      show(takesAddresses && isAddress(part) ? [...suggestions, { key: part }] : suggestions, part);
    }, pauseMs);
  };
  const remove = (key: string) => {
    setPicked(picked.filter((one) => one.key !== key));
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const { key } = event;
    if (isComposing(event)) return;
    const next = found.length > 0 ? stepThrough(key, index, found.length) : undefined;
    if (next !== undefined) setIndex(next);
    else if (key === 'Escape' && found.length > 0) close();
    else if ((key === 'Enter' || key === 'Tab') && index >= 0) pick(found[index]);
    else if (key === 'Backspace' && field.current?.value === '' && picked.length > 0) setPicked(picked.slice(0, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isOpen = found.length > 0;
  return (
    <div class="field people-field">
      <label for={id}>{label}</label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press beside the field is one on it */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys */}
      <div
        class="people-box"
        onClick={({ target }) => target instanceof HTMLElement && !target.closest('li') && field.current?.focus()}
      >
        <Chips picked={picked} onRemove={remove} />
        <input
          id={id}
          ref={field}
          type="text"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          // Not disabled: Backspace must still remove the one person.
          readOnly={isFull}
          required={required && picked.length === 0}
          placeholder={
            picked.length === 0 ? (takesAddresses ? laterStrings.peopleField.orAddress : laterStrings.peopleField.name) : ''
          }
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onInvalid={({ currentTarget }) => currentTarget.setCustomValidity(strings.fields.missing)}
          onInput={look}
          onKeyDown={onKey}
          onBlur={close}
          role="combobox"
          aria-expanded={isOpen}
          aria-autocomplete="list"
          aria-controls={`${id}-found`}
          aria-activedescendant={isOpen && index >= 0 ? `${id}-${index}` : undefined}
        />
        {/* After the field, which gets the focus of a dialog. It also shows the dialog that something was picked. */}
        <input name={name} hidden readOnly value={[...picked.map(({ key }) => key), ...namesIn(typed)].join(' ')} />
      </div>
      {isOpen && <PeopleOptions id={id} found={found} index={index} onPick={pick} />}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}
