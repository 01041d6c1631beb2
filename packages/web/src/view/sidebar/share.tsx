import { useEffect, useState } from 'preact/hooks';
import { go, roomPath } from '../../device/routes.ts';
import { attach } from '../../files/files.ts';
import { takeShared } from '../../files/share-target.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import type { MyRoom } from '../../store/kept.ts';
import { draftOf, keepDraft, placeOf } from '../../store/unsent/drafts.ts';
import { openDialog } from '../shared/dialog.tsx';
import { Switcher } from './switcher.tsx';

type SharedContent = Awaited<ReturnType<typeof takeShared>>;

/**
 * The page for content that another app shares with the installed page. It asks for a room, and
 * does not send yet.
 */
export function Share() {
  const [shared, setShared] = useState<SharedContent>();
  const { share: words } = laterStrings;
  const isEmpty = shared !== undefined && shared.text === '' && shared.files.length === 0;
  const choose = (some: SharedContent) =>
    openDialog(words.to, (close) => <Switcher close={close} onPick={(room) => putInto(room, some)} />, undefined, {
      isTitleHidden: true,
    });
  useEffect(() => {
    void takeShared().then((taken) => {
      setShared(taken);
      if (taken.text !== '' || taken.files.length > 0) choose(taken);
    });
  }, []);
  if (!shared) return null;
  return (
    <main class="pane home">
      <h1>{isEmpty ? words.nothing : words.to}</h1>
      {isEmpty ? (
        <>
          <p class="muted">{words.again}</p>
          <a class="button primary" href="/">
            {words.back}
          </a>
        </>
      ) : (
        <button type="button" class="primary" onClick={() => choose(shared)}>
          {words.choose}
        </button>
      )}
    </main>
  );
}

function putInto({ id }: MyRoom, { text, files }: SharedContent): void {
  const place = placeOf(id);
  keepDraft(place, [draftOf(place), text].filter(Boolean).join('\n'));
  go(roomPath(id), { replace: true });
  if (files.length > 0) void attach(place, files);
}
