import { readParameters, readTexts, requireKnown } from '../../api/parameters.ts';
import { missingEvery } from '../../base/errors.ts';
import { type Input, type Operations, operationFor } from '../operation.ts';
import type { ApiEvent, Step } from '../request.ts';
import { bytesOf } from './json-body.ts';

/**
 * Reads the parameters that the operation declares. For the first invalid one it answers 400, or
 * 404 if it is an id in the path. An undeclared field of the body is refused with 400 too, except
 * on the specified paths, which ignore it.
 */
export function input(operations: Operations): Step<{ json?: Record<string, unknown>; input: Input }> {
  return {
    before: function readInput({ event }) {
      const declared = operationFor(operations, event);
      const query = readTexts(declared.query ?? {}, event.queryStringParameters ?? {});
      const sent = event.json ?? {};
      const parameters = declared.body ?? {};
      if (!declared.isSpecified) requireKnown(parameters, sent);
      const body = readParameters(parameters, sent);
      if (declared.needsAny && Object.keys(body).length === 0) throw missingEvery(Object.keys(declared.body));
      event.input = {
        path: readTexts(declared.path ?? {}, event.pathParameters ?? {}),
        query,
        body,
        request: {
          id: event.requestId,
          path: event.rawPath,
          query: event.queryStringParameters ?? {},
          headers: event.headers,
          cookies: event.cookies ?? [],
          source: event.requestContext.http.sourceIp,
        },
        bytes: event.bytes ?? inOnePiece(event),
        raw: () => bytesOf(event),
      };
    },
  };
}

/** The body of a request from a host that cannot stream it. */
async function* inOnePiece(event: ApiEvent): AsyncGenerator<Uint8Array> {
  const bytes = bytesOf(event);
  if (bytes.length > 0) yield bytes;
}
