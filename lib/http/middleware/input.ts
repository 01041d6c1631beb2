import { type Parameters, readParameters } from '../../api/parameters.ts';
import { missingEvery } from '../../errors.ts';
import { type Input, type Operations, operationFor } from '../operation.ts';
import type { Step } from '../request.ts';

/** Reads the parameters that the operation declares: 400 for the first that is missing or not as it must be. */
export function input(operations: Operations): Step<{ json?: Record<string, unknown>; input: Input }> {
  const read = (parameters: Parameters | undefined, sent: Record<string, unknown> | undefined) =>
    parameters ? readParameters(parameters, sent ?? {}) : {};

  return {
    before: function readInput({ event }) {
      const { query, body, needsAny } = operationFor(operations, event);
      event.input = {
        path: event.pathParameters ?? {},
        query: read(query, event.queryStringParameters),
        body: read(body, event.json),
        request: {
          path: event.rawPath,
          query: event.queryStringParameters ?? {},
          headers: event.headers,
          source: event.requestContext.http.sourceIp,
        },
      };
      if (needsAny && Object.keys(event.input.body).length === 0) throw missingEvery(Object.keys(body));
    },
  };
}
