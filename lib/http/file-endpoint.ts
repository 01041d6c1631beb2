import { gunzipSync } from 'node:zlib';
import { notFound } from '../base/errors.ts';
import { baseChain, toLambdaHandler } from './base-chain.ts';
import { acceptedEncoding } from './middleware/compression.ts';
import { method } from './middleware/method.ts';
import { allowedMethods, type Handler, operation } from './operation.ts';
import type { ApiEvent, ApiResponse } from './request.ts';

/**
 * A file with its media type, and the policy of a worker. Its content is text, base64, or
 * compressed and base64.
 */
type ServedFile = { type: string; policy?: string } & ({ text: string } | { bytes: string } | { br: string; gzip: string });

/** A handler for public files. Files that are `isImmutable` never change under the same path. */
export function fileEndpoint(
  summary: string,
  findFiles: () => Record<string, ServedFile>,
  isImmutable: (path: string) => boolean,
): Handler {
  const operations = { GET: operation({ summary, access: 'anyone', type: '*/*', status: 200, run: async () => '' }) };
  const allow = allowedMethods(operations);
  const chain = baseChain(allow)
    .use(method({ operations, allow }))
    .handler(async (event) => {
      const files = findFiles();
      const file = Object.hasOwn(files, event.rawPath) ? files[event.rawPath] : undefined;
      if (!file) throw notFound('path');
      const cache = isImmutable(event.rawPath) ? 'public, max-age=31536000, immutable' : 'max-age=0, must-revalidate';
      const policy = file.policy !== undefined && { 'Content-Security-Policy': file.policy };
      return respond(event, file, { 'Content-Type': file.type, 'Cache-Control': cache, ...policy, Vary: 'Accept-Encoding' });
    });
  return toLambdaHandler(chain, operations);
}

function respond(event: ApiEvent, file: ServedFile, headers: Record<string, string>): ApiResponse {
  if ('text' in file) return { statusCode: 200, headers, body: file.text };
  if ('bytes' in file) return { statusCode: 200, headers, body: file.bytes, isBase64Encoded: true };
  const encoding = acceptedEncoding(event);
  if (encoding)
    return {
      statusCode: 200,
      headers: { ...headers, 'Content-Encoding': encoding },
      body: file[encoding],
      isBase64Encoded: true,
    };
  return { statusCode: 200, headers, body: gunzipSync(Buffer.from(file.gzip, 'base64')).toString() };
}
