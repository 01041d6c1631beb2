import { settleAll } from '../lib/base/concurrently.ts';
import { log } from '../lib/base/log.ts';
import { roomWork } from '../lib/delivery/room-work.ts';
import { taskNames } from '../lib/delivery/tasks.ts';
import { isScheduled, job } from '../lib/http/job.ts';
import { interruptStreams } from '../lib/messages/streaming/end.ts';
import { carrier, type RoomTask } from '../lib/notices/carrier.ts';
import { sendDigests } from '../lib/notifications/digests.ts';

/** The time for e-mails: well below the time that the function has. */
const mailMs = 20_000;

/** News that the queue has not delivered within this time counts as lost. */
const restMs = 60_000;

/**
 * Runs each minute: retries failed work that is due, sends reminders, and interrupts silent
 * streams. Every tenth minute it also queues rooms whose queue entry was lost, and sends e-mails
 * about unread messages.
 */
export const handler = job({
  takes: 'events of its schedule',
  isOwn: isScheduled,
  timeMs: 55_000,
  failure: 'devices or webhooks were not told',
  run: async ({ time }) => {
    const isTenth = new Date(time).getUTCMinutes() % 10 === 0;
    // The tasks run concurrently, and a failure of one does not stop the others.
    await settleAll([
      ...taskNames.map((task) => roomWork[task].retry()),
      interruptStreams(),
      ...(isTenth ? [sendMails(), ...taskNames.map((task) => queueMissed(task, time))] : []),
    ]);
  },
});

async function queueMissed(task: RoomTask, moment: string): Promise<void> {
  const { isWanted, findMissed } = roomWork[task];
  if (!(await isWanted())) return;
  const rooms = await findMissed(restMs);
  await carrier?.queue(
    task,
    rooms.map((room) => ({ room, moment })),
  );
}

async function sendMails(): Promise<void> {
  const { sent, accounts } = await sendDigests({ until: performance.now() + mailMs });
  if (sent > 0) log('info', 'unread digests sent', { sent, accounts });
}
