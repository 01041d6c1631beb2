import { describeError, log } from '../../lib/base/log.ts';
import type { Carrier, PostOutcome } from '../../lib/notices/carrier.ts';
import { sendSigned } from './signed-request.ts';

/*
 * Takes the place of `lib/notices/carrier.ts` in the bundles. A function that need not reach anybody is not told where they are, and may not: it has no
 * carrier.
 */

const { PUSH_FUNCTION: pushFunction, SOCKET_ENDPOINT: socketEndpoint, AWS_ENDPOINT_URL_LAMBDA } = process.env;

/** For how many milliseconds an invocation, and a frame, may be on its way. */
const invocationTime = 900;
const postTime = 3_000;

/** What reaches those who are connected, through the services of AWS. */
export const carrier: Carrier | undefined = pushFunction || socketEndpoint ? { invoke, post, close } : undefined;

// Accepted is what is queued: Lambda runs the function later, once or twice, or never.
async function invoke(event: string): Promise<void> {
  const response = await sendSigned({
    service: 'lambda',
    endpoint: AWS_ENDPOINT_URL_LAMBDA ?? '',
    method: 'POST',
    path: `/2015-03-31/functions/${pushFunction}/invocations`,
    headers: { 'Content-Type': 'application/json', 'X-Amz-Invocation-Type': 'Event' },
    body: event,
    time: invocationTime,
  });
  response.resume();
  if (response.statusCode !== 202) throw new Error(`The function 'push' was not invoked: ${response.statusCode}`);
}

/** Not repeated when it fails: when the gateway has too much to do, another request is one more. */
async function post(connection: string, frame: Uint8Array): Promise<PostOutcome> {
  const status = await send('POST', connection, frame);
  if (status === 410) return 'gone';
  return status !== undefined && status < 300 ? 'sent' : 'dropped';
}

async function close(connection: string): Promise<void> {
  await send('DELETE', connection);
}

async function send(method: string, connection: string, body?: Uint8Array): Promise<number | undefined> {
  try {
    const path = `/@connections/${encodeURIComponent(connection)}`;
    const response = await sendSigned({
      service: 'execute-api',
      endpoint: socketEndpoint ?? '',
      method,
      path,
      ...(body && { body }),
      time: postTime,
    });
    response.resume();
    return response.statusCode;
  } catch (error) {
    log('debug', 'frame dropped', { error: describeError(error) });
    return undefined;
  }
}
