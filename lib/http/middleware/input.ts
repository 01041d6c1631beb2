import { readParameters, readTexts } from '../../api/parameters.ts';
import { missingEvery } from '../../errors.ts';
import { type Input, type Operations, operationFor } from '../operation.ts';
import type { Step } from '../request.ts';

/** Reads the parameters that the operation declares: 400, or 404 for an id in the path, for the first that is not as it must be. */
export function input(operations: Operations): Step<{ json?: Record<string, unknown>; input: Input }> {
  return {
    before: function readInput({ event }) {
      const declared = operationFor(operations, event);
      const query = readTexts(declared.query ?? {}, event.queryStringParameters ?? {});
      const body = readParameters(declared.body ?? {}, event.json ?? {});
      if (declared.needsAny && Object.keys(body).length === 0) throw missingEvery(Object.keys(declared.body));
      event.input = {
        path: readTexts(declared.path ?? {}, event.pathParameters ?? {}),
        query,
        body,
        request: {
          path: event.rawPath,
          query: event.queryStringParameters ?? {},
          headers: event.headers,
          source: event.requestContext.http.sourceIp,
        },
      };
    },
  };
}
