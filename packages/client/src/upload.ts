import type { Calls, Send } from './calls.ts';
import type { Id } from './contract.ts';
import { ChatError, errorOf, unwrap } from './errors.ts';
import { sha256 } from './sha256.ts';

/** What is said of a file besides its bytes. */
export type UploadSettings = {
  /** The name that others see; that of a `File` otherwise. */
  name?: string;
  width?: number;
  height?: number;
  /** In seconds. */
  duration?: number;
  /** What it shows, for those who can't see it. */
  alt?: string;
  /** A small picture of it: WebP, JPEG or PNG of at most 64 kB. */
  preview?: Blob;
  signal?: AbortSignal;
};

/** Announces a file for a room and uploads its bytes; returns the id that `files` of a message takes. */
export async function upload(calls: Calls, send: Send, room: string, file: Blob, settings: UploadSettings = {}): Promise<Id> {
  const { name = 'name' in file ? String(file.name) : 'file', preview, signal, ...others } = settings;
  const signalled = signal ? { signal } : {};
  const body = {
    room,
    name,
    ...(await announced(file)),
    ...others,
    ...(preview && { preview: await announcedPreview(preview) }),
  };
  const { _id, upload: main, preview_upload: other } = await unwrap(calls.POST('/api/files', { body, ...signalled }));
  const put = ({ url, headers }: Upload, bytes: Blob, query: { preview?: 'true' }) =>
    url.startsWith('/')
      ? unwrap(
          calls.PUT('/api/files/{file}/content', {
            params: { path: { file: _id.$oid }, query },
            body: bytes,
            headers: { 'Content-Type': bytes.type || anyType },
            ...signalled,
          }),
        )
      : putElsewhere(send, url, { headers: headers as Record<string, string>, body: bytes, ...signalled });
  if (preview && other) await put(other, preview, { preview: 'true' });
  await put(main, file, {});
  return _id;
}

type Upload = { url: string; headers: Record<string, unknown> };

/** Sends bytes to an object store, which is told nothing of the session. */
async function putElsewhere(send: Send, url: string, init: RequestInit): Promise<void> {
  const request = new Request(url, { ...init, method: 'PUT', credentials: 'omit', redirect: 'error' });
  const response = await answered(send(request), request);
  await response.body?.cancel();
}

/** Reads a file, or its small picture; where it is in an object store, there. */
export async function download(calls: Calls, send: Send, file: Id, { preview, signal }: DownloadSettings = {}): Promise<Blob> {
  const signalled = signal ? { signal } : {};
  const call = await calls.GET('/api/files/{file}/content', {
    params: { path: { file: file.$oid }, query: preview ? { preview: 'true' } : {} },
    parseAs: 'blob',
    // Its address is followed without the token, which `fetch` would take along.
    redirect: 'manual',
    ...signalled,
  });
  const { response } = call;
  // A browser does not tell where it leads: it follows with the session's cookie, which is for the service alone.
  const isHidden = response.type === 'opaqueredirect';
  const location = isHidden ? response.url : response.status === 302 && response.headers.get('Location');
  if (!location) return (await unwrap(Promise.resolve(call))) as Blob;
  const request = new Request(location, isHidden ? signalled : { credentials: 'omit', redirect: 'error', ...signalled });
  return (await answered(send(request), request)).blob();
}

/** The answer of an object store, or what it means that there is none. */
async function answered(sent: Promise<Response>, { url, signal }: Request): Promise<Response> {
  const response = await sent.catch((cause) => {
    throw signal.aborted ? cause : new ChatError(0, undefined, { address: new URL(url).origin, cause });
  });
  if (!response.ok) throw errorOf(response, undefined);
  return response;
}

/** Which part of a file is read. */
export type DownloadSettings = { preview?: boolean; signal?: AbortSignal };

const anyType = 'application/octet-stream';

const announced = async (bytes: Blob) => ({ type: bytes.type || anyType, size: bytes.size, sha256: await sha256(bytes) });

const announcedPreview = async (bytes: Blob) => {
  const { type, ...others } = await announced(bytes);
  return { type: type as 'image/webp', ...others };
};
