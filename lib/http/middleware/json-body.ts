import { parseJsonObject } from '../../api/shared-json.ts';
import { invalidJson, payloadTooLarge } from '../../errors.ts';
import { type Operations, operationFor } from '../operation.ts';
import type { ApiEvent, Step } from '../request.ts';

/** The largest body that is read, in bytes. */
export const largestBody = 65_536;

/** Reads the body of the operations that take one; no body is a body without parameters. */
export function jsonBody(operations: Operations): Step<{ json?: Record<string, unknown> }> {
  return {
    before: function parseBody({ event }) {
      if (!operationFor(operations, event).body) return;
      const body = bytesOf(event);
      if (body.length > largestBody) throw payloadTooLarge(largestBody);
      event.json = body.length === 0 ? {} : parseJsonObject(decode(body));
    },
  };
}

const bytesOf = ({ body = '', isBase64Encoded }: ApiEvent) => Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidJson('The request body is not valid UTF-8.');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
