import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isComposing } from '../../device/keyboard.ts';
import { steps } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { IconButton } from './controls.tsx';
import { rememberFocus } from './focus.ts';
import { closePopover, Popovers } from './popover.tsx';

/** The one dialog that is open. */
const open = signal<(Look & { title: string; content: Content; onClose: (() => void) | undefined }) | undefined>(undefined);

/** A full dialog fills the page. A hidden title is read by screen readers only. */
type Look = { isFull: boolean; isTitleHidden: boolean };

let giveFocusBack = () => {};

/** True while the open dialog asks whether to discard the typed text. */
const isAsking = signal(false);

type Content = (close: () => void) => ComponentChildren;

/** Opens a dialog, in place of an open one. `onClose` is called however it is closed. */
export function openDialog(
  title: string,
  content: Content,
  onClose?: () => void,
  { isFull = false, isTitleHidden = false }: Partial<Look> = {},
): void {
  const { value: before } = open;
  if (!before) giveFocusBack = rememberFocus();
  isAsking.value = false;
  open.value = { title, content, onClose, isFull, isTitleHidden };
  before?.onClose?.();
}

/** Closes the dialog. */
function closeDialog(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
  closed();
}

/** Closes the dialog, or asks first if something was typed into it. */
function dismiss(): void {
  // The harmless answer is to continue.
  if (isAsking.value) isAsking.value = false;
  else if (isTyped()) isAsking.value = true;
  else closeDialog();
}

/** True if a field of a form was changed. Search fields are not in a form, so they do not count. */
const isTyped = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement>('dialog[open] form :is(input, textarea)')].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
  );

function closed(): void {
  const { value } = open;
  isAsking.value = false;
  open.value = undefined;
  // Otherwise the next dialog would show it.
  closePopover({ isFocusKept: true });
  giveFocusBack();
  value?.onClose?.();
}

/**
 * Asks; resolves to whether the answer is yes. `label` says what yes does. Red is what destroys
 * something, and nothing else.
 */
export const confirmed = (question: string, label: string, { isDangerous = false } = {}): Promise<boolean> =>
  new Promise((resolve) => {
    openDialog(
      question,
      (close) => {
        const answer = () => {
          resolve(true);
          close();
        };
        return <Answers no={strings.app.cancel} onNo={close} yes={label} onYes={answer} isDangerous={isDangerous} />;
      },
      () => resolve(false),
    );
  });

/** Opens a dialog that says something, to be read and closed. */
export const openMessage = (title: string, text: string): void =>
  openDialog(title, (close) => (
    <>
      <p>{text}</p>
      <div class="row">
        <button type="button" onClick={close}>
          {strings.app.close}
        </button>
      </div>
    </>
  ));

type AnswersProps = { no: string; onNo: () => void; yes: string; onYes: () => void; isDangerous: boolean };

/** Two answers. The harmless one is first and has the focus: Enter may be pressed by habit. */
export const Answers = ({ no, onNo, yes, onYes, isDangerous }: AnswersProps) => (
  <div class="row">
    <button type="button" onClick={onNo}>
      {no}
    </button>
    <button type="button" class={isDangerous ? 'danger' : 'primary'} onClick={onYes}>
      {yes}
    </button>
  </div>
);

/** The container of the open dialog. */
export function Dialogs() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false);
  const { value } = open;
  const { value: asks } = isAsking;
  useLayoutEffect(() => {
    if (!value || !dialog.current) return;
    if (!dialog.current.open) dialog.current.showModal();
    // By default, the browser focuses the first button, which closes the dialog.
    focusFirst(dialog.current, asks ? '.dialog-ask' : '.dialog-body');
  }, [value, asks]);
  // Going back closes the dialog, but does not answer a question or discard typed text.
  useLayoutEffect(() => {
    steps.mustStay = () => {
      if (isTyped()) isAsking.value = true;
      else closeDialog();
      return isAsking.value;
    };
    addEventListener('beforeunload', (event) => isTyped() && event.preventDefault());
  }, []);
  if (!value) return null;
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return;
    event.preventDefault();
    dismiss();
  };
  return (
    <dialog
      ref={dialog}
      class={value.isFull ? 'full' : ''}
      aria-labelledby="dialog-title"
      // The event is late: by then, another dialog may be open, or none and a menu instead.
      onClose={() => dialog.current?.open === false && closed()}
      onKeyDown={onKey}
      // The back gesture of a phone, which is not a key.
      onCancel={(event) => {
        event.preventDefault();
        dismiss();
      }}
      onPointerDown={({ target }) => {
        isPressedOutside.current = target === dialog.current;
      }}
      // A text may be selected beyond the edge: only what also began outside is a click there. The
      // second click of a double click belongs to the button that opened the dialog.
      onClick={({ target, detail }) => isPressedOutside.current && target === dialog.current && detail < 2 && dismiss()}
    >
      <div class="dialog-content">
        <header>
          <h2 id="dialog-title" class={value.isTitleHidden ? 'visually-hidden' : ''}>
            {value.title}
          </h2>
          <IconButton icon="close" label={strings.app.close} onPress={dismiss} />
        </header>
        <div class="dialog-body" hidden={asks}>
          {value.content(closeDialog)}
        </div>
        {asks && (
          <div class="dialog-ask" role="alert">
            <p>{strings.app.discardAsk}</p>
            <Answers no={strings.app.keepWriting} onNo={dismiss} yes={strings.app.discard} onYes={closeDialog} isDangerous />
          </div>
        )}
      </div>
      <Popovers isInDialog />
    </dialog>
  );
}

/** Focuses the first field in a part of a dialog, or its first button. */
function focusFirst(dialog: HTMLDialogElement, part: string): void {
  const find = (selector: string) => dialog.querySelector<HTMLElement>(`${part} :is(${selector})`);
  (find('input, select, textarea') ?? find('button'))?.focus();
}
