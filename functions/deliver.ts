import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { describeError, log } from '../lib/base/log.ts';
import { roomWork } from '../lib/delivery/room-work.ts';
import { job } from '../lib/http/job.ts';
import { carrier, type RoomNews, type RoomTask } from '../lib/notices/carrier.ts';

/** The time for one room before others have their turn. The queue's next function goes on with it. */
const turnMs = 20_000;

/** The wait for a process that has the room, or for news that are not stored yet. */
const stepMs = 500;

/** An entry of a queue. */
type Entry = Pick<RoomNews, 'room'> & { task: RoomTask };

/**
 * Does what is queued for rooms: sends their events to webhooks, notifies devices. An entry that fails comes back to
 * the queue alone, and after some failures to the queue of dead letters.
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

/** Works on a room; false if something is left when its turn is over. */
async function workOn({ task, room }: Entry): Promise<boolean> {
  const until = performance.now() + turnMs;
  do {
    if ((await roomWork[task].run(room)) === 'all') return true;
    await sleep(stepMs);
  } while (performance.now() < until);
  return false;
}
