import { useEffect, useRef, useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { collectMyData, type Progress } from '../../files/own-data.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { attempt } from '../shared/controls.tsx';

/** Collects all that the service has of me into a file. */
export function OwnData() {
  const [progress, setProgress] = useState<Progress>();
  const collecting = useRef<AbortController>(undefined);
  useEffect(() => () => collecting.current?.abort(), []);
  const download = async () => {
    const ending = new AbortController();
    collecting.current = ending;
    setProgress({ rooms: 0, done: 0, messages: 0 });
    await attempt(async () => {
      try {
        save(await collectMyData({ signal: ending.signal, onProgress: setProgress }));
        notice(laterStrings.ownData.done);
      } catch (failure) {
        if (!ending.signal.aborted) throw failure;
      }
    });
    setProgress(undefined);
  };
  return progress ? (
    <>
      <p>{laterStrings.ownData.progress(progress.done, progress.rooms, progress.messages)}</p>
      <progress value={progress.done} max={Math.max(progress.rooms, 1)} aria-label={laterStrings.ownData.submit} />
      <button type="button" onClick={() => collecting.current?.abort()}>
        {strings.app.cancel}
      </button>
    </>
  ) : (
    <button type="button" onClick={() => void download()}>
      {laterStrings.ownData.submit}
    </button>
  );
}

function save(bytes: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = `chat-${me().username}-${new Date().toISOString().slice(0, 10)}.ndjson`;
  link.click();
  // The browser has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
