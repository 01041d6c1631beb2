import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { strings } from '../strings.ts';
import { IconButton } from './controls.tsx';

/** The one dialog that is open. */
const open = signal<{ title: string; content: Content; onClose: (() => void) | undefined } | undefined>(undefined);

type Content = (close: () => void) => ComponentChildren;

/** Opens a dialog; `onClose` is told when it is closed, however that happens. */
export function openDialog(title: string, content: Content, onClose?: () => void): void {
  open.value = { title, content, onClose };
}

/** Closes it; the browser gives the focus back to where it was. */
function closeDialog(): void {
  document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
  closed();
}

function closed(): void {
  const { value } = open;
  open.value = undefined;
  value?.onClose?.();
}

/** Asks; resolves to whether the answer is yes. `label` says what yes does. */
export const confirmed = (question: string, label: string): Promise<boolean> =>
  new Promise((resolve) => {
    openDialog(
      question,
      (close) => {
        const answer = () => {
          resolve(true);
          close();
        };
        return (
          <div class="row">
            <button type="button" class="danger" onClick={answer}>
              {label}
            </button>
            <button type="button" onClick={close}>
              {strings.app.cancel}
            </button>
          </div>
        );
      },
      () => resolve(false),
    );
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
      aria-labelledby="dialog-title"
      // Told a little later: another one may be open by then.
      onClose={() => !dialog.current?.open && closed()}
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
