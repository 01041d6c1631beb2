import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { limits } from '../api/limits.ts';
import { invalidJson, payloadTooLarge } from '../base/errors.ts';

type Headers = Record<string, string | undefined>;

/**
 * Converts a body from another program to UTF-8. It may be compressed, in another character set, or
 * a multipart form. The headers are not trusted.
 */
export async function decodeForeign(sent: Uint8Array, headers: Headers): Promise<Uint8Array> {
  if (sent.length > limits.foreignBody) throw payloadTooLarge(limits.foreignBody);
  const bytes = unpacked(sent, headers['content-encoding']);
  const type = headers['content-type'] ?? '';
  if (/^multipart\/form-data\b/i.test(type)) return fieldsOf(bytes, type);
  const text = isUtf8(bytes) && !isUtf16(bytes) ? bytes : Buffer.from(decoded(bytes, type));
  return /^\s*[{["]/.test(Buffer.from(text.subarray(0, 100)).toString()) ? text : Buffer.from(inUtf8(text, type));
}

/** Converts the escaped characters of a form from another character set to UTF-8. */
const inUtf8 = (form: Uint8Array, type: string): string =>
  Buffer.from(form)
    .toString()
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
      const bytes = Buffer.from(escaped.replaceAll('%', ''), 'hex');
      return isUtf8(bytes) ? escaped : encodeURIComponent(decoded(bytes, type));
    });

const unpackers: Record<string, typeof gunzipSync> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Decompresses bytes. A proxy may have decompressed them already and left the header. */
function unpacked(bytes: Uint8Array, encoding = ''): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const unpack = isGzip ? gunzipSync : unpackers[encoding.trim().toLowerCase()];
  if (!unpack) return bytes;
  try {
    return unpack(bytes, { maxOutputLength: limits.foreignBody });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw payloadTooLarge(limits.foreignBody);
    if (!isGzip && isUtf8(bytes)) return bytes;
    throw invalidJson();
  }
}

/** Converts the fields of a multipart form that are read to a URL-encoded form. */
async function fieldsOf(bytes: Uint8Array, type: string): Promise<Uint8Array> {
  let form: FormData;
  try {
    form = await new Response(Buffer.from(bytes), { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalidJson();
  }
  const fields = new URLSearchParams();
  for (const name of ['payload', 'text']) {
    const value = form.get(name);
    if (value !== null) fields.set(name, typeof value === 'string' ? value : await value.text());
  }
  return Buffer.from(fields.toString());
}

/**
 * JSON and forms begin with an ASCII character, which has a zero byte in UTF-16. Otherwise they
 * begin with a byte order mark.
 */
const isUtf16 = ([one, other]: Uint8Array): boolean =>
  (one === 0xff && other === 0xfe) || (one === 0xfe && other === 0xff) || one === 0 || other === 0;

function decoded(bytes: Uint8Array, type: string): string {
  const [one = 0, other = 0] = bytes;
  if (isUtf16(bytes)) return decode(bytes, one === 0 || (one === 0xfe && other === 0xff) ? 'utf-16be' : 'utf-16le');
  const [, charset = ''] = /;\s*charset="?([\w.:-]+)/i.exec(type) ?? [];
  // Most programs that do not use UTF-8 send this character set.
  return decode(bytes, /^utf-?8$/i.test(charset) || charset === '' ? 'windows-1252' : charset);
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
