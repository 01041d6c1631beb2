import { notice } from '../../device/announcer.tsx';
import { copyText } from '../../device/clipboard.ts';
import { strings } from '../../i18n/strings.ts';
import { openDialog } from './dialog.tsx';

/**
 * Copies a text, which may be a promise; `done` announces it. If the browser refuses, as over plain
 * http or without the permission, it opens a field to copy from. Resolves to true if it was copied.
 */
export async function copyOut(text: string | Promise<string>, done?: string): Promise<boolean> {
  const isCopied = await copyText(text);
  if (!isCopied) openField(await text);
  else if (done !== undefined) notice(done);
  return isCopied;
}

function openField(text: string): void {
  openDialog(strings.message.copyYourself, (close) => (
    <>
      <textarea
        class="to-copy"
        readOnly
        rows={Math.min(8, text.split('\n').length)}
        onFocus={({ currentTarget }) => currentTarget.select()}
      >
        {text}
      </textarea>
      <div class="row">
        <button type="button" onClick={close}>
          {strings.app.close}
        </button>
      </div>
    </>
  ));
}
