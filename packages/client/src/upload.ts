import type { Calls } from './calls.ts';
import type { Id } from './contract.ts';
import { unwrap } from './errors.ts';
import { sha256 } from './sha256.ts';

/** What is said of a file besides its bytes. */
export type UploadSettings = {
  /** The name that others see; that of a `File` otherwise. */
  name?: string;
  width?: number;
  height?: number;
  /** In seconds. */
  duration?: number;
  /** A small picture of it: WebP, JPEG or PNG of at most 64 kB. */
  preview?: Blob;
  signal?: AbortSignal;
};

/** Announces a file for a room and uploads its bytes; returns the id that `files` of a message takes. */
export async function upload(calls: Calls, room: string, file: Blob, settings: UploadSettings = {}): Promise<Id> {
  const { name = 'name' in file ? String(file.name) : 'file', preview, signal, ...others } = settings;
  const signalled = signal ? { signal } : {};
  const body = {
    room,
    name,
    ...(await announced(file)),
    ...others,
    ...(preview && { preview: await announcedPreview(preview) }),
  };
  const { _id } = await unwrap(calls.POST('/api/files', { body, ...signalled }));
  const put = (bytes: Blob, query: { preview?: 'true' }) =>
    unwrap(
      calls.PUT('/api/files/{file}/content', {
        params: { path: { file: _id.$oid }, query },
        body: bytes,
        bodySerializer: (sent: Blob) => sent,
        headers: { 'Content-Type': bytes.type || anyType },
        ...signalled,
      }),
    );
  if (preview) await put(preview, { preview: 'true' });
  await put(file, {});
  return _id;
}

const anyType = 'application/octet-stream';

const announced = async (bytes: Blob) => ({ type: bytes.type || anyType, size: bytes.size, sha256: await sha256(bytes) });

const announcedPreview = async (bytes: Blob) => {
  const { type, ...others } = await announced(bytes);
  return { type: type as 'image/webp', ...others };
};
