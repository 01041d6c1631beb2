import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { ApiEvent, Step } from '../request.ts';

type Encoding = 'br' | 'gzip';

// Browsers accept both with equal quality, but list gzip first.
const preferred = ['br', 'gzip', 'identity'];

/** The encoding for a response to this request; undefined for no compression. */
export function acceptedEncoding({ headers }: Pick<ApiEvent, 'headers'>): Encoding | undefined {
  const accepted: EncodingNegotiator = new Negotiator({ headers });
  const encoding = accepted.encoding(preferred, { preferred });
  return encoding === 'br' || encoding === 'gzip' ? encoding : undefined;
}

type EncodingNegotiator = { encoding: (available: string[], options: { preferred: string[] }) => string | undefined };

/** The size in bytes from which compression is worth its cost. */
const worthwhile = 1024;

/** Compresses larger bodies with Brotli or gzip if the caller accepts it. */
export function compression(): Step {
  const compress: NonNullable<Step['after']> = async ({ event, response }) => {
    if (!response?.body || response.isBase64Encoded || response.body.length < worthwhile) return;
    const encoding = acceptedEncoding(event);
    if (!encoding) return;
    response.body = (await encoders[encoding](response.body)).toString('base64');
    response.isBase64Encoded = true;
    response.headers['Content-Encoding'] = encoding;
  };
  return { after: compress, onError: compress };
}

// Quality 2 makes rooms and messages about as small as gzip, or as quality 4, in two thirds of the
// time. Brotli's default, 11, is a hundred times slower. Its default window needs 4 MB of memory
// per response, and twice the time under concurrent load.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 18 } };
const encoders: Record<Encoding, (body: string) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, brotli),
  gzip: (body) => promisify(gzip)(body),
};
