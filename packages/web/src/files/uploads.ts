import { signal } from '@preact/signals';
import { parseJson } from 'chat-service-rules/objects';
import { laterStrings } from '../i18n/strings-later.ts';
import { ask, bearer, chat, Failure, randomKey, sentenceOf } from '../service/api.ts';
import type { UnsentFile } from '../store/kept.ts';
import { changeEntry, outbox } from '../store/unsent/outbox.ts';
import type { PendingMessage } from '../store/unsent/pending.ts';

/** The uploaded part of each message's files, by its key. */
export const progress = signal<Readonly<Record<string, number>>>({});

/**
 * Uploads the files of a message, each once: those that the service has are noted with the message.
 * Throws a `Failure`.
 */
export async function upload(entry: PendingMessage): Promise<void> {
  const { files = [] } = entry;
  const whole = files.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const tell = (part: number) => {
    progress.value = { ...progress.value, [entry.key]: whole === 0 ? 1 : Math.min(1, (done + part) / whole) };
  };
  for (const file of files) {
    // The user has taken the message back, or discarded it.
    if (!waitingEntry(entry)) return;
    tell(0);
    if (file.uploaded === undefined) {
      const uploaded = await uploadFile(entry, file, tell).catch((failure) =>
        // An upload that the user ended says nothing about the service.
        waitingEntry(entry) ? explained(entry, failure) : undefined,
      );
      const known = waitingEntry(entry);
      if (!known) return;
      await changeFiles(
        entry,
        (known.files ?? []).map((one) => (one.key === file.key ? { ...one, uploaded } : one)),
      );
    }
    done += file.size;
  }
  tell(0);
}

/** The message as it is now; undefined if it was withdrawn. */
const waitingEntry = (entry: PendingMessage) => outbox.value.find(({ id }) => id === entry.id) as PendingMessage | undefined;

const changeFiles = ({ id }: PendingMessage, files: readonly UnsentFile[]) =>
  changeEntry(id, { files } as Partial<PendingMessage>);

/**
 * Forgets that files were uploaded: the service no longer has them. The failure that it returns has
 * them uploaded again later.
 */
export async function startOver(entry: PendingMessage): Promise<Failure> {
  await changeFiles(
    entry,
    (entry.files ?? []).map((file) => ({ ...file, key: randomKey(), uploaded: undefined })),
  );
  return new Failure(0, '');
}

async function explained(entry: PendingMessage, failure: unknown): Promise<never> {
  if (!(failure instanceof Failure)) throw failure;
  // Announced more than a day ago, or cut off.
  if (failure.code === 'file_not_found') throw await startOver(entry);
  if (failure.code === 'upload_broken') throw new Failure(0, '');
  const sentence = laterStrings.files.refused[failure.code as keyof typeof laterStrings.files.refused];
  throw new Failure(failure.status, sentence ?? sentenceOf(failure), failure.retryAfter, failure.code);
}

/** Announces a file and uploads it; resolves to its id. A repeated key gets the first answer. */
async function uploadFile(entry: PendingMessage, file: UnsentFile, tell: (part: number) => void): Promise<string> {
  const { key, name, type, size, sha256, width, height, alt, preview } = file;
  const small = preview && { type: preview.bytes.type as 'image/webp', size: preview.bytes.size, sha256: preview.sha256 };
  const measured = width !== null && height !== null && { width, height };
  const body = { room: entry.room, name, type, size, sha256, ...measured, ...(alt && { alt }), ...(small && { preview: small }) };
  const announcement = ask(chat.POST('/api/files', { params: { header: { 'Idempotency-Key': key } }, body }));
  const before = announcements.get(key);
  // A repetition may fail although the first one has announced the file.
  announcements.set(
    key,
    announcement.then(
      ({ _id }) => _id.$oid,
      () => before,
    ),
  );
  const { _id, upload, preview_upload } = await announcement;
  if (preview && preview_upload) await uploadBytes(preview_upload, preview.bytes, entry);
  await uploadBytes(upload, file.bytes, entry, tell);
  return _id.$oid;
}

/** The ids of the files that this page announced, by their keys; undefined if none was. */
const announcements = new Map<string, Promise<string | undefined>>();

/**
 * Deletes uploaded files that are not sent after all. If a request is lost, the service deletes the
 * file after a day.
 */
export function withdraw(files: readonly UnsentFile[]): void {
  for (const file of files) deleteFile(file).catch(() => {});
}

async function deleteFile({ key, uploaded }: UnsentFile): Promise<void> {
  const file = uploaded ?? (await announcements.get(key));
  if (file !== undefined) await ask(chat.DELETE('/api/files/{file}', { params: { path: { file } } }));
}

/** A request without progress for this long is aborted. */
const longestSilenceMs = 30_000;

type Upload = { method: string; url: string; headers: Record<string, unknown> };

/** Sends bytes, unless the message is withdrawn. `fetch` does not report progress. */
async function uploadBytes(
  { method, url, headers }: Upload,
  bytes: Blob,
  entry: PendingMessage,
  tell = (_part: number) => {},
): Promise<void> {
  if (!waitingEntry(entry)) throw new Failure(0, '');
  const request = new XMLHttpRequest();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => request.abort(), longestSilenceMs);
  };
  const unsubscribe = outbox.subscribe(() => {
    if (!waitingEntry(entry)) request.abort();
  });
  return new Promise<void>((resolve, reject) => {
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, String(value));
    const isOwn = url.startsWith('/');
    // Do not send the session to another origin.
    if (bearer.token !== undefined && isOwn) request.setRequestHeader('X-Auth-Token', bearer.token);
    request.upload.onprogress = ({ loaded }) => {
      wait();
      tell(loaded);
    };
    request.onload = () => {
      const code = codeOf(request.responseText);
      // Another origin does not let a page read it.
      const retryAfter = Number((isOwn && request.getResponseHeader('Retry-After')) || Number.NaN);
      // It came, and its answer was lost.
      if (request.status < 300 || code === 'file_sent') resolve();
      else reject(new Failure(request.status, '', retryAfter >= 0 ? retryAfter : undefined, code));
    };
    request.onerror = request.onabort = () => reject(new Failure(0, ''));
    wait();
    request.send(bytes);
  }).finally(() => {
    clearTimeout(timer);
    unsubscribe();
  });
}

const codeOf = (answer: string) => (parseJson(answer) as { code?: string } | null | undefined)?.code;
