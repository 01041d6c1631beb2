import { type Parameters, readParameters } from '../../api/parameters.ts';
import { missingEvery } from '../../errors.ts';
import { type Input, type Operations, operationFor } from '../operation.ts';
import type { Step } from '../request.ts';

/** Reads the parameters that the operation declares: 400, or 404 for an id in the path, for the first that is not as it must be. */
export function input(operations: Operations): Step<{ json?: Record<string, unknown>; input: Input }> {
  const read = (parameters: Parameters | undefined, sent: Record<string, unknown> | undefined) =>
    parameters ? readParameters(parameters, sent ?? {}) : {};

  return {
    before: function readInput({ event }) {
      const declared = operationFor(operations, event);
      const query = read(declared.query, event.queryStringParameters);
      const body = read(declared.body, event.json);
      if (declared.needsAny && Object.keys(body).length === 0) throw missingEvery(Object.keys(declared.body));
      event.input = {
        path: read(declared.path, event.pathParameters),
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
