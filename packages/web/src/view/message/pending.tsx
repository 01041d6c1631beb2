import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import { connection } from '../../store/connection.ts';
import type { Entry, UnsentFile } from '../../store/kept.ts';
import { draftOf, keepDraft, placeOf } from '../../store/unsent/drafts.ts';
import { waitOf } from '../../store/unsent/due.ts';
import { onTheirWay, removeEntry, retryEntry } from '../../store/unsent/outbox.ts';
import type { PendingMessage } from '../../store/unsent/pending.ts';
import { setTray, trayOf } from '../../store/unsent/tray.ts';
import { sendOutbox } from '../../sync/sender.ts';
import { FileBoxes } from '../files/file-boxes.tsx';
import { Avatar } from '../people/avatar.tsx';
import { PersonName } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';
import { forComposer } from '../text/for-composer.ts';
import { Text } from '../text/markdown.tsx';

type PendingFilesProps = { files: readonly UnsentFile[]; entry: PendingMessage; onCancel: () => void };

const PendingFiles = later<PendingFilesProps>(async () => (await import('../files/unsent-files.tsx')).PendingFiles, FileBoxes);

/** A message that is still to be sent: it looks like one, and says why it is not yet. */
export function PendingRow({ entry }: { entry: PendingMessage }) {
  const user = me();
  const { files = [] } = entry;
  return (
    <li class={`message pending ${entry.state}`} data-key={entry.key}>
      <Avatar person={user} id={idOf(user)} />
      <div class="body">
        <p class="meta">
          <PersonName person={user} class="author" />
        </p>
        <Text message={{ mentions: [], mentions_all: null }} text={entry.text} />
        {files.length > 0 && <PendingFiles files={files} entry={entry} onCancel={() => void takeBack(entry)} />}
        <EntryState entry={entry} />
      </div>
    </li>
  );
}

/** Moves an unsent message back to its editor. */
async function takeBack(entry: Entry & { kind: 'send' | 'edit' }): Promise<void> {
  const place = placeOf(entry.room, (entry.kind === 'send' && entry.thread) || undefined);
  const text = [draftOf(place), entry.text].filter(Boolean).join('\n');
  keepDraft(place, text);
  forComposer.value = { place, change: (editor) => editor.replace(text) };
  const files = (entry.kind === 'send' && entry.files) || [];
  setTray(place, [...trayOf(place), ...files.map((file) => ({ ...file, file, ready: Promise.resolve(file) }))]);
  await removeEntry(entry.id);
}

async function discard(entry: Entry): Promise<void> {
  await removeEntry(entry.id);
  if (entry.kind === 'send' && entry.files) (await import('../../files/uploads.ts')).withdraw(entry.files);
}

/** The state of something that is still to be done, and what the user may do about it. */
export function EntryState({ entry }: { entry: Entry }) {
  const retry = () => void retryEntry(entry.id).then(sendOutbox);
  if (entry.state === 'refused')
    return (
      <div class="state refused" role="status">
        <span>{refusalOf(entry)}</span>
        {entry.kind === 'edit' && <blockquote class="unsaved">{entry.text}</blockquote>}
        <button type="button" onClick={retry}>
          {retryLabelOf(entry)}
        </button>
        {(entry.kind === 'send' || entry.kind === 'edit') && (
          <button type="button" onClick={() => void takeBack(entry)}>
            {strings.message.edit}
          </button>
        )}
        <button type="button" onClick={() => void discard(entry)}>
          {strings.app.discard}
        </button>
      </div>
    );
  const isOnItsWay = onTheirWay.value.has(entry.key);
  if (isOnItsWay || !entry.reason)
    return (
      <p class="state">
        <span class="dots" aria-hidden="true" />
        <span class="visually-hidden">{entry.kind === 'send' ? strings.outbox.sending : strings.outbox.saving}</span>
      </p>
    );
  return <Waiting entry={entry} onRetry={retry} />;
}

function retryLabelOf({ reason }: Entry): string {
  if (reason?.kind === 'changed') return strings.outbox.overwrite;
  // An edit of a deleted message has become a new message.
  return reason?.kind === 'gone' ? strings.composer.send : strings.app.retry;
}

function refusalOf({ reason }: Entry): string {
  if (reason?.kind === 'changed' || reason?.kind === 'gone') return strings.outbox[reason.kind];
  return strings.outbox.refused(reason?.kind === 'said' ? reason.sentence : strings.app.failed);
}

function Waiting({ entry, onRetry }: { entry: Entry; onRetry: () => void }) {
  const seconds = Math.ceil(waitOf(entry) / 1_000);
  return (
    <p class="state waiting">
      <Icon name="offline" />
      <span>
        {entry.reason?.kind === 'limited'
          ? strings.outbox.limited(seconds)
          : connection.value === 'unreachable'
            ? strings.outbox.unreachable(settings.name, seconds)
            : strings.outbox.waiting(seconds)}
      </span>
      <button type="button" onClick={onRetry}>
        {strings.app.retry}
      </button>
    </p>
  );
}
