import { setTimeout as sleep } from 'node:timers/promises';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { logFailure } from '../lib/http/log-failure.ts';
import { tellReminders } from '../lib/notifications/reminders.ts';
import { patience, retryDevices, tellOfRoom } from '../lib/notifications/tell.ts';

/**
 * Tells devices whose page is closed what is new in rooms, for which `push` has it invoked, and of reminders, for which
 * a schedule does. What fails, or is being told by another one, is tried again by Lambda, in a minute and in two.
 */
export const handler = middy<{ rooms?: string[] }, void, Error, Context>({ timeoutEarlyInMillis: 0 })
  .use(logFailure('devices were not told'))
  .handler(async ({ rooms = [] }) => {
    if (rooms.length > 0) await sleep(patience);
    await retryDevices();
    await tellReminders();
    for (const room of rooms) await tellAll(room);
  });

async function tellAll(room: string): Promise<void> {
  for (;;) {
    const told = await tellOfRoom(room);
    if (told === 'all') return;
    if (told === 'taken') throw new Error(`Another process tells of the room ${room}.`);
    await sleep(patience);
  }
}
