import type { FileOverview } from 'chat-service-client/contract';
import { notice } from '../../device/announcer.tsx';
import { shortOf } from '../../i18n/dates.ts';
import { sizeOf } from '../../i18n/sizes.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf } from '../../store/people/names.ts';
import { safeName } from '../../text/names.ts';
import { Avatar } from '../people/avatar.tsx';
import { attempt, Loading, PersonNames } from '../shared/controls.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { agreed } from './list.tsx';
import { managedPath } from './rooms.tsx';

/** The space for files: the largest files and the top uploaders. */
export function StoredFiles() {
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/overview/files')), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const words = laterStrings.admin.files;
  return (
    <>
      <p class="muted">
        {words.total(sizeOf(value.bytes), sizeOf(value.bytes_limit))} {words.each(sizeOf(value.bytes_per_user))}
      </p>
      <section aria-labelledby="largest">
        <h2 id="largest">{words.largest}</h2>
        {value.files.length === 0 && <p class="muted">{words.none}</p>}
        <ul class="listed">
          {value.files.map((file) => (
            <FileItem key={idOf(file)} file={file} onRemoved={reload} />
          ))}
        </ul>
      </section>
      <section aria-labelledby="senders">
        <h2 id="senders">{words.senders}</h2>
        <ul class="listed">
          {value.users.map((one) => (
            <li key={one.user.$oid} class="card">
              <Avatar person={one} id={one.user.$oid} />
              <div class="body">
                <PersonNames person={one} />
              </div>
              <bdi>{sizeOf(one.bytes)}</bdi>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

type FileItemProps = { file: FileOverview['files'][number]; onRemoved: () => void };

function FileItem({ file, onRemoved }: FileItemProps) {
  const words = laterStrings.admin.files;
  const name = safeName(nameOf(file));
  const size = sizeOf(file.bytes);
  const remove = async () => {
    const effects = [words.removes, laterStrings.admin.people.irreversible];
    if (!(await agreed(words.ask(name), effects, words.remove, { isDangerous: true }))) return;
    await attempt(async () => {
      await ask(chat.DELETE('/api/messages/{message}', { params: { path: { message: file.message.$oid } } }));
      notice(words.removed);
    });
    onRemoved();
  };
  return (
    <li class="card managed">
      <div class="body">
        <bdi>{size}</bdi> <bdi class="muted">{file.type}</bdi>
        <p class="muted">
          {file.room_name === '' ? (
            words.direct
          ) : (
            <a href={managedPath(file.room.$oid)}>
              <bdi>{safeName(file.room_name)}</bdi>
            </a>
          )}{' '}
          · {laterStrings.admin.made.by(name, shortOf(new Date(file.created_at.$date)))}
        </p>
      </div>
      <button type="button" class="dangerous" aria-label={words.removeOf(size, name)} onClick={() => void remove()}>
        {words.remove}
      </button>
    </li>
  );
}
