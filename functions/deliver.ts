import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { describeError, log } from '../lib/base/log.ts';
import { roomWork } from '../lib/delivery/room-work.ts';
import { job } from '../lib/http/job.ts';
import { carrier, type RoomNews, type RoomTask } from '../lib/notices/carrier.ts';

/** The time for one room, so that others are not held up. The rest goes back to the queue. */
const turnMs = 20_000;

/** The pause while another process works on the room, or while an event is not stored yet. */
const stepMs = 500;

/** The body of a queue entry. */
type Entry = Pick<RoomNews, 'room'> & { task: RoomTask };

/**
 * Works on queued rooms: sends their events to webhooks, and notifies devices. Only failed entries
 * return to the queue; after repeated failures they go to the dead-letter queue.
 */
export const handler = job({
  takes: "entries of the service's queues",
  isOwn: (event): event is SQSEvent => (event as Partial<SQSEvent> | null)?.Records?.[0]?.eventSource === 'aws:sqs',
  timeMs: 28_000,
  failure: 'deliveries failed',
  run: async ({ Records }: SQSEvent, context): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(Records.map((record) => hasFailed(record, context)));
    const batchItemFailures = Records.filter((_, at) => failed[at]).map(({ messageId }) => ({ itemIdentifier: messageId }));
    return { batchItemFailures };
  },
});

async function hasFailed({ messageId, body }: SQSRecord, { awsRequestId: request_id }: Context): Promise<boolean> {
  try {
    const { task, room }: Entry = JSON.parse(body);
    if (!(await workOn({ task, room }))) await carrier?.queue(task, [{ room, moment: messageId }]);
    return false;
  } catch (error) {
    log('error', 'a delivery failed', { request_id, entry: body.slice(0, 200), error: describeError(error) });
    return true;
  }
}

/** Works on a room for at most `turnMs`; returns false if work is left. */
async function workOn({ task, room }: Entry): Promise<boolean> {
  const until = performance.now() + turnMs;
  do {
    if ((await roomWork[task].run(room)) === 'all') return true;
    await sleep(stepMs);
  } while (performance.now() < until);
  return false;
}
