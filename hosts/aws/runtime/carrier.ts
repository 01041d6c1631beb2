import { json } from 'node:stream/consumers';
import { settleAll } from '../../../lib/base/concurrently.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import type { Carrier, PostOutcome, RoomNews, RoomTask } from '../../../lib/notices/carrier.ts';
import { sendSigned } from './signed-request.ts';

/* `carrier` is undefined in a function that may neither invoke others nor send to WebSockets. */

const {
  PUSH_FUNCTION: pushFunction,
  SOCKET_ENDPOINT: socketEndpoint,
  AWS_ENDPOINT_URL_LAMBDA,
  AWS_ENDPOINT_URL_SQS,
} = process.env;

const queues: Record<RoomTask, string | undefined> = { webhooks: process.env.WEBHOOKS_QUEUE, devices: process.env.DEVICES_QUEUE };

/** Time limits of the requests to Lambda, SQS and API Gateway. */
const invocationMs = 900;
const queueMs = 3_000;
const postMs = 3_000;

/** SQS accepts at most ten entries per request. */
const batchSize = 10;

/** Connects functions with each other and with clients, through AWS services. */
export const carrier: Carrier | undefined =
  pushFunction || socketEndpoint || queues.webhooks ? { invoke, queue, post, close } : undefined;

// A status of 202 only means that the event is queued: Lambda runs the function once, twice or
// never.
async function invoke(event: string): Promise<void> {
  const response = await sendSigned({
    service: 'lambda',
    endpoint: AWS_ENDPOINT_URL_LAMBDA ?? '',
    method: 'POST',
    path: `/2015-03-31/functions/${pushFunction}/invocations`,
    headers: { 'Content-Type': 'application/json', 'X-Amz-Invocation-Type': 'Event' },
    body: event,
    time: invocationMs,
  });
  response.resume();
  if (response.statusCode !== 202) throw new Error(`The function 'push' was not invoked: ${response.statusCode}`);
}

/**
 * Queues rooms. A FIFO queue gives the entries of a room to one function at a time, in order. It
 * drops duplicates of a room and moment for five minutes.
 */
async function queue(task: RoomTask, news: RoomNews[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(news.length / batchSize) }, (_, at) =>
    news.slice(at * batchSize, (at + 1) * batchSize),
  );
  await settleAll(batches.map((batch) => queueBatch(task, batch)));
}

async function queueBatch(task: RoomTask, news: RoomNews[]): Promise<void> {
  const Entries = news.map(({ room, moment }, at) => ({
    Id: String(at),
    MessageBody: JSON.stringify({ task, room }),
    MessageGroupId: room,
    MessageDeduplicationId: `${room}:${moment}`,
  }));
  const response = await sendSigned({
    service: 'sqs',
    endpoint: AWS_ENDPOINT_URL_SQS ?? '',
    method: 'POST',
    path: '/',
    headers: { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'AmazonSQS.SendMessageBatch' },
    body: JSON.stringify({ QueueUrl: queues[task], Entries }),
    time: queueMs,
  });
  const { Failed = [], __type, message } = (await json(response)) as { Failed?: object[]; __type?: string; message?: string };
  if (response.statusCode === 200 && Failed.length === 0) return;
  throw new Error(`The queue of ${task} did not accept rooms: ${__type ?? JSON.stringify(Failed)} ${message ?? ''}`);
}

/** Sends a frame without retries: if the gateway is overloaded, retries would add to its load. */
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
      time: postMs,
    });
    response.resume();
    return response.statusCode;
  } catch (error) {
    log('debug', 'frame dropped', { error: describeError(error) });
    return undefined;
  }
}
