import { isComposing } from '../../device/keyboard.ts';
import { focusComposer } from '../../files/attach.ts';
import { progress, withdraw } from '../../files/uploads.ts';
import { sizeOf } from '../../i18n/sizes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { randomKey } from '../../service/api.ts';
import type { UnsentFile } from '../../store/kept.ts';
import { onTheirWay } from '../../store/unsent/outbox.ts';
import type { PendingMessage } from '../../store/unsent/pending.ts';
import { setTray, type TrayItem, trayOf } from '../../store/unsent/tray.ts';
import { safeName } from '../../text/names.ts';
import { IconButton } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { Drawn } from './drawn.tsx';
import { FileBoxes, kindOf } from './file-boxes.tsx';
import { FileRow } from './files.tsx';
import './unsent-files.css';

/** The files of a message that is still to be sent, and how many of their bytes the service has. */
export function PendingFiles({
  files,
  entry,
  onCancel,
}: {
  files: readonly UnsentFile[];
  entry: PendingMessage;
  onCancel: () => void;
}) {
  const isSending = onTheirWay.value.has(entry.key);
  const isWhole = files.every(({ uploaded }) => uploaded !== undefined);
  return (
    <>
      <FileBoxes
        files={files}
        content={(file) =>
          kindOf(file) === 'picture' ? (
            <Drawn bytes={file.preview?.bytes ?? file.bytes} alt={file.alt} />
          ) : (
            <FileRow file={file} />
          )
        }
      />
      {entry.state === 'waiting' && !isWhole && (
        <p class="state">
          {isSending && <progress aria-label={laterStrings.files.sending} value={progress.value[entry.key] ?? 0} />}
          <button type="button" onClick={onCancel}>
            {strings.app.cancel}
          </button>
        </p>
      )}
    </>
  );
}

/** The files of the next message. */
export function Tray({ place }: { place: string }) {
  const items = trayOf(place);
  const remove = ({ key: removed, file }: TrayItem) => {
    setTray(
      place,
      items.filter(({ key }) => key !== removed),
    );
    if (file) withdraw([file]);
    focusComposer(place);
  };
  const describe = (described: TrayItem, file: UnsentFile, alt: string) => {
    withdraw([file]);
    // A file with another description is announced as another file.
    const changed = { ...file, alt, key: randomKey(), uploaded: undefined };
    setTray(
      place,
      items.map((item) => (item === described ? { ...item, file: changed, ready: Promise.resolve(changed) } : item)),
    );
  };
  return (
    <ul class="tray" aria-label={laterStrings.files.tray}>
      {items.map((item) => {
        const { key, name, size, file } = item;
        const isPicture = file !== undefined && kindOf(file) === 'picture';
        return (
          <li key={key}>
            {isPicture ? <Drawn bytes={file.preview?.bytes ?? file.bytes} alt={file.alt} /> : <Icon name="file" />}
            <span class="file-name">
              <bdi title={safeName(name)}>{safeName(name)}</bdi>
              <small class="muted">{file ? sizeOf(size) : laterStrings.files.preparing}</small>
              {isPicture && (
                <input
                  aria-label={laterStrings.files.describe(safeName(name))}
                  placeholder={laterStrings.files.description}
                  maxLength={500}
                  value={file.alt ?? ''}
                  onInput={({ currentTarget }) => describe(item, file, currentTarget.value)}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter' || isComposing(event)) return;
                    event.preventDefault();
                    focusComposer(place);
                  }}
                />
              )}
            </span>
            <IconButton icon="close" label={laterStrings.files.remove(safeName(name))} onPress={() => remove(item)} />
          </li>
        );
      })}
    </ul>
  );
}
