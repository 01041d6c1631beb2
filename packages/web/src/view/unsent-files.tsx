import { focusComposer } from '../attach.ts';
import type { UnsentFile } from '../store/kept.ts';
import { onTheirWay } from '../store/outbox.ts';
import type { PendingMessage } from '../store/pending.ts';
import { setTray, trayOf } from '../store/tray.ts';
import { laterStrings } from '../strings-later.ts';
import { progress } from '../sync/uploads.ts';
import { safeName } from '../text/names.ts';
import { sizeOf } from '../text/sizes.ts';
import { IconButton } from './controls.tsx';
import { Drawn } from './drawn.tsx';
import { FileBoxes, kindOf } from './file-boxes.tsx';
import { FileRow } from './files.tsx';
import { Icon } from './icon.tsx';
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
          kindOf(file) === 'picture' ? <Drawn bytes={file.preview?.bytes ?? file.bytes} /> : <FileRow file={file} />
        }
      />
      {entry.state === 'waiting' && !isWhole && (
        <p class="state">
          {isSending && <progress aria-label={laterStrings.files.sending} value={progress.value[entry.key] ?? 0} />}
          <button type="button" onClick={onCancel}>
            {laterStrings.files.cancel}
          </button>
        </p>
      )}
    </>
  );
}

/** What goes with the next message. */
export function Tray({ place }: { place: string }) {
  const items = trayOf(place);
  const remove = (removed: string) => {
    setTray(
      place,
      items.filter(({ key }) => key !== removed),
    );
    focusComposer(place);
  };
  return (
    <ul class="tray" aria-label={laterStrings.files.tray}>
      {items.map(({ key, name, size, file }) => (
        <li key={key}>
          {file && kindOf(file) === 'picture' ? <Drawn bytes={file.preview?.bytes ?? file.bytes} /> : <Icon name="file" />}
          <span class="file-name">
            <bdi title={safeName(name)}>{safeName(name)}</bdi>
            <small class="muted">{file ? sizeOf(size) : laterStrings.files.preparing}</small>
          </span>
          <IconButton icon="close" label={laterStrings.files.remove(safeName(name))} onPress={() => remove(key)} />
        </li>
      ))}
    </ul>
  );
}
