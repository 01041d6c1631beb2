import type { Readable } from 'node:stream';
import { rangeNotSatisfiable } from '../base/errors.ts';
import { type ApiEvent, type ApiResponse, isHead } from './request.ts';

/** A small picture as the answer of an operation. The address may name the version (`asked`). */
export type Picture = { type: string; content: Uint8Array; version: string; asked: string | undefined };

/** Answers with a whole picture. A version under its address never changes. */
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

/** The first and the last byte of a range. */
export type Range = { start: number; end: number };

/** Bytes as the answer of an operation, instead of JSON. A host streams them. */
export type Bytes = {
  type: string;
  size: number;
  /** The SHA-256 of the bytes, in hexadecimal. */
  sha256: string;
  /** The name for downloads, and whether a browser may show them inline. */
  name: string;
  isShownInPlace: boolean;
} & (
  | { read: (range: Range) => Readable; address?: undefined }
  /** A short-lived address where the caller reads them directly from the store. */
  | { address: (method: 'GET' | 'HEAD', shown: { type: string; disposition: string }) => string }
);

/**
 * Answers with bytes, or with the requested range (RFC 9110, 14.2). Only a single range is
 * supported, because no client asks for several. If the bytes are in an object store, it redirects
 * there.
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

/**
 * The headers of all bytes. A browser caches them, and revalidates each time, so that permissions
 * are checked.
 */
export const always = {
  'Cache-Control': 'private, no-cache',
  Vary: 'X-Auth-Token, Authorization, Cookie',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * The headers of a redirect to bytes. It is not cached, so that each request checks the permission.
 */
export const elsewhere = { 'Cache-Control': 'no-store', Vary: always.Vary };

/**
 * Opened as a page, the bytes can load and run nothing. A PDF gets this policy without a sandbox,
 * because browsers do not show a PDF in one.
 */
export const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The range of a `Range` header; undefined for all bytes, also if the header has another form. */
function partOf(asked: string | undefined, size: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked?.replaceAll(' ', '') ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start > end) throw rangeNotSatisfiable(size);
  return { start, end };
}

/** The `Content-Disposition` of a file (RFC 6266, RFC 8187). */
function dispositionOf({ name, isShownInPlace }: Bytes): string {
  // A safe file name: a single path segment without special characters.
  const plain = name.replace(/[/\\:*?"<>|\p{Cc}\p{Bidi_Control}]/gu, '_').replace(/^\.+/, '_');
  const ascii = plain.replace(/[^\x20-\x7e]|[%;]/g, '_');
  const encoded = encodeURIComponent(plain.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${isShownInPlace ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
