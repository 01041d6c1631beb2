import { hash } from 'node:crypto';
import type { Account } from './accounts.ts';
import { type Call, inProcess, type Reply } from './transports.ts';

export type Bytes = string | Uint8Array;

/** The announcement of a file with these bytes. */
export const announced = (room: string, bytes: Bytes = 'Hello', fields: object = {}) => ({
  room,
  name: 'Notes.txt',
  type: 'text/plain',
  ...measured(bytes),
  ...fields,
});

export const measured = (bytes: Bytes) => ({ size: Buffer.byteLength(bytes), sha256: hash('sha256', bytes) });

/** The beginning of a PNG with this many pixels. */
export function aPictureOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), size]);
}

export const aPicture = aPictureOf(256, 256);

type FileOptions = {
  bytes?: Bytes | undefined;
  preview?: Bytes;
  name?: string;
  alt?: string;
  type?: string;
  width?: number;
  height?: number;
  key?: string;
  call?: Call;
};

/** A file that a test has announced and uploaded. If `bytes` is undefined, it is only announced. */
export type TestFile = { id: string; url: string };

/** Announces a file and uploads its bytes. Throws the response if it is an error. */
export async function aFile({ token }: Account, room: string, wanted: FileOptions = {}): Promise<TestFile> {
  const { call = inProcess, key, preview, bytes = 'Hello', ...fields } = wanted;
  const all = { ...fields, ...(preview && { preview: { type: 'image/webp', ...measured(preview) } }) };
  const headers = key ? { 'idempotency-key': key } : {};
  const reply = await call('POST', '/api/files', { token, headers, body: announced(room, bytes, all) });
  if (reply.status !== 201) throw new Error(`A file was refused: ${JSON.stringify(reply)}`);
  const { _id, upload, preview_upload: other } = reply.body as AnnouncedFile;
  const isUploaded = !('bytes' in wanted && wanted.bytes === undefined);
  const uploads = isUploaded ? [[upload, bytes] as const, ...(other && preview ? [[other, preview] as const] : [])] : [];
  for (const [{ method, url, headers }, body] of uploads) {
    const { status, body: refusal } = url.startsWith('/')
      ? await call(method, url, { token, body })
      : await follow({ method, url, headers, body });
    if (status >= 300) throw new Error(`An upload was refused: ${JSON.stringify(refusal)}`);
  }
  return { id: _id.$oid, url: `/api/files/${_id.$oid}/content` };
}

/** Reads a file like a client, following a redirect to an object store. */
export async function readAt(
  call: Call,
  url: string,
  { token }: Pick<Account, 'token'>,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Reply> {
  const reply = await call(method, url, { token, headers });
  const { range } = headers;
  return reply.status === 302
    ? follow({ method, url: reply.headers.location ?? '', headers: range === undefined ? {} : { range } })
    : reply;
}

/** Sends a request to another service, without a token. */
async function follow({ url, ...request }: Upload & { body?: Bytes }): Promise<Reply> {
  const response = await fetch(url, request as RequestInit);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

type AnnouncedFile = { _id: { $oid: string }; upload: Upload; preview_upload: Upload | null };
type Upload = { method: string; url: string; headers: Record<string, string> };
