import type { Context } from 'aws-lambda';
import { handler as deliver } from '../../functions/deliver.ts';
import { handler as notify } from '../../functions/notify.ts';
import { carrier, type RoomTask, setCarrier } from '../../lib/notices/carrier.ts';

/* Invokes the AWS functions that are not invoked by requests, as the queues and the schedule do. */

const context = { awsRequestId: 'one' } as Context;

/** Invokes a function with entries of a queue, one for each room. Returns its response. */
export const runEntries = (task: RoomTask, rooms: string[]) =>
  deliver(
    {
      Records: rooms.map((room, at) => ({
        messageId: String(at),
        eventSource: 'aws:sqs',
        body: JSON.stringify({ task, room }),
      })),
    },
    context,
  );

/** Runs the schedule as at a tenth minute, and the tasks that it enqueues. */
export async function runSchedule(): Promise<void> {
  const before = carrier;
  setCarrier({
    invoke: async () => undefined,
    queue: async (task, news) =>
      void (await runEntries(
        task,
        news.map(({ room }) => room),
      )),
    post: async () => 'gone',
    close: async () => undefined,
    ...before,
  });
  try {
    await notify({ source: 'aws.events', time: '2026-01-01T00:10:00Z' }, context);
  } finally {
    setCarrier(before);
  }
}
