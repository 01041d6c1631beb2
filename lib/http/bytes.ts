import type { Readable } from 'node:stream';
import { rangeNotSatisfiable } from '../base/errors.ts';
import { type ApiEvent, type ApiResponse, isHead } from './request.ts';

/** The answer of an operation that is a small picture, whose address may say which version is wanted. */
export type Picture = { type: string; content: Uint8Array; version: string; asked: string | undefined };

/** Answers with a picture as a whole. The same version under its address never changes. */
export const answerPicture = ({ type, content, version, asked }: Picture): ApiResponse => ({
  statusCode: 200,
  headers: {
    'Content-Type': type,
    ETag: `"${version}"`,
    'Content-Security-Policy': `${policy}; sandbox`,
    ...always,
    ...(asked === version && { 'Cache-Control': 'private, max-age=31536000, immutable' }),
  },
  body: Buffer.from(content).toString('base64'),
  isBase64Encoded: true,
});

/** The first and the last byte of a part. */
export type Range = { start: number; end: number };

/** The answer of an operation that is bytes instead of JSON; a host reads them while it sends them. */
export type Bytes = {
  type: string;
  size: number;
  /** The hash of the bytes, which no other bytes have. */
  sha256: string;
  /** The name under which they are stored, and whether they are shown in place. */
  name: string;
  isShownInPlace: boolean;
} & (
  | { read: (range: Range) => Readable; address?: undefined }
  /** Where a caller reads them without the service, for a short time. */
  | { address: (method: 'GET' | 'HEAD', shown: { type: string; disposition: string }) => string }
);

/**
 * Answers with bytes, or with the part that `Range` asks for (RFC 9110, 14.2): one, because nobody asks for more; or
 * with the address where the bytes are.
 */
export function answerBytes(event: ApiEvent, bytes: Bytes): ApiResponse {
  const { size } = bytes;
  if (bytes.address) {
    const shown = { type: bytes.type, disposition: dispositionOf(bytes) };
    const headers = { Location: bytes.address(isHead(event) ? 'HEAD' : 'GET', shown), ...elsewhere };
    return { statusCode: 302, headers, body: '' };
  }
  const tag = `"${bytes.sha256.slice(0, 22)}"`;
  const { range: asked, 'if-range': condition } = event.headers;
  const part = condition === undefined || condition === tag ? partOf(asked, size) : undefined;
  const range = part ?? { start: 0, end: size - 1 };
  const headers = {
    ...(part && { 'Content-Range': `bytes ${part.start}-${part.end}/${size}` }),
    'Content-Type': bytes.type,
    'Content-Length': String(range.end - range.start + 1),
    'Content-Disposition': dispositionOf(bytes),
    'Accept-Ranges': 'bytes',
    ETag: tag,
    'Content-Security-Policy': bytes.type === 'application/pdf' ? policy : `${policy}; sandbox`,
    ...always,
  };
  const isEmpty = isHead(event) || size === 0;
  return { statusCode: part ? 206 : 200, headers, body: '', ...(!isEmpty && { stream: () => bytes.read(range) }) };
}

/** The headers of all bytes. A browser keeps them, and asks each time whether it may still show them. */
export const always = {
  'Cache-Control': 'private, no-cache',
  Vary: 'X-Auth-Token, Authorization, Cookie',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The headers of an answer that leads to bytes: the next request is asked again whether it may. */
export const elsewhere = { 'Cache-Control': 'no-store', Vary: always.Vary };

/** Opened by itself, it may load and do nothing. A browser shows no PDF in a sandbox. */
export const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The part that a `Range` asks for; undefined for all bytes, also where it asks in another way. */
function partOf(asked: string | undefined, size: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked?.replaceAll(' ', '') ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start > end) throw rangeNotSatisfiable(size);
  return { start, end };
}

/** How and under which name a browser stores it (RFC 6266, RFC 8187). */
function dispositionOf({ name, isShownInPlace }: Bytes): string {
  // Where it is stored, it is one name in one directory.
  const plain = name.replace(/[/\\:*?"<>|\p{Cc}\p{Bidi_Control}]/gu, '_').replace(/^\.+/, '_');
  const ascii = plain.replace(/[^\x20-\x7e]|[%;]/g, '_');
  const encoded = encodeURIComponent(plain.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${isShownInPlace ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
