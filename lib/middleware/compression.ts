import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { Step } from '../request.ts';

/** From how many bytes on compressing saves more than it costs. */
const worthwhile = 1024;

/** Compresses larger bodies with Brotli or gzip when the caller takes them. */
export function compression(): Step {
  const compress: NonNullable<Step['after']> = async ({ event, response }) => {
    if (!response?.body || response.body.length < worthwhile) return;
    const encoding = new Negotiator({ headers: event.headers }).encoding([...Object.keys(encoders), 'identity']);
    const encode = encoding && encoders[encoding];
    if (!encode) return;
    response.body = (await encode(response.body)).toString('base64');
    response.isBase64Encoded = true;
    response.headers['Content-Encoding'] = encoding;
  };
  return { after: compress, onError: compress };
}

// Brotli at 4 is about as fast as gzip at its default and smaller; its own default, 11, takes a hundred times as long.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const encoders: Record<string, (body: string) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, brotli),
  gzip: (body) => promisify(gzip)(body),
};
