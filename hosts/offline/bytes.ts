import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../lib/api/limits.ts';
import { makeContext, makeEvent, splitTarget } from '../server/http/event.ts';
import { respond, respondStream } from '../server/http/respond.ts';
import { loadHandler, matchRoutes, readRoutes } from '../server/http/routes.ts';
import { bodyOf, takesBytes } from '../server/http/uploads.ts';

/*
 * The emulator keeps each body and response in memory, as base64, up to 10 MB. Requests for the
 * bytes of files bypass it: the same function handles them in this process, as in `npm run serve`.
 */

const match = matchRoutes(readRoutes());

/**
 * Handles a request that downloads or uploads the bytes of a file. Returns false for other
 * requests.
 */
export function answersBytes(request: IncomingMessage, response: ServerResponse, environment: Environment): boolean {
  if (!['GET', 'HEAD', 'PUT'].includes(request.method ?? '')) return false;
  const { path, query } = splitTarget(request.url ?? '/');
  const found = match(request.method ?? '', path);
  if (!['file-content', 'user-avatar', 'room-avatar'].includes(found.route.name)) return false;
  const received = {
    id: randomUUID(),
    at: Date.now(),
    source: request.socket.remoteAddress ?? '',
    path,
    query,
    body: undefined,
  };
  answer(request, response, { found, received, environment }).catch(() => response.destroy());
  return true;
}

type Environment = Record<string, string>;
type ByteRequest = { found: ReturnType<typeof match>; received: Parameters<typeof makeEvent>[1]; environment: Environment };

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { found, received, environment }: ByteRequest,
): Promise<void> {
  // The emulator does the same before it loads a function.
  Object.assign(process.env, environment);
  const handler = await loadHandler(found.route);
  const bytes = takesBytes({ ...found, handler }, request.method) && { bytes: bodyOf(request) };
  const answer = await handler(
    makeEvent(request, { ...received, ...bytes }, found),
    makeContext(received, found, limits.requestTime),
  );
  if (!request.complete) response.shouldKeepAlive = false;
  if (answer.stream) respondStream(response, answer, answer.stream);
  else respond(response, answer);
}
