import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { strings } from '../strings.ts';
import { IconButton } from './controls.tsx';

/** The one dialog that is open. */
const open = signal<{ title: string; content: (close: () => void) => ComponentChildren; isNarrow: boolean } | undefined>(
  undefined,
);

/** Opens a dialog. */
export function openDialog(title: string, content: (close: () => void) => ComponentChildren, { isNarrow = true } = {}): void {
  open.value = { title, content, isNarrow };
}

/** Closes it. */
const closeDialog = (): void => {
  open.value = undefined;
};

/** Asks; resolves to whether the answer is yes. `label` says what yes does. */
export const confirmed = (question: string, label: string): Promise<boolean> =>
  new Promise((resolve) => {
    openDialog(question, (close) => {
      const answer = (yes: boolean) => () => {
        resolve(yes);
        close();
      };
      return (
        <div class="row">
          <button type="button" class="danger" onClick={answer(true)}>
            {label}
          </button>
          <button type="button" onClick={answer(false)}>
            {strings.app.cancel}
          </button>
        </div>
      );
    });
  });

/** Where the open dialog is shown. */
export function Dialogs() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value } = open;
  useLayoutEffect(() => {
    if (value && !dialog.current?.open) dialog.current?.showModal();
  }, [value]);
  if (!value) return null;
  const dismiss = (event: MouseEvent) => {
    if (event.target === dialog.current) closeDialog();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      class={value.isNarrow ? 'narrow' : ''}
      aria-labelledby="dialog-title"
      onClose={closeDialog}
      onClick={dismiss}
    >
      <div class="dialog-content">
        <header>
          <h2 id="dialog-title">{value.title}</h2>
          <IconButton icon="close" label={strings.app.close} onPress={closeDialog} />
        </header>
        {value.content(closeDialog)}
      </div>
    </dialog>
  );
}
