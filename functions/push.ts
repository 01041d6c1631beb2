import { settleAll } from '../lib/base/concurrently.ts';
import { log } from '../lib/base/log.ts';
import { pushMetrics } from '../lib/base/metrics.ts';
import { taskNames, tasks } from '../lib/delivery/tasks.ts';
import { type Delivery, deliver } from '../lib/gateway/deliver.ts';
import { job } from '../lib/http/job.ts';
import { carrier, type RoomNews } from '../lib/notices/carrier.ts';
import type { Notice } from '../lib/notices/notices.ts';

type Notices = { notices: Notice[] };

/**
 * Sends frames about changes to clients that are connected to a gateway, and queues the rooms for
 * their webhooks and devices. Invoked asynchronously: no request waits for it.
 */
export const handler = job({
  takes: "notices of the service's other functions",
  isOwn: (event): event is Notices => Array.isArray((event as Partial<Notices> | null)?.notices),
  // Later frames are useless: by then, clients have fetched the events from the feed.
  timeMs: 18_000,
  failure: 'push failed',
  run: async ({ notices }: Notices, { awsRequestId }): Promise<Delivery> => {
    let delivery: Delivery = { sent: 0, gone: 0, dropped: 0 };
    const sendFrames = async () => {
      delivery = await deliver(notices);
    };
    try {
      await settleAll([sendFrames(), queueRooms(notices)]);
      return delivery;
    } finally {
      log('info', 'push', { request_id: awsRequestId, notices: notices.length, ...delivery, ...pushMetrics() });
    }
  },
});

/** Queues the rooms that have news, for each task that has a receiver. */
async function queueRooms(notices: Notice[]): Promise<void> {
  const rooms = new Map(notices.flatMap((notice) => (notice.type === 'moved' ? [[notice.room, notice.seq]] : [])));
  if (rooms.size === 0) return;
  await settleAll(
    taskNames.map(async (task) => {
      const { delayMs, isWanted } = tasks[task];
      if (!(await isWanted())) return;
      const moment = delayMs > 0 ? windowOf(delayMs) : undefined;
      const news: RoomNews[] = [...rooms].map(([room, seq]) => ({ room, moment: moment ?? String(seq) }));
      await carrier?.queue(task, news);
    }),
  );
}

/**
 * The current time window, as the name of a queue entry. An entry is delayed by `delayMs`, and a
 * window is 500 ms shorter, which allows for clocks that differ. So all news of a window is stored
 * before its single entry is delivered.
 */
const windowOf = (delayMs: number) => `t${Math.floor(Date.now() / (delayMs - 500))}`;
