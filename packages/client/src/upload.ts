import type { Calls, Send } from './calls.ts';
import type { Id } from './contract.ts';
import { ChatError, errorOf, unwrap } from './errors.ts';
import { sha256 } from './sha256.ts';

/** The description of a file. */
export type UploadSettings = {
  /** The name for other users; by default the name of the `File`. */
  name?: string;
  width?: number;
  height?: number;
  /** The duration in seconds. */
  duration?: number;
  /** A description for people who cannot see the file. */
  alt?: string;
  /** A small preview picture: WebP, JPEG or PNG of at most 64 kB. */
  preview?: Blob;
  signal?: AbortSignal;
};

/**
 * Announces a file for a room and uploads its bytes. Returns the id for the `files` of a message.
 */
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

/** Uploads bytes to an object store, without credentials of the session. */
async function putElsewhere(send: Send, url: string, init: RequestInit): Promise<void> {
  const request = new Request(url, { ...init, method: 'PUT', credentials: 'omit', redirect: 'error' });
  const response = await answered(send(request), request);
  await response.body?.cancel();
}

/** Downloads a file or its preview, from an object store if it is there. */
export async function download(calls: Calls, send: Send, file: Id, { preview, signal }: DownloadSettings = {}): Promise<Blob> {
  const signalled = signal ? { signal } : {};
  const call = await calls.GET('/api/files/{file}/content', {
    params: { path: { file: file.$oid }, query: preview ? { preview: 'true' } : {} },
    parseAs: 'blob',
    // The redirect is followed without the token, which `fetch` would send along.
    redirect: 'manual',
    ...signalled,
  });
  const { response } = call;
  // A browser hides the redirect's target. It follows the redirect itself, with the session cookie
  // for the service only.
  const isHidden = response.type === 'opaqueredirect';
  const location = isHidden ? response.url : response.status === 302 && response.headers.get('Location');
  if (!location) return (await unwrap(Promise.resolve(call))) as Blob;
  const request = new Request(location, isHidden ? signalled : { credentials: 'omit', redirect: 'error', ...signalled });
  return (await answered(send(request), request)).blob();
}

/** The response of an object store. Throws if it does not respond or reports an error. */
async function answered(sent: Promise<Response>, { url, signal }: Request): Promise<Response> {
  const response = await sent.catch((cause) => {
    throw signal.aborted ? cause : new ChatError(0, undefined, { address: new URL(url).origin, cause });
  });
  if (!response.ok) throw errorOf(response, undefined);
  return response;
}

/** The part of a file to download. */
export type DownloadSettings = { preview?: boolean; signal?: AbortSignal };

const anyType = 'application/octet-stream';

const announced = async (bytes: Blob) => ({ type: bytes.type || anyType, size: bytes.size, sha256: await sha256(bytes) });

const announcedPreview = async (bytes: Blob) => {
  const { type, ...others } = await announced(bytes);
  return { type: type as 'image/webp', ...others };
};
