import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { strings } from '../../i18n/strings.ts';
import { Failure, sentenceOf } from '../../service/api.ts';
import { nameOf, type Person, type Status } from '../../store/people/names.ts';
import { Icon, type IconName } from './icon.tsx';

type IconButtonProps = {
  icon: IconName;
  label: string;
  onPress?: (event: MouseEvent) => void;
  isPressed?: boolean;
  class?: string;
  type?: 'button' | 'submit';
};

/** An icon button. Its name is there for screen readers, and as a tooltip. */
export const IconButton = ({ icon, label, onPress, isPressed, class: extra = '', type = 'button' }: IconButtonProps) => (
  <button type={type} class={`icon-button ${extra}`} aria-label={label} title={label} aria-pressed={isPressed} onClick={onPress}>
    <Icon name={icon} />
  </button>
);

/** The link back to the rooms, if they are not beside. */
export const BackLink = () => (
  <a class="icon-button back" href="/" aria-label={strings.app.back}>
    <Icon name="back" />
  </a>
);

/** The name of a person, with the username as a tooltip of a full name. Programs are marked. */
export const PersonName = ({ person, class: extra }: { person: Person; class?: string }) => (
  <>
    <bdi class={extra} title={person.name === undefined || person.is_bot ? undefined : `@${person.username}`}>
      {nameOf(person)}
    </bdi>
    <BotMark person={person} />
  </>
);

const BotMark = ({ person }: { person: Person }) =>
  person.is_bot && (
    <>
      {' '}
      <small class="tag">{strings.message.bot}</small>
    </>
  );

/** The name of a person in a list, with a note beside it and the username below a full name. */
export const PersonNames = ({ person, children }: { person: Person; children?: ComponentChildren }) => (
  <>
    <bdi>{nameOf(person)}</bdi>
    <BotMark person={person} />
    {children}
    {person.name !== undefined && (
      <small class="muted username">
        {' '}
        <bdi>@{person.username}</bdi>
      </small>
    )}
  </>
);

/**
 * The emoji of a status after a name. The text of the status is there for screen readers, and as a
 * tooltip.
 */
export const StatusMark = ({ status }: { status: Status | undefined }) =>
  status ? (
    <>
      {' '}
      <span role="img" title={status.text} aria-label={status.text || status.emoji}>
        {status.emoji ?? '💬'}
      </span>
    </>
  ) : null;

/** Runs the action of a button and shows a failure; returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (failure) {
    notice(sentenceOf(failure));
    return false;
  }
}

/** The reason for a failure, if there is one. Screen readers announce it. */
export const Problem = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );

type FormProps = {
  /** Does it; what it throws is shown. */
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  submit: string;
  children?: ComponentChildren;
  class?: string;
  onCancel?: () => void;
  cancel?: string;
  /** The notice if the form is sent too early; undefined if it can be sent now. */
  early?: string | undefined;
};

/** A form that says what went wrong, and can't be sent twice at a time. */
export function Form({ onSubmit, submit, children, class: extra = '', onCancel, cancel = strings.app.cancel, early }: FormProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (early !== undefined) notice(early);
    if (isBusy || early !== undefined) return;
    const form = event.currentTarget as HTMLFormElement;
    setFailure(undefined);
    setBusy(true);
    try {
      const values = [...new FormData(form)].map(([name, value]) => [name, String(value)] as const);
      await onSubmit(Object.fromEntries(values));
    } catch (problem) {
      setFailure(sentenceOf(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class={`form ${extra}`} onSubmit={(event) => void send(event)} aria-busy={isBusy}>
      {children}
      <Problem text={failure} />
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy} aria-disabled={early !== undefined || undefined}>
          {submit}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {cancel}
          </button>
        )}
      </div>
    </form>
  );
}

type FieldProps = {
  label: string;
  name: string;
  hint?: string;
  type?: string;
  value?: string;
  autocomplete?: string;
  autocapitalize?: 'words' | 'sentences';
  inputmode?: 'numeric';
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  /** The error if the pattern does not match. */
  fault?: string;
  autoFocus?: boolean;
  readonly?: boolean;
  onInput?: (element: HTMLInputElement) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  onBlur?: () => void;
  role?: 'combobox';
  'aria-expanded'?: boolean;
  'aria-autocomplete'?: 'list';
  'aria-controls'?: string;
  'aria-activedescendant'?: string | undefined;
};

