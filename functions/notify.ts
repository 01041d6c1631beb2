import { setTimeout as sleep } from 'node:timers/promises';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { concurrently } from '../lib/base/concurrently.ts';
import { log } from '../lib/base/log.ts';
import { orThrow } from '../lib/database/batching.ts';
import { logFailure } from '../lib/http/log-failure.ts';
import { hasDevices } from '../lib/notices/notices.ts';
import { sendDigests } from '../lib/notifications/digests.ts';
import { tellReminders } from '../lib/notifications/reminders.ts';
import { findMissed, patience, retryDevices, tellOfRoom } from '../lib/notifications/tell.ts';
import { deliverOfRoom, findUndelivered, retryDeliveries } from '../lib/senders/deliver.ts';

/** For how many rooms one tells, or delivers, at the same time. */
const atOnce = 4;

/**
 * Tells devices whose page is closed, and the receivers of webhooks, what is new in rooms, for which `push` has it
 * invoked; and of reminders, of what could not be told or was missed, and by e-mail of what is unread, for which a
 * schedule does. What fails, or is being told by another one, is tried again by Lambda, in a minute and in two.
 */
export const handler = middy<{ rooms?: string[] }, void, Error, Context>({ timeoutEarlyInMillis: 0 })
  .use(logFailure('devices or webhooks were not told'))
  .handler(async ({ rooms }) => {
    // None waits for another, nor fails with it.
    await waitForAll([tellDevices(rooms), deliver(rooms), rooms ? undefined : tellByMail()]);
  });

/** For how many milliseconds nothing has happened in a room that an invocation for it should have told of by now. */
const longestInvocation = 60_000;

/** Without rooms, it looks for those whose invocation was lost, or died before it came about. */
async function tellDevices(rooms: string[] | undefined): Promise<void> {
  const isWanted = await hasDevices();
  if (rooms && isWanted) await sleep(patience);
  const tellNew = async () => tellEach(rooms ?? (isWanted ? await findMissed(longestInvocation) : []), tellOfRoom);
  await waitForAll([retryDevices(), tellReminders(), tellNew()]);
}

/** Without rooms, it looks for those that were missed. */
async function deliver(rooms: string[] | undefined): Promise<void> {
  const deliverNew = async () => tellEach(rooms ?? (await findUndelivered()), deliverOfRoom);
  // Receivers that hang are not waited for by what is new.
  await waitForAll([retryDeliveries(), deliverNew()]);
}

/** Waits for all of some work, and fails after it if some of it has. */
async function waitForAll(works: (Promise<void> | undefined)[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) orThrow(result);
}

/** For how many milliseconds e-mails are sent, by far less than the function may run for. */
const mailing = 20_000;

async function tellByMail(): Promise<void> {
  const { sent, accounts } = await sendDigests({ until: performance.now() + mailing });
  if (sent > 0) log('info', 'e-mails about what is unread sent', { sent, accounts });
}

type Tell = (room: string) => Promise<'all' | 'more' | 'taken'>;

/** Tells of some rooms, of which one that fails holds up no other; fails after them if one has. */
async function tellEach(rooms: string[], tell: Tell): Promise<void> {
  const works: Promise<void>[] = [];
  await concurrently(rooms, atOnce, async (room) => {
    const work = tellAll(room, tell);
    works.push(work);
    await work.catch(() => undefined);
  });
  await waitForAll(works);
}

async function tellAll(room: string, tell: Tell): Promise<void> {
  for (;;) {
    const told = await tell(room);
    if (told === 'all') return;
    if (told === 'taken') throw new Error(`Another process tells of the room ${room}.`);
    await sleep(patience);
  }
}