/** A field with its label, and a hint. */
export function Field({ label, name, hint, fault, autoFocus = false, required = true, value, onInput, ...rest }: FieldProps) {
  const id = `field-${name}`;
  const focus = (element: HTMLInputElement | null) => {
    if (autoFocus && element && !element.dataset.seen) {
      element.dataset.seen = 'yes';
      element.focus();
    }
  };
  const [isShown, setShown] = useState(false);
  const isSecret = rest.type === 'password';
  const input = (
    <input
      id={id}
      name={name}
      ref={focus}
      required={required}
      defaultValue={value}
      aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      autocapitalize="none"
      spellcheck={false}
      onInvalid={({ currentTarget }) => sayFault(currentTarget, fault)}
      onInput={({ currentTarget }) => {
        currentTarget.setCustomValidity('');
        onInput?.(currentTarget);
      }}
      {...(rest as object)}
      {...(isSecret && isShown && { type: 'text' })}
    />
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isSecret ? (
        <span class="secret">
          {input}
          <IconButton
            icon={isShown ? 'eyeOff' : 'eye'}
            label={strings.fields.show}
            isPressed={isShown}
            onPress={() => setShown(!isShown)}
          />
        </span>
      ) : (
        input
      )}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

type CheckProps = { label: string; isChecked: boolean; onChange: (isChecked: boolean) => unknown };

/** A checkbox whose change takes effect at once. */
export const Check = ({ label, isChecked, onChange }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={isChecked} onChange={({ currentTarget }) => void onChange(currentTarget.checked)} /> {label}
  </label>
);

/** Has the browser say in words of the page's own why it sends no form. */
function sayFault(element: HTMLInputElement, fault = strings.fields.other): void {
  const { valueMissing, typeMismatch, tooShort } = element.validity;
  if (valueMissing) element.setCustomValidity(strings.fields.missing);
  else if (typeMismatch) element.setCustomValidity(strings.fields.email);
  else if (tooShort) element.setCustomValidity(strings.fields.short(element.minLength));
  else element.setCustomValidity(fault);
}

/**
 * After how long what could not be read is tried again, in seconds, unless the service asks for
 * longer.
 */
const leastPause = 3;

/**
 * Shows that something is loading, or why it failed, with a retry button. A temporary failure is
 * retried automatically, once for each failure, so that attempts do not overlap.
 */
export function Loading({ failure, onRetry }: { failure?: unknown; onRetry?: () => void }) {
  useEffect(() => {
    if (!onRetry || !(failure instanceof Failure && failure.isTemporary)) return;
    const timer = setTimeout(onRetry, Math.max(leastPause, failure.retryAfter ?? 0) * 1_000);
    return () => clearTimeout(timer);
  }, [failure]);
  if (failure === undefined)
    return (
      <p class="loading" role="status">
        <span class="visually-hidden">{strings.app.loading}</span>
        <span class="dots" aria-hidden="true" />
      </p>
    );
  return (
    <div class="loading" role="alert">
      <p>{sentenceOf(failure)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {strings.app.retry}
        </button>
      )}
    </div>
  );
}

type ChoiceProps<T> = {
  name: string;
  label: string;
  choices: readonly T[];
  chosen: T;
  shown: (choice: T) => string;
  /** For one that no form sends. */
  onChange?: (choice: T) => Promise<unknown>;
};

/** A field that has one of a few values. */
export const Choice = <T extends string | number>({ name, label, choices, chosen, shown, onChange }: ChoiceProps<T>) => (
  <label class="field">
    {label}
    <select name={name} onChange={({ currentTarget }) => void onChange?.(choices[currentTarget.selectedIndex] as T)}>
      {choices.map((choice) => (
        <option key={choice} value={choice} selected={choice === chosen}>
          {shown(choice)}
        </option>
      ))}
    </select>
  </label>
);
